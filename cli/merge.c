/*
 * plyfs merge: these files, merged. No mount, no layers.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <unistd.h>

#include "cleanup.h"
#include "command.h"
#include "input.h"
#include "message.h"
#include "search.h"
#include "set_option.h"
#include "strategies.h"
#include "strategy.h"
#include "text.h"
#include "word.h"

/* What the command line asks for. */
struct job {
	const struct strategy *strategy;
	struct set_options set;
	const char *to; /* "yaml" or "json"; NULL: as the files are */
	struct inputs inputs;
	struct search search;
};

static void job_fini(struct job *job)
{
	search_fini(&job->search);
	inputs_fini(&job->inputs);
	set_options_fini(&job->set);
}

static int choose_strategy(const struct command *command, struct job *job, const char *name)
{
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

static int choose_format(const struct command *command, struct job *job, const char *name)
{
	if (strcmp(name, "yaml") != 0 && strcmp(name, "json") != 0)
		return command_misuse(
			command, "the format '%s' can't be written; --to is yaml or json", name);
	job->to = name;
	return EXIT_DONE;
}

static int set_option(struct job *job, const char *argument)
{
	struct problem problem;
	int r = set_options_add(&job->set, argument, &problem);

	if (r == 0)
		return EXIT_DONE;
	message_result(r, &problem, NULL);
	return r == PROBLEM ? EXIT_WRONG_USE : EXIT_FAILED;
}

/* Returns an exit code, or -1: go on. */
static int read_arguments(const struct command *command, int argc, char **argv, struct job *job)
{
	static const struct option options[] = {
		{"help", no_argument, NULL, 'h'},
		{"strategy", required_argument, NULL, 's'},
		{"set", required_argument, NULL, 'S'},
		{"to", required_argument, NULL, 't'},
		{0},
	};
	int code = EXIT_DONE, letter;

	while (code == EXIT_DONE &&
		(letter = getopt_long(argc, argv, ":hs:", options, NULL)) != -1) {
		switch (letter) {
		case 'h':
			return command_help(command);
		case 's':
			code = choose_strategy(command, job, optarg);
			break;
		case 'S':
			code = set_option(job, optarg);
			break;
		case 't':
			code = choose_format(command, job, optarg);
			break;
		default:
			code = command_bad_option(command, letter, argv);
		}
	}
	if (code != EXIT_DONE)
		return code;
	if (optind == argc)
		return command_misuse(command, "a file is missing");
	/* Whole files are copied as they are, not written. */
	if (job->to && !job->strategy->reads_trees && job->strategy->is_verbatim)
		return command_misuse(command,
			"the strategy '%s' copies whole files; --to can't change what they are",
			job->strategy->name);
	return -1;
}

static enum format output_format(const struct job *job)
{
	if (job->to)
		return strcmp(job->to, "json") == 0 ? FORMAT_JSON : FORMAT_YAML;
	for (size_t i = 0; i < job->inputs.count; i++)
		if (job->inputs.data[i].format != FORMAT_JSON)
			return FORMAT_YAML;
	return FORMAT_JSON;
}

static int complain(const struct job *job, int result, const struct problem *problem)
{
	message_result(result, problem, NULL);
	if (result != PROBLEM)
		return EXIT_FAILED;

	struct span text = inputs_text(&job->inputs, problem->source);
	if (!text.data)
		text = search_text(&job->search, problem->source);
	message_excerpt(problem, text);
	return EXIT_FAILED;
}

static int check_options(const struct options *options)
{
	struct problem problem;
	int r = options_check(options, &problem);

	if (r == 0)
		return EXIT_DONE;
	message_result(r, &problem, NULL);
	return r == PROBLEM ? EXIT_WRONG_USE : EXIT_FAILED;
}

static int merge_files(struct job *job, const struct options *options)
{
	const struct merge_environment environment = {.find = search_find, .context = &job->search};
	const struct merge_request request = {
		.options = options,
		.inputs = job->inputs.data,
		.count = job->inputs.count,
		.to = output_format(job),
		.environment = &environment,
	};
	CLEANUP(merge_result_freep) struct merge_result *result = NULL;
	struct problem problem;

	job->search.request = &request;
	int r = merge_run(&request, &result, &problem);
	if (r != 0)
		return complain(job, r, &problem);
	r = text_write(STDOUT_FILENO, result->text.data, result->text.len);
	if (r < 0) {
		message("can't write to standard output: %s", strerror(-r));
		return EXIT_FAILED;
	}
	return EXIT_DONE;
}

static int run(const struct command *command, int argc, char **argv)
{
	CLEANUP(job_fini) struct job job = {.strategy = strategy_find(span_of("deep"))};
	struct problem problem;

	int code = read_arguments(command, argc, argv, &job);
	if (code >= 0)
		return code;
	const struct options options = {job.strategy, job.set.map};
	code = check_options(&options);
	if (code != EXIT_DONE)
		return code;
	for (int i = optind; i < argc; i++) {
		int r = inputs_add(&job.inputs, argv[i], &problem);
		if (r != 0)
			return complain(&job, r, &problem);
	}
	return merge_files(&job, &options);
}

const struct command command_merge = {
	.name = "merge",
	.synopsis = "[-s STRATEGY] [--set OPT=VALUE]... [--to yaml|json] [NAME=]FILE...",
	.summary = "merge files, without a mount",
	.help = "Merges the files, the lowest precedence first, and writes the result to standard\n"
		"output. '-' is standard input. NAME is what the strategies call the file; "
		"without\n"
		"it, that is its name without the ending.\n"
		"\n"
		"  -s, --strategy STRATEGY  how to merge; default: deep\n"
		"      --set OPT=VALUE      an option of the strategy; VALUE is YAML\n"
		"      --to yaml|json       what to write; default: JSON when all files are "
		"*.json\n",
	.print_more = strategies_print,
	.run = run,
};
