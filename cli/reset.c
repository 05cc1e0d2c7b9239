/* plyfs reset and plyfs hide: take a layer's changes of a file back, or hide the file. */
#include <ctype.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "command.h"
#include "edited_file.h"
#include "layer_edit_report.h"
#include "message.h"

struct reset {
	const struct command *command;
	struct edited_file *edited;
	struct layer_edit_output *output; /* NULL: a trial; nothing is written or reported */
	size_t found; /* number of sources that have the KEYs, or whose merge has them */
	struct problem absent;
};

/* Resets the KEYs in one source. Returns 0 with *below for the next source, or as
 * edited_file_change(). */
static int reset_in_one(struct reset *reset, struct assignments *assignments, size_t *below,
	struct problem *problem)
{
	CLEANUP(layer_edit_freep) struct layer_edit *edit = NULL;
	struct layer_edit_request request = {.plan = assignments_plan,
		.context = assignments,
		.resets_below = *below,
		.mode = reset->output ? LAYER_EDIT_WRITES : LAYER_EDIT_DRY};
	int r = edited_file_change(reset->command, reset->edited, &request, &edit, problem);

	if (r != 0)
		return r;
	*below = edit->source;
	if (edit->effect == PUT_ABSENT)
		reset->absent = *problem;
	reset->found += edit->file && edit->effect != PUT_ABSENT;
	return reset->output ? layer_edit_report(reset->output, edit) : 0;
}

/*
 * Returns 0; PROBLEM, with reset->absent if neither a source nor the merged file has the KEYs; or
 * as edited_file_change().
 */
static int reset_in_all(
	struct reset *reset, struct assignments *assignments, struct problem *problem)
{
	size_t below = SIZE_MAX;
	int r = 0;

	reset->found = 0;
	reset->absent.message[0] = '\0';
	do {
		r = reset_in_one(reset, assignments, &below, problem);
	} while (r == 0 && below > 0);
	if (r == 0 && !reset->found && reset->absent.message[0]) {
		*problem = reset->absent;
		r = PROBLEM;
	}
	return r;
}

/* Returns whether the removal of one item may change the index of another. */
static bool have_items(const struct assignments *assignments)
{
	size_t count = 0;

	for (size_t i = 0; i < assignments->count; i++) {
		const char *at = assignments->items[i].text;

		while ((at = strchr(at, '[')) && !isdigit((unsigned char)*++at))
			;
		count += at != NULL;
	}
	return count > 1;
}

/*
 * Resets one KEY after the other. Together they are looked for in one tree, but a KEY whose value
 * the layer removes is in the layer alone, and one that the layer lacks is in the merged file
 * alone.
 */
static int reset_each(struct reset *reset, struct assignments *assignments, struct problem *problem)
{
	int r = 0;

	for (int is_made = 0; r == 0 && is_made < 2; is_made++) {
		reset->output = is_made ? &reset->edited->output : NULL;
		for (size_t i = 0; r == 0 && i < assignments->count; i++) {
			struct assignments one = *assignments;

			one.items += i;
			one.count = 1;
			r = reset_in_all(reset, &one, problem);
		}
	}
	return r;
}

static int reset_keys(
	const struct command *command, struct edited_file *edited, struct assignments *assignments)
{
	struct reset reset = {.command = command, .edited = edited, .output = &edited->output};
	struct problem problem = {0};

	edited->output.resets = true;
	int r = reset_in_all(&reset, assignments, &problem);

	bool is_nothing_found = r == PROBLEM ? reset.absent.message[0] : r == 0 && !reset.found;
	if (is_nothing_found && assignments->count > 1 && !have_items(assignments))
		r = reset_each(&reset, assignments, &problem);
	layer_edit_report_end(&edited->output,
		r == 0 ? "nothing changes: the layer has no such file or value" : NULL);
	return r == 0 ? EXIT_DONE : edited_file_complain(edited, r, &problem);
}

static int run_reset(const struct command *command, int argc, char **argv)
{
	CLEANUP(edited_file_fini) struct edited_file edited = {.kind = PREFIXED_PATH_NEW};
	CLEANUP(assignments_fini) struct assignments assignments = {0};

	int code = edited_file_read(command, argc, argv, &edited);
	for (; code < 0 && optind < argc; optind++)
		code = edited_file_assign(command, &assignments, argv[optind], NULL);
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
	CLEANUP(edited_file_fini) struct edited_file edited = {.kind = PREFIXED_PATH_NEW};

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
	.help = "Removes a layer's value, or the tag that hides lower layers' values, so "
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
