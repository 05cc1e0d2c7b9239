/* plyfs merge: merges files, without a mount and without layers. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "cleanup.h"
#include "colour.h"
#include "command.h"
#include "descriptor.h"
#include "file_watch.h"
#include "merge_job.h"
#include "message.h"
#include "overseer.h"
#include "plyfs_mount.h"
#include "strategy.h"
#include "text.h"
#include "word.h"

static int choose_strategy(const struct command *command, void *context, const char *name)
{
	struct merge_job *job = context;
	struct span nearest;

	job->strategy = strategy_find(span_of(name));
	if (job->strategy)
		return EXIT_DONE;
	if (word_nearest(strategy_names(), span_of(name), &nearest))
		return command_misuse(command, "there is no strategy '%s' (did you mean '%.*s'?)",
			name, (int)nearest.len, nearest.data);
	return command_misuse(
		command, "there is no strategy '%s'; there are: %s", name, strategy_names());
}

static int choose_format(const struct command *command, void *context, const char *name)
{
	struct merge_job *job = context;

	job->to = format_find(span_of(name));
	if (job->to)
		return EXIT_DONE;
	return command_misuse(
		command, "there is no format '%s'; there are: %s", name, format_names());
}

static int complain_of_option(int result, const struct problem *problem)
{
	int code = message_result(result, problem, NULL);

	return result == PROBLEM ? EXIT_WRONG_USE : code;
}

static int set_option(const struct command *command, void *context, const char *argument)
{
	struct merge_job *job = context;
	struct problem problem;
	const char *equals = strchr(argument, '=');
	int r = merge_job_set(job, &job->set, "--set", argument, &problem);

	(void)command;
	/* The value may be a directory to look in: data_path, mergers_path. */
	if (r == 0)
		return equals ? plyfs_mount_await(equals + 1) : EXIT_DONE;
	return complain_of_option(r, &problem);
}

static int choose_yaml(const struct command *command, void *context, const char *argument)
{
	struct merge_job *job = context;

	if (strcmp(argument, "1.1") != 0 && strcmp(argument, "1.2") != 0)
		return command_misuse(command, "--yaml is 1.1 or 1.2, not '%s'", argument);
	job->yaml = argument[2] == '1' ? NODE_YAML_1_1 : NODE_YAML_1_2;
	return EXIT_DONE;
}

static int add_schema_ref(const struct command *command, void *context, const char *argument)
{
	struct merge_job *job = context;

	(void)command;
	if (plyfs_mount_await(argument) != EXIT_DONE)
		return EXIT_FAILED;
	const char **larger = reallocarray(
		job->schema_refs, job->schema_ref_count + 2, sizeof(*job->schema_refs));
	if (!larger)
		return complain_of_option(-ENOMEM, NULL);
	job->schema_refs = larger;
	job->schema_refs[job->schema_ref_count++] = argument;
	job->schema_refs[job->schema_ref_count] = NULL;
	return EXIT_DONE;
}

static int set_limit(const struct command *command, void *context, const char *argument)
{
	struct merge_job *job = context;
	struct problem problem;
	int r = merge_job_set(job, &job->limits_set, "--limit", argument, &problem);

	(void)command;
	if (r == 0)
		r = settings_options_read_limits(job->limits_set, &job->limits, &problem);
	return r == 0 ? EXIT_DONE : complain_of_option(r, &problem);
}

static int refuse_stdin(const struct command *command, char **files)
{
	for (; *files; files++)
		if (strcmp(input_file(*files), "-") == 0)
			return command_misuse(
				command, "standard input can't be watched; give a file");
	return -1;
}

/* Reads the arguments. Returns an exit code, or -1: continue. */
static int read_arguments(
	const struct command *command, int argc, char **argv, struct merge_job *job)
{
	bool is_watched = false, ends_with_nul = false;
	const struct command_option options[] = {
		{'s', "strategy", .take = choose_strategy, .context = job},
		{0, "set", .take = set_option, .context = job},
		{0, "to", .take = choose_format, .context = job},
		{0, "yaml", .take = choose_yaml, .context = job},
		{0, "schema", .path = &job->schema},
		{0, "schema-ref", .take = add_schema_ref, .context = job},
		{0, "validate-formats", .flag = &job->validates_formats},
		{0, "header", .flag = &job->has_header},
		{0, "limit", .take = set_limit, .context = job},
		{'w', "watch", .flag = &is_watched},
		{'0', "null", .flag = &ends_with_nul},
		{0},
	};

	int code = command_options(command, options, argc, argv);
	if (code >= 0)
		return code;
	if (optind == argc)
		return command_misuse(command, "a file is missing");
	/* Such a strategy copies whole files, and does not write a format. */
	if (job->to && !strategy_reads_trees(job->strategy) && job->strategy->is_verbatim)
		return command_misuse(command,
			"the strategy '%s' copies whole files; --to can't convert them",
			job->strategy->name);
	if (ends_with_nul && !is_watched)
		return command_misuse(
			command, "--null ends each of many results; it needs --watch");
	job->mode = ends_with_nul ? MERGE_WATCH_NUL : is_watched ? MERGE_WATCH : MERGE_ONCE;
	return is_watched ? refuse_stdin(command, argv + optind) : -1;
}

/* The output so far, on standard output and standard error. */
struct shown {
	char *text; /* the last result; NULL: there is none yet */
	size_t len;
	int result;             /* of the last merge */
	struct problem problem; /* with the result PROBLEM */
};

/* A signal arrived during a merge. */
static atomic_bool is_cancelled;

static void cancel(int signal)
{
	(void)signal;
	atomic_store(&is_cancelled, true);
}

static sigset_t signals_to_end(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	return set;
}

/*
 * Makes SIGINT and SIGTERM readable from a descriptor. They do nothing else, except during a merge.
 * Returns the descriptor or -errno.
 */
static int open_signals(void)
{
	const struct sigaction action = {.sa_handler = cancel};
	sigset_t set = signals_to_end();

	if (sigprocmask(SIG_BLOCK, &set, NULL) < 0 || sigaction(SIGINT, &action, NULL) < 0 ||
		sigaction(SIGTERM, &action, NULL) < 0)
		return -errno;
	int fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? -errno : fd;
}

/* Does command_print(), and ends the watch if the reader has closed the output. */
static int print_to_reader(const char *text, size_t len)
{
	int r = text_write(STDOUT_FILENO, text, len);

	if (r == -EPIPE)
		atomic_store(&is_cancelled, true);
	return r == 0 || r == -EPIPE ? EXIT_DONE
				     : message("can't write to standard output: %s", text_error(r));
}

/*
 * Writes the separator between two results, which makes a stream of documents if the format needs
 * one.
 */
static int write_separator(const struct merge_job *job, const struct shown *shown)
{
	bool has_newline = shown->len == 0 || shown->text[shown->len - 1] == '\n';
	char line[64], when[16];
	time_t now = time(NULL);
	struct tm local;

	if (isatty(STDOUT_FILENO)) {
		bool is_coloured = colour_use(STDOUT_FILENO);
		localtime_r(&now, &local);
		strftime(when, sizeof(when), "%H:%M:%S", &local);
		snprintf(line, sizeof(line), "%s%s--- # %s%s\n", has_newline ? "" : "\n",
			is_coloured ? COLOUR_DIM : "", when, is_coloured ? COLOUR_NORMAL : "");
	} else {
		const char *divider = merge_job_format(job)->divider;
		snprintf(line, sizeof(line), "%s%s", *divider && !has_newline ? "\n" : "", divider);
	}
	return print_to_reader(line, strlen(line));
}

static int show_result(const struct merge_job *job, struct shown *shown)
{
	struct span text = job->result->text;
	bool is_same = shown->text && shown->len == text.len &&
		       memcmp(shown->text, text.data, text.len) == 0;

	if (is_same && shown->result != 0)
		message("merges again, with the same result as before");
	shown->result = 0;
	if (is_same)
		return EXIT_DONE;
	bool ends_with_nul = job->mode == MERGE_WATCH_NUL;
	int code = shown->text && !ends_with_nul ? write_separator(job, shown) : EXIT_DONE;
	if (code == EXIT_DONE)
		code = print_to_reader(text.data, text.len + ends_with_nul);
	if (code != EXIT_DONE)
		return code;
	char *copy = span_dup(text);
	if (!copy)
		return merge_job_complain(job, -ENOMEM, NULL);
	free(shown->text);
	shown->text = copy;
	shown->len = text.len;
	return EXIT_DONE;
}

/* Reports a problem, but not twice in a row. */
static void show_problem(
	const struct merge_job *job, struct shown *shown, int result, const struct problem *problem)
{
	if (result == PROBLEM && shown->result == PROBLEM &&
		problem_equal(&shown->problem, problem))
		return;
	merge_job_complain(job, result, problem);
	shown->result = result;
	if (result == PROBLEM)
		shown->problem = *problem;
}

/* Watches the files, and the directories and files of the strategy's searches so far. */
static int watch_all(const struct merge_job *job, struct file_watch **ret)
{
	CLEANUP(file_watch_freep) struct file_watch *watch = NULL;

	int r = file_watch_new(&watch);
	for (char **file = job->files; r == 0 && *file; file++)
		r = file_watch_add(watch, input_file(*file));
	if (r == 0 && job->schema)
		r = file_watch_add(watch, job->schema);
	for (size_t i = 0; r == 0 && i < job->schema_ref_count; i++)
		r = file_watch_add(watch, job->schema_refs[i]);
	for (uint32_t i = 0; r == 0 && job->schemas && i < job->schemas->schema_count; i++)
		r = file_watch_add(watch, job->schemas->schemas[i]->path);
	if (r == 0)
		r = data_search_watch(&job->search, watch);
	if (r == 0)
		*ret = take_ptr(watch);
	return r;
}

static size_t count_schemas(const struct merge_job *job)
{
	return job->schemas ? job->schemas->schema_count : 0;
}

/* Watches before reading, so that no change is missed. Returns an exit code. */
static int merge_again(struct merge_job *job, struct shown *shown, struct file_watch **ret)
{
	const sigset_t signals = signals_to_end();
	struct problem problem;
	size_t searched, schemas;
	int r, result;

	do {
		file_watch_freep(ret);
		*ret = NULL;
		searched = data_search_count(&job->search);
		schemas = count_schemas(job);
		r = watch_all(job, ret);
		if (r < 0)
			return merge_job_complain(job, r, NULL);
		sigprocmask(SIG_UNBLOCK, &signals, NULL);
		result = merge_job_run(job, &problem);
		sigprocmask(SIG_BLOCK, &signals, NULL);
		/*
		 * If it has searched in directories, or read schemas, that were not watched, it
		 * must repeat the merge.
		 */
	} while (data_search_count(&job->search) > searched || count_schemas(job) > schemas);
	if (atomic_load(&is_cancelled))
		return EXIT_DONE;
	if (result == 0)
		return show_result(job, shown);
	show_problem(job, shown, result, &problem);
	return EXIT_DONE;
}

/*
 * Prints the result again whenever it changes, until SIGINT or SIGTERM, or until standard output
 * has no reader. If the merge fails, reports that and goes on. Returns an exit code.
 */
static int merge_watch(struct merge_job *job)
{
	CLEANUP(file_watch_freep) struct file_watch *watch = NULL;
	CLEANUP(closep) int signals = open_signals();
	struct shown shown = {0};
	int code;

	job->is_cancelled = &is_cancelled;
	signal(SIGPIPE, SIG_IGN);
	if (signals < 0)
		return merge_job_complain(job, signals, NULL);
	do
		code = merge_again(job, &shown, &watch);
	while (code == EXIT_DONE && !atomic_load(&is_cancelled) &&
		file_watch_wait(watch, (int[]){signals, STDOUT_FILENO}) == FILE_WATCH_CHANGED);
	free(shown.text);
	return code;
}

static int run(const struct command *command, int argc, char **argv)
{
	CLEANUP(merge_job_fini)
	struct merge_job job = {
		.strategy = strategy_find(span_of("deep")), .limits = LIMITS_DEFAULT};
	struct problem problem;

	int code = read_arguments(command, argc, argv, &job);
	if (code >= 0)
		return code;
	if (job.mode == MERGE_ONCE)
		overseer_begin();
	job.files = argv + optind;
	for (char **file = job.files; *file; file++)
		if (plyfs_mount_await(input_file(*file)) != EXIT_DONE)
			return EXIT_FAILED;
	int r = options_check(&(struct options){job.strategy, job.set}, &problem);
	if (r != 0)
		return complain_of_option(r, &problem);
	if (job.mode != MERGE_ONCE)
		return merge_watch(&job);
	r = merge_job_run(&job, &problem);
	return r == 0 ? command_print(job.result->text.data, job.result->text.len)
		      : merge_job_complain(&job, r, &problem);
}

/* Widths, in columns. */
#define OPTION_INDENT 4
#define TEXT_INDENT 8

static void print_wrapped(const char *text, size_t indent)
{
	command_print_words(text, strlen(text), indent, indent);
	putchar('\n');
}

static void print_option(const struct option_spec *spec)
{
	printf("%*s%s=", OPTION_INDENT, "", spec->name);
	if (spec->choices) {
		printf("%s", spec->choices);
	} else {
		printf("%s", spec->type == OPTION_BOOL   ? "true|false"
			     : spec->type == OPTION_TEXT ? "TEXT"
							 : "VALUE");
	}
	if (*spec->fallback)
		printf("  (default: %s)", spec->fallback);
	printf("\n%*s", TEXT_INDENT, "");
	print_wrapped(spec->summary, TEXT_INDENT);
}

static void print_formats(void)
{
	printf("\nFormats (--to), most of them known by the names of files:\n\n");
	for (const struct format *const *at = format_all(); *at; at++) {
		printf("  %-12s ", (*at)->name);
		print_wrapped((*at)->summary, 15);
	}
}

/* Prints the strategies and their options from the table, so that the help is always right. */
static void print_tables(void)
{
	print_formats();
	printf("\n"
	       "Strategies (-s), and the options of each (--set):\n");
	for (const struct strategy *const *at = strategy_all(); *at; at++) {
		printf("\n  %-10s ", (*at)->name);
		print_wrapped((*at)->summary, 13);
		for (const struct option_spec *spec = (*at)->options; spec && spec->name; spec++)
			print_option(spec);
	}
}

const struct command command_merge = {
	.name = "merge",
	.synopsis = "[-s STRATEGY] [--set OPT=VALUE]... [--to FORMAT] [--header]\n"
		    "[--yaml VERSION] [--schema FILE] [--schema-ref FILE]... [--validate-formats] "
		    "[--limit NAME=VALUE]... [NAME=]FILE...\n"
		    "--watch [--null] [OPTION...] [NAME=]FILE...",
	.summary = "merge files, without a mount",
	.help = "Merges the files, the lowest precedence first, and writes the result to standard "
		"output. A FILE of '-' is standard input. NAME is the file's name for the "
		"strategies; by default, it is the file name without its suffix.\n"
		"\n"
		"  -s, --strategy STRATEGY  how to merge; default: deep\n"
		"      --set OPT=VALUE      an option of the strategy; VALUE is YAML\n"
		"      --to FORMAT          the format to write; default: that of the files' "
		"names, else YAML. If it is a dialect of INI, files that may be INI are read in "
		"it\n"
		"      --yaml VERSION       1.1 (default): yes is true; 1.2: yes is a text; a line "
		"%YAML in a file overrides it\n"
		"      --header             begin with a comment that names the files, if the "
		"format has comments\n"
		"      --schema FILE        validate the result by this JSON Schema; if it is not "
		"valid, up to a hundred errors are reported, and nothing is written\n"
		"      --schema-ref FILE    add a schema to which that of --schema refers by its "
		"$id or path\n"
		"      --validate-formats   check the formats that the schema demands, too\n"
		"      --limit NAME=VALUE   set source, result, depth, nodes or time, as in "
		"plyfs.yaml, such as source=64M\n"
		"  -w, --watch              go on, and print the result again when it changes\n"
		"  -0, --null               with --watch: end each result with a NUL byte, with "
		"no line between two\n",
	.print_more = print_tables,
	.run = run,
};
