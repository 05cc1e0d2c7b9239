/*
 * plyfs explain: prints where each value of a merged file comes from, and what it has overridden.
 */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "cleanup.h"
#include "colour.h"
#include "command.h"
#include "explain_json.h"
#include "explain_text.h"
#include "explained_file.h"
#include "message.h"
#include "nearest_key.h"
#include "proposal.h"

/* Size of the output buffer, in bytes. */
#define BUFFER_SIZE (1u << 16)

/* The state of a command line. */
struct explain_job {
	struct layer_choice choice;
	bool is_json;
	const char *path;
	const char *asked; /* a KEY; NULL: the whole file */
	struct arena *arena;
	struct key key;
};

static void job_fini(struct explain_job *job)
{
	arena_free(job->arena);
}

static int read_key(const struct command *command, struct explain_job *job,
	const struct explanation *explanation)
{
	struct problem problem = {0};
	int r = arena_new(&job->arena);

	if (r == 0)
		r = explained_value_key(explanation, job->asked, job->arena, &job->key, &problem);
	if (r == PROBLEM && problem.column)
		return command_misuse(command, "%s", problem.message);
	if (r == PROBLEM)
		return message_result(r, &problem, NULL);
	return r == 0 ? EXIT_DONE : message_result(r, NULL, NULL);
}

/* Takes the arguments. Returns an exit code, or -1: continue. */
static int take_arguments(
	const struct command *command, int count, char **arguments, struct explain_job *job)
{
	if (count == 0)
		return command_misuse(command, "a path is missing");
	if (count > 2)
		return command_misuse(
			command, "'%s' is one too many; give a path and a KEY", arguments[2]);
	if (layer_choice_is_double(command, &job->choice))
		return EXIT_WRONG_USE;
	job->path = arguments[0];
	job->asked = count > 1 ? arguments[1] : NULL;
	return -1;
}

static int read_arguments(
	const struct command *command, int argc, char **argv, struct explain_job *job)
{
	const struct command_option options[] = {
		LAYER_CHOICE_OPTIONS(&job->choice),
		{0, "json", .flag = &job->is_json},
		{0, "color", .take = command_colour},
		{0},
	};

	int code = command_options(command, options, argc, argv);
	if (code >= 0)
		return code;
	return take_arguments(command, argc - optind, argv + optind, job);
}

static int print(const struct explain_job *job, const struct explanation *explanation,
	const struct explained *only)
{
	static char buffer[BUFFER_SIZE];

	setvbuf(stdout, buffer, _IOFBF, sizeof(buffer));
	int r = job->is_json ? explain_json(explanation, only, stdout)
			     : explain_text(explanation, only, job->asked,
				       colour_use(STDOUT_FILENO), stdout);
	/* The buffer and its contents are lost when we end. */
	if (r < 0)
		message_result(r, NULL, NULL);
	return r == 0 ? EXIT_DONE : EXIT_FAILED;
}

static int print_key(const struct command *command, struct explain_job *job,
	const struct explained_file *subject)
{
	const struct explanation *explanation = subject->explanation;
	CLEANUP(explained_value_fini) struct explained found = {0};
	struct problem problem;
	size_t depth = 0;

	if (explanation->stream.count == 0) {
		message_at(job->path,
			"is not read as values, so it has no '%s'; without a KEY, explain shows "
			"its sources",
			job->asked);
		return EXIT_FAILED;
	}
	int code = read_key(command, job, explanation);
	if (code != EXIT_DONE)
		return code;
	int r = explained_value_find(explanation, &job->key, &found, &depth, &problem);
	if (r == EXPLAINED_ABSENT) {
		nearest_key_report(job->path, &job->key, explanation, &found, depth);
		return EXIT_FAILED;
	}
	if (r < 0 || r == PROBLEM)
		return message_result(r, &problem, NULL);
	code = print(job, explanation, &found);
	if (code != EXIT_DONE || job->is_json || settings_environment_is_other(&job->choice.around))
		return code;
	const struct proposal proposal = {.choice = &job->choice,
		.path = job->path,
		.asked = job->asked,
		.is_document = job->key.start && !job->key.count,
		.subject = subject,
		.found = &found,
		.arena = job->arena};
	r = proposal_print(&proposal);
	return r == 0 ? EXIT_DONE : message_result(r, NULL, NULL);
}

static int run(const struct command *command, int argc, char **argv)
{
	CLEANUP(job_fini) struct explain_job job = {0};
	CLEANUP(explained_file_fini) struct explained_file subject = {0};

	int code = read_arguments(command, argc, argv, &job);
	if (code >= 0)
		return code;
	code = explained_file_open(command, &job.choice, job.path, &subject);
	if (code != EXIT_DONE)
		return code;
	return job.asked ? print_key(command, &job, &subject)
			 : print(&job, subject.explanation, NULL);
}

const struct command command_explain = {
	.name = "explain",
	.synopsis = "[--json] -c CONFIG PATH [KEY]\n"
		    "[--json] -l LAYER[:LAYER...] PATH [KEY]\n"
		    "[--json] PATH [KEY]",
	.summary = "show where each value comes from and what it overrode",
	.help = "Shows, for a merged file or the value at KEY in it, the file, line and column "
		"that each value comes from, and the values that it overrode. PATH is relative to "
		"the layers; with neither -c nor -l it is a path in a mount. KEY is like "
		"server.hosts[0], \"a.b\".c or hosts[name=web]; in a file of several documents, "
		"[0].port or [kind=Service,metadata.name=web].port.\n"
		"\n" LAYER_CHOICE_HELP "      --json                      as JSON, for programs\n"
		"      --color always|auto|never   auto: on a terminal, unless NO_COLOR is set\n",
	.run = run,
};
