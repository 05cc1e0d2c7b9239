/* plyfs cat: prints a file as a mount would show it, without a mount, or as one shows it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "cleanup.h"
#include "column.h"
#include "command.h"
#include "descriptor.h"
#include "explained_file.h"
#include "follow.h"
#include "json_put.h"
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

struct cat_job {
	struct layer_choice choice;
	/* Prints the file at `inner`, to which `path` leads, or its sources. Returns an exit
	 * code. */
	int (*print)(struct offline *offline, const char *path, const char *inner);
};

struct cat_sources {
	const char *separator; /* JSON: before the next source; NULL: as text */
	int code;              /* EXIT_FAILED: a source could not be read */
};

static void put_source(
	struct cat_sources *job, const struct layer *layer, const char *name, struct span text)
{
	if (job->separator) {
		fputs(job->separator, stdout);
		json_put(JSON(stdout), "{'layer': %s, 'file': %s, 'text': ", layer->name, name);
		json_put_span(JSON(stdout), text);
		putchar('}');
		job->separator = ",\n    ";
		return;
	}
	fputs("# ", stdout);
	column_put(stdout, span_of(name));
	putchar('\n');
	fwrite(text.data, 1, text.len, stdout);
	if (text.len && text.data[text.len - 1] != '\n')
		putchar('\n');
}

/* Prints the sources that count, the lowest first; one that can't be read is reported. */
static int put_sources(void *context, const struct composer *composer, const char *path,
	const struct union_lookup *lookup, struct problem *problem)
{
	struct cat_sources *job = context;
	unsigned first, count;

	compose_contributors(
		compose_options(composer->settings, path)->strategy, lookup, &first, &count);
	for (unsigned i = first + count; i-- > first;) {
		const struct contributor *found = &lookup->found[i];
		const struct layer *layer = composer->settings->layers[found->layer];
		const char *place = found->path ? found->path : path;
		CLEANUP(freep) char *name = NULL;
		struct loaded *loaded = NULL;

		problem->message[0] = '\0';
		int r = compose_load(composer, place, found, NULL, &loaded, problem);
		if (r == 0)
			r = layer_source_name(layer, place, &name);
		if (r == 0)
			put_source(job, layer, name, loaded->text);
		else
			job->code = layer_choice_complain(
				NULL, place, r == PROBLEM || r < 0 ? r : -ENOENT, problem);
		loaded_unref(loaded);
	}
	return 0;
}

/* Finds the sources by the lookup alone, so that a file that does not merge has them, too. */
static int cat_sources(struct offline *offline, const char *path, const char *inner)
{
	struct cat_sources job = {.separator = message_is_json() ? "\n    " : NULL};
	CLEANUP(freep) char *real = NULL;
	struct problem problem = {0};
	int r = follow(offline, inner, &real, &problem);

	if (message_is_json())
		json_put(JSON(stdout), "{'path': %s, 'sources': [", path);
	if (r == 0)
		r = offline_look_at(offline, real, put_sources, &job, &problem);
	if (message_is_json())
		puts("]}");
	if (r != 0)
		return layer_choice_complain_in(
			offline_settings(offline), path, inner, r, &problem);
	return layer_choice_end(offline_settings(offline)) != EXIT_DONE ? EXIT_FAILED : job.code;
}

/* Prints the file, and on standard error what was left out: a broken layer, or a refused value. */
static int cat_file(struct offline *offline, const char *path, const char *inner)
{
	CLEANUP(version_unrefp) struct version *version = NULL;
	CLEANUP(freep) char *real = NULL;
	struct problem problem = {0};

	int r = follow(offline, inner, &real, &problem);
	if (r == 0)
		r = offline_read(offline, real, &version, &problem);
	if (r != 0)
		return layer_choice_complain_in(
			offline_settings(offline), path, inner, r, &problem);
	if (problem.message[0])
		message_warning(&problem);
	if (layer_choice_end(offline_settings(offline)) != EXIT_DONE)
		return EXIT_FAILED;
	return print_version(path, version);
}

/* Names sources as a mount made here would: the header, which is printed, has their names. */
static int cat_in_view(const struct command *command, struct cat_job *job, char **paths)
{
	CLEANUP(freep) char *directory = layer_choice_directory();
	CLEANUP(explained_file_fini) struct explained_file subject = {0};

	if (!directory)
		return message_result(-errno, NULL, NULL);
	job->choice.around.directory = directory;
	int code =
		explained_file_find(command, &job->choice, NULL, PREFIXED_PATH_OLD, &subject, NULL);
	if (code != EXIT_DONE)
		return code;
	for (; *paths; paths++)
		if (job->print(subject.offline, *paths, *paths) != EXIT_DONE)
			code = EXIT_FAILED;
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
	if (n < 0 && errno == EIO)
		return message_at(path, "does not merge; 'plyfs status %s' shows why", mountpoint);
	return n < 0 ? layer_choice_complain(NULL, path, -errno, NULL) : EXIT_DONE;
}

/* Merges the file as for another host, which the mount does not show; or prints its sources. */
static int cat_of_mount(const struct command *command, const struct cat_job *job, const char *path)
{
	CLEANUP(explained_file_fini) struct explained_file subject;
	CLEANUP(freep) char *inner = NULL;

	int code = explained_file_find(
		command, &job->choice, path, PREFIXED_PATH_OLD, &subject, &inner);
	return code == EXIT_DONE ? job->print(subject.offline, path, inner) : code;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct cat_job job = {0};
	bool has_sources = false;
	const struct command_option options[] = {
		LAYER_CHOICE_OPTIONS(&job.choice),
		{0, "sources", .flag = &has_sources},
		/* Without `sources`, it affects messages alone, see command_options(). */
		{0, "json"},
		{0},
	};

	int code = command_options(command, options, argc, argv);
	if (code >= 0)
		return code;
	if (optind == argc)
		return command_misuse(command, "a path is missing");
	if (layer_choice_is_double(command, &job.choice))
		return EXIT_WRONG_USE;
	job.print = has_sources ? cat_sources : cat_file;
	if (layer_choice_text(&job.choice))
		return cat_in_view(command, &job, argv + optind);

	code = EXIT_DONE;
	for (int i = optind; i < argc; i++) {
		int r = has_sources || settings_environment_is_other(&job.choice.around)
				? cat_of_mount(command, &job, argv[i])
				: cat_in_mount(command, argv[i]);
		if (r > code)
			code = r;
	}
	return code;
}

const struct command command_cat = {
	.name = "cat",
	.synopsis = "[--sources] [--json] -c CONFIG PATH...\n"
		    "[--sources] [--json] -l LAYER[:LAYER...] PATH...\n"
		    "[--sources] [--json] PATH...",
	.summary = "print what a mount would show",
	.help = "Prints files as a mount would show them, without mounting. PATH is relative to "
		"the layers. With neither -c nor -l it is a path in a mount.\n"
		"\n" LAYER_CHOICE_HELP "      --sources                   each source instead, "
		"below a line with its name\n"
		"      --json                      errors, and sources, as JSON, for programs\n",
	.run = run,
};
