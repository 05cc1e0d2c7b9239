/* plyfs render: writes what a mount would show as ordinary files. */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "background.h"
#include "cleanup.h"
#include "command.h"
#include "layer_choice.h"
#include "manager.h"
#include "message.h"
#include "outside.h"
#include "overseer.h"
#include "plyfs_mount.h"
#include "probe.h"
#include "render.h"
#include "render_report.h"
#include "rendered_tree.h"

/* Delay of the first progress line, in ms: a quick rendering shows none. */
#define PROGRESS_MS 1000

struct render_job {
	struct layer_choice choice;
	bool has_no_header;
	struct rendered_options options;
	struct render_report report;
};

static void job_fini(struct render_job *job)
{
	render_report_fini(&job->report);
}

/* The rendering that a signal ends. */
static struct render *running;

static void log_line(void *context, const char *line)
{
	render_report_log(context, line, NULL);
}

static int set_drift(const struct command *command, void *context, const char *word)
{
	bool *keeps_drift = context;

	*keeps_drift = strcmp(word, "keep") == 0;
	if (*keeps_drift || strcmp(word, "restore") == 0)
		return EXIT_DONE;
	return command_misuse(command, "--drift is restore or keep, not '%s'", word);
}

static int read_arguments(
	const struct command *command, int argc, char **argv, struct render_job *job)
{
	struct rendered_options *given = &job->options;
	bool is_watched = false, is_dry = false, is_quiet = false;
	const struct command_option options[] = {
		LAYER_CHOICE_OPTIONS(&job->choice),
		{'w', "watch", .flag = &is_watched},
		{'n', "dry-run", .flag = &is_dry},
		{'q', "quiet", .flag = &is_quiet},
		{0, "json"},
		{0, "adopt", .flag = &given->adopts},
		{0, "atomic", .flag = &given->is_atomic},
		{0, "drift", .take = set_drift, .context = &given->keeps_drift},
		{0, "no-header", .flag = &job->has_no_header},
		{0, "no-sandbox", .flag = &given->switches.has_no_sandbox},
		{0, "no-landlock", .flag = &given->switches.has_no_landlock},
		{0, "no-seccomp", .flag = &given->switches.has_no_seccomp},
		{0},
	};

	int code = command_options(command, options, argc, argv);
	if (code >= 0)
		return code;
	job->report.progress.state = is_quiet ? PROGRESS_QUIET : PROGRESS_OFF;
	if (layer_choice_is_double(command, &job->choice))
		return EXIT_WRONG_USE;
	if (!layer_choice_text(&job->choice))
		return command_misuse(command, "the layers are missing; give -c or -l");
	if (is_watched && (is_dry || message_is_json()))
		return command_misuse(command, "--watch goes on, and %s ends; give one",
			is_dry ? "--dry-run" : "--json");
	if (optind == argc)
		return command_misuse(command, "the directory is missing");
	if (optind + 1 < argc)
		return command_misuse(
			command, "'%s' is one too many; give one directory", argv[optind + 1]);
	given->directory = argv[optind];
	given->mode = is_watched ? RENDER_WATCH : is_dry ? RENDER_DRY : RENDER_ONCE;
	job->report.options = given;
	return -1;
}

static void on_signal(int signal)
{
	(void)signal;
	render_stop(running);
}

static void take_signals(void)
{
	struct sigaction action = {.sa_handler = on_signal};

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
}

static int render(struct render_job *job, struct render *render)
{
	progress_begin(&job->report.progress, PROGRESS_MS);
	int r = render_all(render);

	progress_hide(&job->report.progress);
	if (r < 0)
		return message_result(r, NULL, job->options.directory);
	if (job->options.mode != RENDER_WATCH) {
		bool are_hooks_done = job->options.mode == RENDER_DRY ||
				      view_run_change_hooks(render_view(render)) == 0;
		view_unchecked(render_view(render), render_report_add_unchecked, &job->report);
		int code = render_report_end(&job->report);
		return are_hooks_done && r == 0 ? code : EXIT_FAILED;
	}
	/* A followed link leads to a silent mount, and no tree would have what is there. */
	if (plyfs_mount_has_reported())
		return EXIT_FAILED;
	running = render;
	take_signals();
	manager_say(MANAGER_READY, true);
	if (render_watch(render) < 0)
		return message_at(job->options.directory,
			"was removed, or .plyfs in it; remove what is left of it, "
			"and start plyfs again");
	return EXIT_DONE;
}

/* Checks that the directory exists (0), or can be made (1). Returns that, or -errno. */
static int look_for(const char *directory)
{
	struct stat stat;

	if (lstat(directory, &stat) == 0 || errno != ENOENT)
		return 0;
	if (!*directory)
		return -ENOENT;
	CLEANUP(freep) char *above = strdup(directory);
	if (!above)
		return -ENOMEM;
	return faccessat(AT_FDCWD, dirname(above), W_OK | X_OK, AT_EACCESS) < 0 ? -errno : 1;
}

/*
 * Excludes the directory from the layers, so that rendered files do not become sources. A directory
 * that is made here gets its final mode later, when that is known. Returns 0, PROBLEM or -errno.
 */
static int cover(
	struct settings *settings, struct rendered_options *options, struct problem *problem)
{
	const char *directory = options->directory;
	bool is_dry = options->mode == RENDER_DRY;

	options->is_made = !is_dry && mkdir(directory, 0700) == 0;
	if (!is_dry && !options->is_made && errno != EEXIST)
		return -errno;
	int found = is_dry ? look_for(directory) : 0;
	if (found < 0)
		return found;
	CLEANUP(freep) char *real = NULL;
	char missing[PATH_MAX];
	int r = found ? outside_find_missing(directory, missing)
		      : probe_real_path(PROBE_MS, directory, &real);
	if (r == 0)
		r = settings_cover(settings, found ? missing : real, NULL);
	if (r == 0)
		r = settings_check_covered(settings, problem);
	if (r == PROBLEM && options->is_made)
		rmdir(directory);
	return r;
}

/* Starts the mirrors of layers, and opens the layers. Returns an exit status. */
static int open_settings(
	struct render_job *job, struct supervisor **supervisor, struct settings **ret)
{
	CLEANUP(settings_unrefp) struct settings *settings = NULL, *outline = NULL;
	const struct supervisor_options options = {.switches = job->options.switches,
		.log = log_line,
		.say = manager_say_status,
		.context = &job->report};

	/* Without --watch, the stores' present state is waited for. */
	if (layer_choice_start_mirrors(&job->choice, job->options.mode != RENDER_WATCH, &options,
		    supervisor, &outline) != EXIT_DONE ||
		layer_choice_hold(&job->choice, outline, &settings) != EXIT_DONE)
		return EXIT_FAILED;
	/* A mount that is silent now would be left out for as long as the command goes on. */
	if (plyfs_mount_guard_ask(settings) && job->options.mode == RENDER_WATCH)
		return EXIT_FAILED;
	layer_choice_note_absent(settings);
	if (job->has_no_header)
		settings_fix_header(settings, HEADER_OFF);
	*ret = take_ptr(settings);
	return EXIT_DONE;
}

static int run(const struct command *command, int argc, char **argv)
{
	CLEANUP(job_fini) struct render_job job = {0}; /* used until the end: freed last */
	CLEANUP(supervisor_freep) struct supervisor *supervisor = NULL; /* the same */
	CLEANUP(render_freep) struct render *made = NULL;
	CLEANUP(freep) char *working = layer_choice_directory(), *root = NULL;
	struct rendered_options *options = &job.options;
	struct settings *settings;
	struct problem problem;

	int code = read_arguments(command, argc, argv, &job);
	if (code >= 0)
		return code;
	if (options->mode != RENDER_WATCH)
		overseer_begin();
	if (!working)
		return message_result(-errno, NULL, NULL);
	/* Without --watch, a configuration may be given as a descriptor: bash's <(...). */
	if (options->mode == RENDER_WATCH && background_keep_standard(-1) < 0)
		return message_result(-errno, NULL, "/dev/null");
	/* Sources must have the names that a mount would use. */
	job.choice.around.directory = working;
	if (open_settings(&job, &supervisor, &settings) != EXIT_DONE)
		return EXIT_FAILED;
	/* The directory may be on a mount that does not answer. */
	int r = plyfs_mount_may_be_silent() ? rendered_tree_find(options->directory, &root) : 0;
	if (r != -ETIMEDOUT)
		r = cover(settings, options, &problem);
	if (r != 0) {
		settings_unref(settings);
		return r == -ETIMEDOUT ? layer_choice_complain(NULL, options->directory, r, NULL)
				       : message_result(r, &problem, options->directory);
	}
	options->source = layer_choice_text(&job.choice);
	options->supervisor = supervisor;
	options->log = render_report_log;
	options->report = options->mode == RENDER_WATCH ? NULL : render_report_add;
	options->context = &job.report;
	manager_find();
	r = render_new(settings, options, &made, &problem);
	return r == 0 ? render(&job, made) : message_result(r, &problem, options->directory);
}

const struct command command_render = {
	.name = "render",
	.synopsis = "[-n] [-q] [-w] [--json] [--atomic] [--drift restore|keep] [--adopt] (-c "
		    "CONFIG | -l LAYER[:LAYER...]) DIRECTORY",
	.summary = "write the merged tree as ordinary files",
	.help = "Writes the merged tree into a directory as ordinary files, for machines without "
		"FUSE. A changed file is replaced by a rename, and others are not touched. Only "
		"files that plyfs has written itself are replaced or removed.\n"
		"\n" LAYER_CHOICE_HELP
		"  -w, --watch                     go on, and keep the tree up to date\n"
		"  -n, --dry-run                   print what would be written, changed and "
		"removed\n"
		"  -q, --quiet                     print no summary\n"
		"      --json                      print the result as one JSON object\n"
		"      --adopt                     take over files that have the right bytes "
		"already\n"
		"      --atomic                    show all changes at once, as in a volume of "
		"Kubernetes: DIRECTORY/..data leads to the present tree\n"
		"      --drift restore|keep        undo changes in the tree that plyfs did not "
		"make, or leave and report them; default: restore\n"
		"      --no-header                 write no comment that names the sources\n"
		"      --no-sandbox                run without the sandbox, for debugging\n"
		"      --no-landlock               run without that part of it\n"
		"      --no-seccomp                run without that part of it\n",
	.run = run,
};
