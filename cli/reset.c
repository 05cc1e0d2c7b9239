/* plyfs reset and plyfs hide: take a layer's changes of a file back, or hide the file. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "amendment_report.h"
#include "assignment.h"
#include "cleanup.h"
#include "command.h"
#include "edited_file.h"
#include "message.h"

/* The result over all sources of the layer. */
struct outcome {
	bool has_source; /* a source, or the merged file, has the KEYs */
	struct problem absent;
};

/*
 * Resets the KEYs in one source. Returns 0 with *before for the next source, or as
 * edited_file_amend().
 */
static int reset_in_one(const struct command *command, struct edited_file *edited,
	struct assignments *assignments, size_t *before, struct outcome *outcome,
	struct problem *problem)
{
	CLEANUP(amendment_freep) struct amendment *amendment = NULL;
	struct amendment_request request = {.plan = assignments_plan,
		.context = assignments,
		.resets = true,
		.before = *before};
	int r = edited_file_amend(command, edited, &request, &amendment, problem);

	if (r != 0)
		return r;
	*before = amendment->source;
	if (amendment->is_absent)
		outcome->absent = *problem;
	outcome->has_source |= amendment->file && !amendment->is_absent;
	return amendment_report(&edited->output, amendment);
}

static int reset_keys(
	const struct command *command, struct edited_file *edited, struct assignments *assignments)
{
	struct outcome outcome = {0};
	struct problem problem = {0};
	size_t before = SIZE_MAX;
	int r = 0;

	do {
		r = reset_in_one(command, edited, assignments, &before, &outcome, &problem);
	} while (r == 0 && before > 0);
	if (r == 0 && !outcome.has_source && outcome.absent.message[0]) {
		problem = outcome.absent;
		r = PROBLEM;
	}
	amendment_report_end(&edited->output,
		r == 0 ? "nothing changes: the layer has no such file or value" : NULL);
	return r == 0 ? EXIT_DONE
		      : layer_choice_complain_in(
				edited->subject.settings, edited->path, edited->inner, r, &problem);
}

static int take_keys(
	const struct command *command, int count, char **keys, struct assignments *assignments)
{
	struct problem problem;
	int r = 0;

	for (int i = 0; r == 0 && i < count; i++)
		r = assignments_add(assignments, keys[i], NULL, &problem);
	if (r == PROBLEM && problem.source[0] == '\0')
		return command_misuse(command, "%s", problem.message);
	return r == 0 ? -1 : message_result(r, &problem, NULL);
}

static int run_reset(const struct command *command, int argc, char **argv)
{
	CLEANUP(edited_file_fini) struct edited_file edited = {0};
	CLEANUP(assignments_fini) struct assignments assignments = {0};

	int code = edited_file_read(command, argc, argv, &edited);
	if (code < 0)
		code = take_keys(command, argc - optind, argv + optind, &assignments);
	if (code >= 0)
		return code;
	code = edited_file_find(command, &edited);
	if (code != EXIT_DONE)
		return code;
	return assignments.count ? reset_keys(command, &edited, &assignments)
				 : edited_file_change_presence(command, &edited, presence_reset);
}

static int run_hide(const struct command *command, int argc, char **argv)
{
	CLEANUP(edited_file_fini) struct edited_file edited = {0};

	int code = edited_file_read(command, argc, argv, &edited);
	if (code < 0 && optind < argc)
		code = command_misuse(command,
			"'%s' is one too many; hide one file; 'plyfs unset' removes values",
			argv[optind]);
	if (code >= 0)
		return code;
	code = edited_file_find(command, &edited);
	return code == EXIT_DONE ? edited_file_change_presence(command, &edited, presence_hide)
				 : code;
}

const struct command command_reset = {
	.name = "reset",
	.synopsis = "[-L LAYER] [-n] [--json] (-c CONFIG | -l LAYERS) PATH [KEY...]\n"
		    "[-L LAYER] [-n] [--json] PATH [KEY...]",
	.summary = "remove a layer's file or values, so that lower layers show",
	.help = "Removes a layer's value, or the directive that hides lower layers' values, so "
		"that these show again. A source that becomes empty is removed. Without a KEY, "
		"everything that the layer has of PATH is removed: the source, its drop-ins, a "
		"whiteout. PATH is relative to the layers; with neither -c nor -l it is a path in "
		"a mount. KEY is as for plyfs explain.\n"
		"\n" EDITED_FILE_HELP,
	.run = run_reset,
};

const struct command command_hide = {
	.name = "hide",
	.synopsis = "[-L LAYER] [-n] [--json] (-c CONFIG | -l LAYERS) PATH\n[-L LAYER] [-n] "
		    "[--json] PATH",
	.summary = "hide a file or directory of lower layers",
	.help = "Puts a whiteout (.wh.NAME) in a layer, which hides the file or directory PATH of "
		"lower layers. 'plyfs reset PATH' removes the whiteout. PATH is relative to the "
		"layers; with neither -c nor -l it is a path in a mount.\n"
		"\n" EDITED_FILE_HELP,
	.run = run_hide,
};
