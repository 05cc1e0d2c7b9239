/* plyfs presets: lists the ready rules that a plyfs.yaml can name. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "colour.h"
#include "command.h"
#include "json_put.h"
#include "message.h"
#include "outside.h"
#include "preset.h"

/* Maximum size, in bytes; preset_read() accepts no larger one. */
#define TEXT_MAX (1u << 20)

/* Prints the fields of a preset, without the end of the object. */
static void put_json(const struct preset *preset)
{
	json_put(JSON(stdout), "{'name': %s, 'description': %s, 'path': %s", preset->name,
		preset->description, preset->text.path);
}

/* Prints each preset, or its error; the next ones are printed all the same. */
static int print_all(struct arena *arena)
{
	CLEANUP(path_list_fini) struct path_list names = {0};
	const char *lead = "\n  ", *on = colour_use(STDOUT_FILENO) ? COLOUR_CYAN : "";
	const char *dim = *on ? COLOUR_DIM : "", *off = *on ? COLOUR_NORMAL : "";
	int width = 0, code = EXIT_DONE;

	if (preset_names(&names) < 0)
		return message_result(-ENOMEM, NULL, NULL);
	for (size_t i = 0; i < names.count; i++)
		width = (int)strlen(names.paths[i]) > width ? (int)strlen(names.paths[i]) : width;
	if (!names.count && !message_is_json())
		printf("There are no presets in %s; " PRESET_REMEDY ".\n", preset_directories());
	json_put(JSON(stdout), message_is_json() ? "{'presets': [" : "");
	for (size_t i = 0; i < names.count; i++) {
		struct preset preset;
		struct problem problem;
		int r = preset_read(names.paths[i], NULL, NULL, arena, &preset, &problem);

		if (r != 0) {
			code = message_result(r, &problem, NULL);
		} else if (message_is_json()) {
			fputs(lead, stdout);
			put_json(&preset);
			putchar('}');
			lead = ",\n  ";
		} else {
			printf("%s%-*s%s  %s  %s(%s)%s\n", on, width, preset.name, off,
				preset.description, dim, preset.text.path, off);
		}
		preset_fini(&preset);
	}
	fputs(message_is_json() ? "\n]}\n" : "", stdout);
	return code;
}

/* Prints the file itself, after checking that it is valid. */
static int print_one(const char *name, struct arena *arena)
{
	CLEANUP(preset_fini) struct preset preset = {0};
	struct outside_file file = {0};
	struct problem problem;
	int r = preset_read(name, NULL, NULL, arena, &preset, &problem);

	if (r != 0)
		return message_result(r, &problem, NULL);
	r = outside_read(preset.text.path, TEXT_MAX, &file);
	CLEANUP(freep) char *text = file.text;
	if (r != 0)
		return message_result(r, NULL, preset.text.path);
	if (!message_is_json())
		return command_print(text, file.len);
	put_json(&preset);
	json_put(JSON(stdout), ", 'rules': ");
	r = json_put_value(JSON(stdout), preset.rules, NULL, arena);
	json_put(JSON(stdout), ", 'text': ");
	json_put_span(JSON(stdout), (struct span){text, file.len});
	puts("}");
	return r == 0 ? EXIT_DONE : message_result(r, NULL, NULL);
}

static int run(const struct command *command, int argc, char **argv)
{
	CLEANUP(arena_freep) struct arena *arena = NULL;
	const struct command_option options[] = {
		{0, "json"},
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
	.synopsis = "[--json] [NAME]",
	.summary = "list the ready rules that a plyfs.yaml can name, or print one",
	.help = "Lists the presets, which are ready rules for a program; 'presets: [NAME, ...]' in "
		"a plyfs.yaml uses them. With NAME, prints that one. They are searched first in "
		"/etc/plyfs/presets, and then where plyfs is installed; or in the directories that "
		"PLYFS_PRESETS names, separated by colons.\n"
		"\n"
		"      --color always|auto|never   auto: on a terminal, unless NO_COLOR is set\n"
		"      --json                      as JSON, for programs\n",
	.run = run,
};
