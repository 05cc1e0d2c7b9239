/*
 * plyfs presets: the ready rules that a plyfs.yaml can name.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "colour.h"
#include "command.h"
#include "descriptor.h"
#include "message.h"
#include "preset.h"
#include "text.h"

/* Bytes; what preset_read() took is no larger. */
#define TEXT_MAX (1u << 20)

/* One preset; or what is wrong with it, and the next one is told all the same. */
static int print_line(const char *name, struct arena *arena, int width)
{
	const char *on = colour_use(STDOUT_FILENO) ? COLOUR_CYAN : "";
	const char *dim = *on ? COLOUR_DIM : "", *off = *on ? COLOUR_NORMAL : "";
	struct preset preset;
	struct problem problem;
	int r = preset_read(name, NULL, arena, &preset, &problem);

	if (r != 0)
		return message_result(r, &problem, NULL);
	printf("%s%-*s%s  %s  %s(%s)%s\n", on, width, name, off, preset.description, dim,
		preset.path, off);
	preset_fini(&preset);
	return EXIT_DONE;
}

static int print_all(struct arena *arena)
{
	const char *const *names;
	int width = 0, code = EXIT_DONE;

	if (preset_names(arena, &names) < 0)
		return message_result(-ENOMEM, NULL, NULL);
	for (const char *const *at = names; *at; at++)
		width = (int)strlen(*at) > width ? (int)strlen(*at) : width;
	for (const char *const *at = names; *at; at++)
		if (print_line(*at, arena, width) != EXIT_DONE)
			code = EXIT_FAILED;
	return code;
}

/* The file as it is, once it is known to be good. */
static int print_one(const char *name, struct arena *arena)
{
	CLEANUP(closep) int fd = -1;
	CLEANUP(freep) char *text = NULL;
	struct preset preset;
	struct problem problem;
	size_t len;
	int r = preset_read(name, NULL, arena, &preset, &problem);

	if (r != 0)
		return message_result(r, &problem, NULL);
	preset_fini(&preset);
	fd = open(preset.path, O_RDONLY | O_CLOEXEC);
	r = fd < 0 ? -errno : text_read(fd, TEXT_MAX, &text, &len);
	return r == 0 ? command_print(text, len) : message_result(r, NULL, NULL);
}

static int run(const struct command *command, int argc, char **argv)
{
	CLEANUP(arena_freep) struct arena *arena = NULL;
	const struct command_option options[] = {
		{0, "color", .take = command_colour},
		{0},
	};

	int code = command_options(command, options, argc, argv);
	if (code >= 0)
		return code;
	if (optind + 1 < argc)
		return command_misuse(command, "one NAME at most can be given");
	if (arena_new(&arena) < 0)
		return message_result(-ENOMEM, NULL, NULL);
	return optind < argc ? print_one(argv[optind], arena) : print_all(arena);
}

const struct command command_presets = {
	.name = "presets",
	.synopsis = "[NAME]",
	.summary = "list the ready rules that a plyfs.yaml can name, or print one",
	.help = "Lists the presets: ready rules for a program, which 'presets: [NAME, ...]' in a\n"
		"plyfs.yaml brings. With NAME, prints that one. They are looked for in\n"
		"/etc/plyfs/presets first, and then where plyfs is installed; or in the\n"
		"directories that PLYFS_PRESETS names, with a colon between two.\n"
		"\n"
		"      --color always|auto|never   auto: on a terminal, unless NO_COLOR is set\n",
	.run = run,
};
