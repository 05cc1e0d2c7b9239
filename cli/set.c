/*
 * plyfs set and plyfs unset: change a value of a merged file where it belongs.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "amendment_report.h"
#include "assignment.h"
#include "cleanup.h"
#include "command.h"
#include "message.h"
#include "subject.h"

/* What the command line asks for. */
struct job {
	struct choice choice;
	const char *layer;
	bool is_dry;
	const char *path;
	struct assignments assignments;
};

static void job_fini(struct job *job)
{
	assignments_fini(&job->assignments);
}

static int add(const struct command *command, struct job *job, const char *key, const char *value)
{
	struct problem problem;
	int r = assignments_add(&job->assignments, key, value, &problem);

	if (r == PROBLEM && problem.source[0] == '\0')
		return command_misuse(command, "%s", problem.message);
	return r == 0 ? -1 : message_result(r, &problem, NULL);
}

/* KEY=VALUE, with the "=" taken out of the argument. */
static int add_pair(const struct command *command, struct job *job, char *argument)
{
	char *equals = (char *)assignment_equals(argument);

	if (!equals || equals == argument)
		return command_misuse(command,
			"'%s' is not KEY=VALUE; give one KEY and its VALUE, or several KEY=VALUE",
			argument);
	*equals = '\0';
	return add(command, job, argument, equals + 1);
}

/* Return an exit code, or -1: go on. */
static int take_values(const struct command *command, int count, char **arguments, struct job *job)
{
	int code = -1;

	if (count == 0)
		return command_misuse(command, "a KEY and a VALUE are missing");
	if (count == 2 && !assignment_equals(arguments[0]))
		return add(command, job, arguments[0], arguments[1]);
	if (count == 1 && !assignment_equals(arguments[0]))
		return command_misuse(command, "the VALUE of '%s' is missing", arguments[0]);
	for (int i = 0; code < 0 && i < count; i++)
		code = add_pair(command, job, arguments[i]);
	return code;
}

static int take_keys(const struct command *command, int count, char **arguments, struct job *job)
{
	int code = -1;

	if (count == 0)
		return command_misuse(command, "a KEY is missing");
	for (int i = 0; code < 0 && i < count; i++)
		code = add(command, job, arguments[i], NULL);
	return code;
}

static int read_arguments(const struct command *command, int argc, char **argv, struct job *job)
{
	const struct command_option options[] = {
		CHOICE_OPTIONS(&job->choice),
		{'L', "layer", .text = &job->layer},
		{'n', "dry-run", .flag = &job->is_dry},
		{0, "color", .take = command_colour},
		{0},
	};

	int code = command_options(command, options, argc, argv);
	if (code >= 0)
		return code;
	if (optind == argc)
		return command_misuse(command, "a path is missing");
	if (choice_is_double(command, &job->choice))
		return EXIT_WRONG_USE;
	job->path = argv[optind];
	argv += optind + 1;
	argc -= optind + 1;
	return command == &command_set ? take_values(command, argc, argv, job)
				       : take_keys(command, argc, argv, job);
}

static int report(const struct job *job, const struct amendment *amendment)
{
	int r = job->is_dry && amendment->is_changed ? amendment_report_diff(amendment)
						     : amendment_report(amendment);

	return r == 0 ? EXIT_DONE : message_result(r, NULL, NULL);
}

static int run(const struct command *command, int argc, char **argv)
{
	CLEANUP(job_fini) struct job job = {0};
	CLEANUP(subject_fini) struct subject subject = {0};
	CLEANUP(amendment_freep) struct amendment *amendment = NULL;
	CLEANUP(freep) char *inner = NULL;
	struct problem problem = {0};

	int code = read_arguments(command, argc, argv, &job);
	if (code >= 0)
		return code;
	code = subject_find_or_make(command, &job.choice, job.path, &subject, &inner);
	if (code != EXIT_DONE)
		return code;
	if (!*inner)
		return choice_complain(NULL, job.path, -EISDIR, NULL);
	const struct amendment_request request = {
		.path = inner,
		.layer = job.layer,
		.is_dry = job.is_dry,
		.plan = assignments_plan,
		.context = &job.assignments,
	};
	int r = amendment_make(subject.offline, &request, &amendment, &problem);
	if (r != 0)
		return choice_complain(subject.settings, job.path, r, &problem);
	return report(&job, amendment);
}

const struct command command_set = {
	.name = "set",
	.synopsis = "[-L LAYER] [-n] (-c CONFIG | -l LAYERS) PATH KEY VALUE\n"
		    "[-L LAYER] [-n] (-c CONFIG | -l LAYERS) PATH KEY=VALUE...\n"
		    "[-L LAYER] [-n] PATH KEY=VALUE...",
	.summary = "change values of a merged file where they belong",
	.help = "Changes a value of a merged file: one source of one layer gets the least change\n"
		"with which the merge gives that value; comments and formatting stay. All is\n"
		"merged again before anything is written: what can't be had is refused, and the\n"
		"message says what stands in the way. PATH is relative to the layers. With "
		"neither\n"
		"-c nor -l it is a path in a mount. KEY is like server.port, hosts[0], hosts[+]\n"
		"(one more item) or hosts[name=web].port; VALUE is YAML.\n"
		"\n" AMENDMENT_OPTIONS_HELP,
	.run = run,
};

const struct command command_unset = {
	.name = "unset",
	.synopsis =
		"[-L LAYER] [-n] (-c CONFIG | -l LAYERS) PATH KEY...\n[-L LAYER] [-n] PATH KEY...",
	.summary = "remove values from a merged file",
	.help = "Removes a value from a merged file: it is taken out of the layer's source, or, "
		"if\n"
		"a lower layer brings it, a directive such as !delete is put there. PATH is\n"
		"relative to the layers. With neither -c nor -l it is a path in a mount.\n"
		"\n" AMENDMENT_OPTIONS_HELP,
	.run = run,
};
