/*
 * plyfs diff: shows each layer's changes to a file, or the difference between two sets of layers.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "colour.h"
#include "command.h"
#include "explained_file.h"
#include "host_list.h"
#include "json_put.h"
#include "layer_diff.h"
#include "message.h"
#include "probe.h"
#include "rendered_tree.h"

/* Maximum number of lines around a change: more than any file has. */
#define CONTEXT_MAX 1000000000

struct diff_job {
	struct layer_choice choices[2];
	size_t choice_count;
	struct settings_environment around; /* of -H and similar options since the last -c or -l */
	struct settings_environment common; /* of those before the first -c or -l: for both sets */
	struct unified how;

	/* of --hosts: */
	const char *hosts_file;
	char **paths;
	bool *is_found;         /* for each path, whether a compared host has it */
	struct settings *first; /* of the first host, with which the others are compared */
};

/* Ends the options -H and similar, which behind a -c belong to that -c only. */
static void end_choice(struct diff_job *job)
{
	*(job->choice_count ? &job->choices[job->choice_count - 1].around : &job->common) =
		job->around;
	job->around = (struct settings_environment){0};
}

static int add_choice(
	const struct command *command, struct diff_job *job, struct layer_choice choice)
{
	end_choice(job);
	if (job->choice_count == 2)
		return command_misuse(command,
			"only two sets of layers can be compared; give -c or -l once or twice");
	job->choices[job->choice_count++] = choice;
	return EXIT_DONE;
}

static int add_config(const struct command *command, void *job, const char *config)
{
	return add_choice(command, job, (struct layer_choice){.config = config});
}

static int add_layers(const struct command *command, void *job, const char *layers)
{
	return add_choice(command, job, (struct layer_choice){.layers = layers});
}

/* Puts the common facts before those of the choice, which overrule them. */
static int add_facts(const struct command *command, const struct settings_environment *common,
	struct settings_environment *around)
{
	struct settings_environment all = *common;
	int code = EXIT_DONE;

	for (size_t i = 0; code == EXIT_DONE && i < SETTINGS_FACTS_MAX && around->facts[i]; i++)
		code = layer_choice_take_fact(command, &all, around->facts[i]);
	memcpy(around->facts, all.facts, sizeof(around->facts));
	return code;
}

/* Applies the common options. Returns an exit code, or -1: continue. */
static int finish_choices(const struct command *command, struct diff_job *job)
{
	const struct settings_environment *common = &job->common;

	end_choice(job);
	for (size_t i = 0; i < 2; i++) {
		struct settings_environment *around = &job->choices[i].around;

		if (!around->host)
			around->host = common->host;
		if (!around->machine_id)
			around->machine_id = common->machine_id;
		if (!around->user)
			around->user = common->user;
		if (add_facts(command, common, around) != EXIT_DONE ||
			layer_choice_is_double(command, &job->choices[i]))
			return EXIT_WRONG_USE;
	}
	return -1;
}

static int set_context(const struct command *command, void *context, const char *text)
{
	struct diff_job *job = context;
	char *end;

	errno = 0;
	long lines = strtol(text, &end, 10);
	if (end == text || *end || errno || lines < 0 || lines > CONTEXT_MAX)
		return command_misuse(command, "'%s' is no number of lines", text);
	job->how.context = (size_t)lines;
	return EXIT_DONE;
}

static int diff_layers(const struct command *command, struct diff_job *job, const char *path)
{
	CLEANUP(explained_file_fini) struct explained_file subject = {0};
	CLEANUP(freep) char *inner = NULL, *root = NULL, *real = NULL;

	/* For a whole rendered tree, show its drift. */
	bool is_in_tree = !layer_choice_text(&job->choices[0]);
	int r = is_in_tree ? rendered_tree_find(path, &root) : -ENOENT;
	if (r == -ETIMEDOUT)
		return layer_choice_complain(NULL, path, r, NULL);
	if (r == 0 && probe_real_path(PROBE_MS, path, &real) == 0 &&
		!*rendered_tree_inner(root, real))
		return rendered_tree_diff(&job->how, root);
	int code = explained_file_find(
		command, &job->choices[0], path, PREFIXED_PATH_OLD, &subject, &inner);
	if (code != EXIT_DONE)
		return code;
	if (!*inner)
		return layer_choice_complain(NULL, path, -EISDIR, NULL);
	return layer_diff(&job->how, subject.settings, inner);
}

static int diff_sets(struct diff_job *job, char **paths)
{
	CLEANUP(settings_unrefp) struct settings *old = NULL;
	CLEANUP(settings_unrefp) struct settings *new = NULL;

	if (layer_choice_hold(&job->choices[0], &old) != EXIT_DONE ||
		layer_choice_hold(&job->choices[1], &new) != EXIT_DONE)
		return EXIT_FAILED;
	layer_choice_note_absent(old);
	layer_choice_note_absent(new);
	int code = layer_diff_sets(&job->how, (struct settings *[]){old, new}, paths, NULL);

	return code != EXIT_DONE                    ? code
	       : layer_choice_end(old) != EXIT_DONE ? EXIT_FAILED
						    : layer_choice_end(new);
}

/* Makes the difference from the first host to the present one, as each_host.make. */
static int make_difference(void *context, char **ret)
{
	struct diff_job *job = context;
	CLEANUP(settings_unrefp) struct settings *settings = NULL;
	struct unified how = job->how;
	size_t size;
	int code = EXIT_DONE;

	if (layer_choice_hold(&job->choices[0], &settings) != EXIT_DONE)
		return EXIT_FAILED;
	how.out = open_memstream(ret, &size);
	if (!how.out)
		return message_result(-ENOMEM, NULL, NULL);
	how.count = 0;
	if (job->first)
		code = layer_diff_sets(&how, (struct settings *[]){job->first, settings},
			job->paths, job->is_found);
	else
		job->first = settings_ref(settings);
	unified_end(&how, false);
	job->how.count += how.count;
	if (fclose(how.out) != 0)
		return message_result(-ENOMEM, NULL, NULL);
	return code == EXIT_DONE ? layer_choice_end(settings) : code;
}

static void print_groups(const struct host_groups *groups)
{
	bool is_json = message_is_json();

	json_put(JSON(stdout), is_json ? "{'groups': [" : "");
	for (size_t i = 0; i < groups->count && (is_json || groups->count > 1); i++) {
		const struct host_group *group = &groups->items[i];

		if (is_json)
			json_put(JSON(stdout), i ? ",\n{'hosts': " : "\n{'hosts': ");
		else
			fputs("# ", stdout);
		host_group_print(group);
		/* The text is a JSON object of its own, which goes on here. */
		if (is_json)
			printf(",%s", group->text + 1);
		else if (i)
			printf(": against %s\n%s", groups->items[0].hosts[0], group->text);
		else
			printf(": %s\n", group->count > 1 ? "alike" : "the first");
	}
	fputs(is_json ? "]}\n" : "", stdout);
}

static int diff_hosts(const struct command *command, struct diff_job *job, char **paths)
{
	const struct each_host each = {
		job->hosts_file, "comparing hosts", make_difference, job, &job->choices[0].around};
	CLEANUP(host_groups_fini) struct host_groups groups = {0};
	CLEANUP(freep) bool *is_found = NULL;

	if (job->choice_count != 1 || !job->choices[0].config || job->choices[0].around.host)
		return command_misuse(
			command, "--hosts needs one plyfs.yaml: give -c once, and no -l and no -H");
	job->paths = paths;
	job->is_found = is_found = host_paths_new(paths);
	if (!is_found)
		return message_result(-ENOMEM, NULL, NULL);
	int code = each_host_run(command, &each, &groups);

	settings_unref(job->first);
	/* Of one host nothing is compared. */
	if (code == EXIT_DONE && groups.list.count > 1)
		code = host_paths_report(paths, is_found);
	if (groups.count > 0)
		print_groups(&groups);
	return code;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct diff_job job = {.how = {.out = stdout, .context = UNIFIED_CONTEXT}};
	bool wants_code = false;
	const struct command_option options[] = {
		{'c', "config", .take = add_config, .context = &job},
		{'l', "layers", .take = add_layers, .context = &job},
		LAYER_CHOICE_OTHERS_OPTIONS(&job.around),
		{'U', "unified", .take = set_context, .context = &job},
		{0, "color", .take = command_colour},
		{0, "hosts", .path = &job.hosts_file},
		{0, "exit-code", .flag = &wants_code},
		{0, "json"},
		{0},
	};

	int code = command_options(command, options, argc, argv);
	if (code < 0)
		code = finish_choices(command, &job);
	if (code >= 0)
		return code;
	job.how.is_coloured = colour_use(STDOUT_FILENO);
	job.how.is_shown = isatty(STDOUT_FILENO);
	if (job.hosts_file) {
		code = diff_hosts(command, &job, argv + optind);
	} else if (job.choice_count == 2) {
		code = diff_sets(&job, argv + optind);
	} else {
		if (optind == argc)
			return command_misuse(command, "a path is missing");
		if (optind + 1 < argc)
			return command_misuse(command,
				"with one set of layers, diff takes one file, and '%s' is a second "
				"one",
				argv[optind + 1]);
		code = diff_layers(command, &job, argv[optind]);
	}
	if (!job.hosts_file)
		unified_end(&job.how, code != EXIT_DONE);
	return code == EXIT_DONE && wants_code && job.how.count ? EXIT_FAILED : code;
}

const struct command command_diff = {
	.name = "diff",
	.synopsis = "[--json] -c CONFIG PATH\n[--json] -l LAYER[:LAYER...] PATH\n[--json] PATH\n"
		    "[--json] (-c CONFIG | -l LAYERS) (-c CONFIG | -l LAYERS) [PATH...]\n"
		    "[--json] --hosts FILE -c CONFIG [PATH...]",
	.summary = "show what each layer changes, or how two sets of layers differ",
	.help = "Shows what each layer changes in a file. For each layer, the lowest first, a "
		"unified diff leads from the merge of the layers below it to the merge with it. "
		"PATH is relative to the layers; with neither -c nor -l, a path in a mount or in a "
		"rendered tree. For a whole rendered tree, it shows changes that plyfs did not "
		"make.\n"
		"\n"
		"Each -c or -l names a set of layers. With two sets, it shows how the files of the "
		"second set differ from those of the first: all, or those at PATH and below. -H, "
		"--machine-id, --user and --fact belong to the -c before them: -c CONFIG -H web1 "
		"-c CONFIG -H web2.\n"
		"\n" LAYER_CHOICE_HELP
		"      --hosts FILE                show how the hosts in FILE differ\n"
		"  -U, --unified LINES             show LINES lines around a change; default: 3\n"
		"      --color always|auto|never   colour; default: auto, on a terminal\n"
		"      --exit-code                 exit with 1 if there are differences\n"
		"      --json                      as JSON, for programs\n",
	.run = run,
};
