/* plyfs check: reads and merges every file of a tree, and warns of likely mistakes. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "check_pool.h"
#include "check_report.h"
#include "check_tree.h"
#include "cleanup.h"
#include "command.h"
#include "explained_file.h"
#include "follow.h"
#include "host_list.h"
#include "message.h"
#include "runner.h"
#include "text.h"

struct check_job {
	struct layer_choice choice;
	const char *hosts_file; /* NULL: this host, or the choice's */
	struct host_list hosts;
	bool *is_found; /* of a list of hosts: for each path, whether one has it; else NULL */
	struct check_report report;

	/* of the present host: */
	struct explained_file subject;
	struct check_tree tree;
	struct runner *runner; /* for the check commands of rules; NULL: there are none */
};

static void finish_host(struct check_job *job)
{
	check_tree_fini(&job->tree);
	runner_free(take_ptr(job->runner));
	explained_file_fini(&job->subject);
	job->tree = (struct check_tree){0};
	job->subject = (struct explained_file){0};
	job->report.settings = NULL;
}

static void job_fini(struct check_job *job)
{
	check_report_fini(&job->report);
	finish_host(job);
	host_list_fini(&job->hosts);
	free(job->is_found);
}

/* Reads the arguments. Returns an exit code, or -1: continue. */
static int read_arguments(
	const struct command *command, int argc, char **argv, struct check_job *job)
{
	bool is_quiet = false;
	const struct command_option options[] = {
		LAYER_CHOICE_OPTIONS(&job->choice),
		{0, "hosts", .path = &job->hosts_file},
		{'W', "strict", .flag = &job->report.is_strict},
		{'q', "quiet", .flag = &is_quiet},
		{0, "json"},
		{0},
	};

	int code = command_options(command, options, argc, argv);
	if (code >= 0)
		return code;
	job->report.progress.state = is_quiet ? PROGRESS_QUIET : PROGRESS_OFF;
	if (job->hosts_file && job->choice.around.host)
		return command_misuse(command, "-H and --hosts both say which hosts; give one");
	if (job->hosts_file && job->choice.layers)
		return command_misuse(command,
			"--hosts replaces %%H in a plyfs.yaml; layers given with -l have none");
	if (layer_choice_is_double(command, &job->choice))
		return EXIT_WRONG_USE;
	if (layer_choice_text(&job->choice))
		return -1;
	if (optind == argc)
		return command_misuse(
			command, "no layers are given; give -c or -l, or a path in a mount");
	if (optind + 1 < argc)
		return command_misuse(command,
			"in a mount, only one path can be checked at a time, such as "
			"MOUNTPOINT/FILE");
	return -1;
}

/*
 * Traverses `inner`, which `path` leads to. With `is_found`, the layers may lack it; otherwise
 * *is_found becomes true.
 */
static int traverse_path(struct check_job *job, const char *path, const char *inner, bool *is_found)
{
	int r = check_tree_traverse(&job->tree, inner);

	if (is_found && (r == -ENOENT || r == -ENOTDIR))
		return EXIT_DONE;
	if (r != 0)
		return layer_choice_complain_in(job->subject.settings, path, inner, r, NULL);
	if (is_found)
		*is_found = true;
	return EXIT_DONE;
}

/* As traverse_path() for a path of the layers; links on its way are followed. */
static int traverse_argument(struct check_job *job, const char *path, bool *is_found)
{
	CLEANUP(freep) char *inner = NULL;
	struct problem problem = {0};

	int r = follow_to(job->subject.offline, path, &inner, &problem);
	if (r == 0)
		return traverse_path(job, path, inner, is_found);
	if (is_found && (r == -ENOENT || r == -ENOTDIR))
		return EXIT_DONE;
	return layer_choice_complain(job->subject.settings, path, r, &problem);
}

static int open_tree(struct check_job *job)
{
	int r = check_tree_init(&job->tree, job->subject.offline);
	if (r == 0 && job->subject.settings->program)
		r = runner_new(&job->runner);
	return r == 0 ? EXIT_DONE : message_result(r, NULL, NULL);
}

/* Finds the files to check. *is_whole: they are all files. */
static int find_files(
	const struct command *command, struct check_job *job, char **paths, bool *is_whole)
{
	CLEANUP(freep) char *inner = NULL;
	bool is_in_mount = !layer_choice_text(&job->choice);

	/* Most hosts in a list may have no layer of their own. */
	job->choice.is_of_list = job->hosts_file;
	int code = explained_file_find(command, &job->choice, is_in_mount ? *paths : NULL,
		PREFIXED_PATH_OLD, &job->subject, &inner);
	if (code == EXIT_DONE)
		code = open_tree(job);
	if (code != EXIT_DONE)
		return code;
	job->report.settings = job->subject.settings;
	*is_whole = is_in_mount ? !*inner : !*paths;
	if (is_in_mount)
		return traverse_path(job, *paths, inner, job->is_found);
	if (!*paths)
		return traverse_path(job, ".", "", NULL);
	for (size_t i = 0; code == EXIT_DONE && paths[i]; i++)
		code = traverse_argument(job, paths[i], job->is_found ? &job->is_found[i] : NULL);
	return code;
}

static int run_check(struct check_job *job, const char *path, const struct inspection *inspection,
	struct findings *ret)
{
	const struct findings *findings = &inspection->findings;
	char name[PROGRAM_NAME_MAX];
	struct run_result end;
	struct problem problem;
	const char *why;
	int r = 0;

	for (size_t i = 0; r == 0 && i < findings->count; i++)
		r = findings_add(ret, findings->items[i].kind, &findings->items[i].problem);
	ret->left_out += findings->left_out;
	if (r < 0)
		return r;
	r = runner_check(job->runner, job->subject.settings, path,
		(struct span){inspection->text, inspection->text_size}, inspection->lines, &end,
		&problem);
	if (r == PROBLEM && findings_add(ret, FINDING_ERROR, &problem) < 0)
		return -ENOMEM;
	if (r > 0 && run_is_missing(&end, settings_check(job->subject.settings, path), name, &why))
		return unchecked_list_add_path(&job->report.unchecked, name, why, path);
	return r < 0 ? r : 0;
}

static int add_file(
	void *context, const char *path, int result, const struct inspection *inspection)
{
	struct check_job *job = context;
	CLEANUP(findings_fini) struct findings failure = {0};
	struct problem problem;

	/* The name was removed, or became a directory, since it was listed. */
	if (result == -ENOENT || result == -ENOTDIR || result == -EISDIR)
		return 0;
	if (result < 0) {
		problem_set(&problem, path, 0, 0, "can't be merged: %s", text_error(result));
		int r = findings_add(&failure, FINDING_ERROR, &problem);
		return r < 0 ? r : check_report_file(&job->report, path, &failure);
	}
	int r = inspection->text ? run_check(job, path, inspection, &failure) : 0;
	if (r == 0)
		r = check_report_file(
			&job->report, path, inspection->text ? &failure : &inspection->findings);
	return r < 0 ? r : check_tree_note(&job->tree, &job->report, path, inspection);
}

/* Checks one host. Returns an exit code; the findings are in the report. */
static int check(const struct command *command, struct check_job *job, char **paths)
{
	bool is_whole = false;
	int code = find_files(command, job, paths, &is_whole);

	if (code != EXIT_DONE)
		return code;
	check_report_begin(&job->report, job->tree.count);
	int r = 0;
	if (is_whole)
		r = layer_choice_warn_closed(job->subject.settings,
			job->subject.settings->text.path ? job->subject.settings->text.place : ".",
			check_report_warn, &job->report);
	if (r == 0)
		r = check_pool_run(
			job->subject.offline, job->tree.paths, job->tree.count, add_file, job);
	struct finding replaced = {.kind = FINDING_ERROR};
	if (r == 0 && settings_were_read(job->subject.settings, &replaced.problem) != 0)
		r = check_report_add(&job->report, NULL, &replaced);
	if (r == 0)
		r = check_tree_report(&job->tree, &job->report, is_whole);
	return r == 0 ? EXIT_DONE : message_result(r, NULL, NULL);
}

static int check_hosts(const struct command *command, struct check_job *job, char **paths)
{
	const struct settings_environment common = job->choice.around;
	int code = host_list_read(job->hosts_file, &job->hosts), result = EXIT_DONE;

	job->is_found = host_paths_new(paths);
	if (code != EXIT_DONE || !job->is_found)
		return code != EXIT_DONE ? code : message_result(-ENOMEM, NULL, NULL);
	for (size_t i = 0; code != EXIT_WRONG_USE && i < job->hosts.count; i++) {
		const struct host *host = &job->hosts.items[i];

		job->report.host = host->name;
		job->choice.around = common;
		code = host_enter(command, host, &job->choice.around);
		if (code == EXIT_DONE)
			code = check(command, job, paths);
		if (code == EXIT_DONE)
			job->report.hosts++;
		else if (code == EXIT_FAILED)
			message("the host '%s' can't be checked", host->name);
		result = code > result ? code : result;
		finish_host(job);
	}
	/* A host that can't be checked may have the path. */
	return result == EXIT_DONE ? host_paths_report(paths, job->is_found) : result;
}

static int run(const struct command *command, int argc, char **argv)
{
	CLEANUP(job_fini) struct check_job job = {0};

	int code = read_arguments(command, argc, argv, &job);
	if (code >= 0)
		return code;
	code = job.hosts_file ? check_hosts(command, &job, argv + optind)
			      : check(command, &job, argv + optind);
	if (!job.report.is_begun)
		return code;
	int found = check_report_end(&job.report);
	return code > found ? code : found;
}

const struct command command_check = {
	.name = "check",
	.synopsis = "[-q] [-W] [--json] [--hosts FILE] -c CONFIG [PATH...]\n"
		    "[-q] [-W] [--json] -l LAYER[:LAYER...] [PATH...]\n"
		    "[-q] [-W] [--json] PATH",
	.summary = "read and merge every file, and report errors and warnings",
	.help = "Reads and merges every file of the layers, or those at PATH and below. It prints "
		"errors, and warnings about things that may be mistakes. With neither -c nor -l, "
		"PATH is a mountpoint, or a path in a mount. Exits with 1 if there is an error.\n"
		"\n" LAYER_CHOICE_HELP
		"  -W, --strict                    exit with 1 for warnings, too\n"
		"  -q, --quiet                     print errors only, and no summary\n"
		"      --hosts FILE                check for each of the hosts in FILE, one a "
		"line\n"
		"      --json                      print all as JSON, on standard output\n",
	.run = run,
};
