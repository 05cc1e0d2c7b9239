#include "edited_file.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "command.h"
#include "message.h"

/* Attempts: a mirror may replace its directory during an edit. */
#define TRIES 10

int edited_file_read(
	const struct command *command, int argc, char **argv, struct edited_file *edited)
{
	struct gateway_options *gateway = &edited->access.gateway;
	const struct command_option none = {0};
	const struct command_option *more = edited->more;
	bool is_dry = false;
	const struct command_option options[] = {
		LAYER_CHOICE_OPTIONS(&edited->choice),
		{'L', "layer", .take = command_once, .context = &edited->layer},
		{'n', "dry-run", .flag = &is_dry},
		{0, "endpoints", .text = &gateway->endpoints},
		{0, "prefix", .text = &edited->access.prefix},
		{0, "cacert", .path = &gateway->ca},
		{0, "cert", .path = &gateway->cert},
		{0, "key", .path = &gateway->key},
		{0, "user-file", .path = &gateway->user_file},
		{0, "color", .take = command_colour},
		{0, "json"},
		more ? more[0] : none,
		more ? more[1] : none,
		{0},
	};

	int code = command_options(command, options, argc, argv);
	if (code >= 0)
		return code;
	if (optind == argc)
		return command_misuse(command, "a path is missing");
	if (layer_choice_is_double(command, &edited->choice))
		return EXIT_WRONG_USE;
	edited->path = argv[optind++];
	edited->output.path = edited->path;
	edited->output.mode = is_dry ? LAYER_EDIT_DRY : LAYER_EDIT_WRITES;
	return -1;
}

int edited_file_assign(const struct command *command, struct assignments *assignments,
	const char *key, const char *value)
{
	struct problem problem;
	int r = assignments_add(assignments, key, value, &problem);

	if (r == PROBLEM && problem.source[0] == '\0')
		return command_misuse(command, "%s", problem.message);
	return r == 0 ? -1 : message_result(r, &problem, NULL);
}

int edited_file_find(const struct command *command, struct edited_file *edited)
{
	int code = explained_file_find(command, &edited->choice, edited->path, edited->kind,
		&edited->subject, &edited->inner);

	if (code == EXIT_DONE && !*edited->inner)
		code = layer_choice_complain(NULL, edited->path, -EISDIR, NULL);
	return code;
}

/* Returns the number of changes that the command has made. */
static size_t changes_made(const struct edited_file *edited)
{
	return edited->output.mode == LAYER_EDIT_WRITES ? edited->output.count : 0;
}

/*
 * Fills the request. From the second attempt on it opens the layers again, as a directory was
 * replaced. Returns 0, EDITED_FILE_LOST, or PROBLEM after the last attempt.
 */
static int prepare(const struct command *command, struct edited_file *edited, int try,
	struct layer_edit_request *request, struct problem *problem)
{
	if (try == TRIES)
		return problem_set(problem, edited->path, 0, 0,
			"keeps changing, as its layers are replaced, while plyfs tries to change "
			"it; try again");
	if (try) {
		edited_file_fini(edited);
		edited->inner = NULL;
		edited->subject = (struct explained_file){0};
		if (edited_file_find(command, edited) != EXIT_DONE)
			return EDITED_FILE_LOST;
	}
	request->path = edited->inner;
	request->layer = edited->layer;
	if (edited->output.mode != LAYER_EDIT_WRITES)
		request->mode = edited->output.mode;
	request->made = changes_made(edited);
	request->access = &edited->access;
	return 0;
}

int edited_file_change(const struct command *command, struct edited_file *edited,
	struct layer_edit_request *request, struct layer_edit **ret, struct problem *problem)
{
	int r = -ESTALE;

	for (int try = 0; r == -ESTALE; try++) {
		r = prepare(command, edited, try, request, problem);
		if (r == 0)
			r = layer_edit_make(edited->subject.offline, request, ret, problem);
	}
	return r;
}

int edited_file_complain(
	const struct edited_file *edited, int result, const struct problem *problem)
{
	size_t count = changes_made(edited);

	if (result != EDITED_FILE_LOST)
		layer_choice_complain_in(
			edited->subject.settings, edited->path, edited->inner, result, problem);
	if (count)
		message_at(edited->path,
			"the command has stopped half way: %zu change%s made already, and "
			"the rest is as it was; mend the cause, and run it again",
			count, count == 1 ? " is" : "s are");
	return EXIT_FAILED;
}

static int report(void *context, const struct layer_edit *change)
{
	return layer_edit_report(context, change);
}

int edited_file_change_presence(const struct command *command, struct edited_file *edited,
	int (*change)(const struct offline *offline, const struct layer_edit_request *request,
		presence_report *report, void *context, struct problem *problem))
{
	struct layer_edit_request request = {0};
	struct problem problem = {0};
	int r = -ESTALE;

	for (int try = 0; r == -ESTALE; try++) {
		r = prepare(command, edited, try, &request, &problem);
		if (r == 0)
			r = change(edited->subject.offline, &request, report, &edited->output,
				&problem);
	}
	layer_edit_report_end(&edited->output, r == 0 ? LAYER_EDIT_NOTHING : NULL);
	return r == 0 ? EXIT_DONE : edited_file_complain(edited, r, &problem);
}

void edited_file_fini(struct edited_file *edited)
{
	free(edited->inner);
	explained_file_fini(&edited->subject);
}
