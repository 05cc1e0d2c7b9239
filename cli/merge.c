/* plyfs merge: merges files, without a mount and without layers. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "command.h"
#include "merge_job.h"
#include "message.h"
#include "overseer.h"
#include "plyfs_mount.h"
#include "strategy.h"
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

/* Reads the arguments. Returns an exit code, or -1: continue. */
static int read_arguments(
	const struct command *command, int argc, char **argv, struct merge_job *job)
{
	bool is_watched = false;
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
		/* Former options. */
		{'w', "watch", .flag = &is_watched},
		{'0', "null", .flag = &is_watched},
		{0},
	};

	int code = command_options(command, options, argc, argv);
	if (code >= 0)
		return code;
	if (is_watched)
		return command_misuse(command,
			"--watch was removed; 'plyfs render --watch' keeps merged files up to "
			"date, and so does a mount");
	if (optind == argc)
		return command_misuse(command, "a file is missing");
	/* Such a strategy copies whole files, and does not write a format. */
	if (job->to && !strategy_reads_trees(job->strategy) && job->strategy->is_verbatim)
		return command_misuse(command,
			"the strategy '%s' copies whole files; --to can't convert them",
			job->strategy->name);
	return -1;
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
	overseer_begin();
	job.files = argv + optind;
	for (char **file = job.files; *file; file++)
		if (plyfs_mount_await(input_file(*file)) != EXIT_DONE)
			return EXIT_FAILED;
	int r = options_check(&(struct options){job.strategy, job.set}, &problem);
	if (r != 0)
		return complain_of_option(r, &problem);
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
		    "[--limit NAME=VALUE]... [NAME=]FILE...",
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
		"plyfs.yaml, such as source=64M\n",
	.print_more = print_tables,
	.run = run,
};
