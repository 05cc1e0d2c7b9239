/* plyfs cat: prints a file as a mount would show it, without a mount, or as one shows it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "command.h"
#include "descriptor.h"
#include "explained_file.h"
#include "follow.h"
#include "layer_choice.h"
#include "message.h"
#include "plyfs_mount.h"

/* In bytes. */
#define BUFFER_SIZE (1u << 16)

static int print_version(const char *path, const struct version *version)
{
	char buffer[BUFFER_SIZE];
	off_t offset = 0;
	ssize_t n;

	if (version->kind == VERSION_BYTES)
		return command_print(version->data, version->size);
	while ((n = version_read(version, buffer, sizeof(buffer), offset)) > 0) {
		if (command_print(buffer, (size_t)n) != EXIT_DONE)
			return EXIT_FAILED;
		offset += n;
	}
	return n < 0 ? layer_choice_complain(NULL, path, (int)n, NULL) : EXIT_DONE;
}

/* Prints the file, and on standard error what was left out: a broken layer, or a refused value. */
static int cat_offline(
	struct offline *offline, struct settings *settings, const char *path, const char *inner)
{
	CLEANUP(version_unrefp) struct version *version = NULL;
	struct problem problem;

	problem.message[0] = '\0';
	int r = follow(offline, inner, &version, &problem);
	if (r != 0)
		return layer_choice_complain_in(settings, path, inner, r, &problem);
	if (problem.message[0])
		message_warning(&problem);
	return print_version(path, version);
}

/* Names sources as a mount made here would: the header, which is printed, has their names. */
static int cat_in_view(struct layer_choice *choice, char **paths)
{
	CLEANUP(freep) char *directory = getcwd(NULL, 0);
	CLEANUP(settings_unrefp) struct settings *settings = NULL;
	CLEANUP(offline_freep) struct offline *offline = NULL;
	int code = EXIT_DONE;

	if (!directory)
		return layer_choice_complain(NULL, "the working directory", -errno, NULL);
	choice->around.directory = directory;
	if (layer_choice_open(choice, &settings) != EXIT_DONE ||
		layer_choice_offline(settings, &offline) != EXIT_DONE)
		return EXIT_FAILED;
	layer_choice_note_absent(settings);
	for (; *paths; paths++) {
		if (cat_offline(offline, settings, *paths, *paths) != EXIT_DONE)
			code = EXIT_FAILED;
	}
	return code;
}

static int cat_in_mount(const struct command *command, const char *path)
{
	CLEANUP(freep) char *mountpoint = NULL;
	char buffer[BUFFER_SIZE];
	ssize_t n;

	int r = plyfs_mount_find(path, &mountpoint);
	if (r < 0)
		return layer_choice_not_in_mount(command, path, r);
	CLEANUP(closep) int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return layer_choice_complain(NULL, path, -errno, NULL);
	while ((n = read(fd, buffer, sizeof(buffer))) > 0)
		if (command_print(buffer, (size_t)n) != EXIT_DONE)
			return EXIT_FAILED;
	if (n < 0 && errno == EIO) {
		message_at(path, "does not merge; 'plyfs status %s' shows why", mountpoint);
		return EXIT_FAILED;
	}
	return n < 0 ? layer_choice_complain(NULL, path, -errno, NULL) : EXIT_DONE;
}

/* Merges the file as for another host, which the mount does not show. */
static int cat_as_others(
	const struct command *command, const struct layer_choice *choice, const char *path)
{
	CLEANUP(explained_file_fini) struct explained_file subject;
	CLEANUP(freep) char *inner = NULL;

	int code = explained_file_find(command, choice, path, false, &subject, &inner);
	if (code != EXIT_DONE)
		return code;
	return cat_offline(subject.offline, subject.settings, path, inner);
}

static int run(const struct command *command, int argc, char **argv)
{
	struct layer_choice choice = {0};
	bool is_json = false;
	const struct command_option options[] = {
		LAYER_CHOICE_OPTIONS(&choice),
		/* Has its effect on messages alone, see command_options(). */
		{0, "json", .flag = &is_json},
		{0},
	};

	int code = command_options(command, options, argc, argv);
	if (code >= 0)
		return code;
	if (optind == argc)
		return command_misuse(command, "a path is missing");
	if (layer_choice_is_double(command, &choice))
		return EXIT_WRONG_USE;
	if (choice.config || choice.layers)
		return cat_in_view(&choice, argv + optind);

	code = EXIT_DONE;
	for (int i = optind; i < argc; i++) {
		int r = settings_environment_is_other(&choice.around)
				? cat_as_others(command, &choice, argv[i])
				: cat_in_mount(command, argv[i]);
		if (r > code)
			code = r;
	}
	return code;
}

const struct command command_cat = {
	.name = "cat",
	.synopsis = "[--json] -c CONFIG PATH...\n[--json] -l LAYER[:LAYER...] PATH...\n[--json] "
		    "PATH...",
	.summary = "print what a mount would show",
	.help = "Prints files as a mount would show them, without mounting. PATH is relative to "
		"the layers. With neither -c nor -l it is a path in a mount.\n"
		"\n" LAYER_CHOICE_HELP
		"      --json                      errors as JSON, for programs\n",
	.run = run,
};
