#include "edited_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "command.h"

/* Attempts: a mirror may replace its directory during an edit. */
#define TRIES 10

int edited_file_read(
	const struct command *command, int argc, char **argv, struct edited_file *amendable)
{
	struct gateway_options *gateway = &amendable->access.gateway;
	const struct command_option none = {0};
	const struct command_option json = {0, "json", .flag = &amendable->output.is_json};
	const struct command_option *more = amendable->more;
	const struct command_option options[] = {
		LAYER_CHOICE_OPTIONS(&amendable->choice),
		{'L', "layer", .text = &amendable->layer},
		{'n', "dry-run", .flag = &amendable->output.is_dry},
		{0, "endpoints", .text = &gateway->endpoints},
		{0, "prefix", .text = &amendable->access.prefix},
		{0, "cacert", .text = &gateway->ca, .is_path = true},
		{0, "cert", .text = &gateway->cert, .is_path = true},
		{0, "key", .text = &gateway->key, .is_path = true},
		{0, "user-file", .text = &gateway->user_file, .is_path = true},
		{0, "color", .take = command_colour},
		/* `plyfs edit` is interactive, and has no --json. */
		command == &command_edit ? none : json,
		more ? more[0] : none,
		more ? more[1] : none,
		{0},
	};

	int code = command_options(command, options, argc, argv);
	if (code >= 0)
		return code;
	if (optind == argc)
		return command_misuse(command, "a path is missing");
	if (layer_choice_is_double(command, &amendable->choice))
		return EXIT_WRONG_USE;
	amendable->path = argv[optind++];
	amendable->output.path = amendable->path;
	return -1;
}

int edited_file_find(const struct command *command, struct edited_file *amendable)
{
	int code = explained_file_find(command, &amendable->choice, amendable->path, true,
		&amendable->subject, &amendable->inner);

	if (code == EXIT_DONE && !*amendable->inner)
		code = layer_choice_complain(NULL, amendable->path, -EISDIR, NULL);
	return code;
}

static void forget(struct edited_file *amendable)
{
	free(amendable->inner);
	amendable->inner = NULL;
	explained_file_fini(&amendable->subject);
	amendable->subject = (struct explained_file){0};
}

/*
 * Fills the request. From the second attempt on it opens the layers again, as a directory was
 * replaced. Returns 0, or -ESTALE if that fails.
 */
static int prepare(const struct command *command, struct edited_file *amendable, int try,
	struct amendment_request *request)
{
	if (try) {
		forget(amendable);
		if (edited_file_find(command, amendable) != EXIT_DONE)
			return -ESTALE;
	}
	request->path = amendable->inner;
	request->layer = amendable->layer;
	request->is_dry = amendable->output.is_dry;
	request->access = &amendable->access;
	return 0;
}

int edited_file_amend(const struct command *command, struct edited_file *amendable,
	struct amendment_request *request, struct amendment **ret, struct problem *problem)
{
	int r = -ESTALE;

	for (int try = 0; r == -ESTALE && try < TRIES; try++) {
		if (prepare(command, amendable, try, request) < 0)
			return -ESTALE;
		r = amendment_make(amendable->subject.offline, request, ret, problem);
	}
	return r;
}

static int report(void *context, const struct amendment *change)
{
	return amendment_report(context, change);
}

int edited_file_change_presence(const struct command *command, struct edited_file *amendable,
	int (*change)(const struct offline *offline, const struct amendment_request *request,
		presence_report *report, void *context, struct problem *problem))
{
	struct amendment_request request = {0};
	struct problem problem = {0};
	int r = -ESTALE;

	for (int try = 0; r == -ESTALE && try < TRIES; try++) {
		if (prepare(command, amendable, try, &request) < 0)
			return EXIT_FAILED;
		r = change(
			amendable->subject.offline, &request, report, &amendable->output, &problem);
	}
	amendment_report_end(&amendable->output, r == 0 ? AMENDMENT_NOTHING : NULL);
	if (r != 0)
		return layer_choice_complain_in(amendable->subject.settings, amendable->path,
			amendable->inner, r, &problem);
	return EXIT_DONE;
}

void edited_file_fini(struct edited_file *amendable)
{
	free(amendable->inner);
	explained_file_fini(&amendable->subject);
}
