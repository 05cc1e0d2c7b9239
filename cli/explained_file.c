#include "explained_file.h"

#include <errno.h>
#include <string.h>

#include "cleanup.h"
#include "command.h"
#include "follow.h"
#include "merge.h"
#include "message.h"
#include "path.h"

int explained_file_find(const struct command *command, const struct layer_choice *choice,
	const char *path, enum prefixed_path kind, struct explained_file *ret, char **ret_path)
{
	bool is_in_mount = !layer_choice_text(choice);
	struct problem problem;

	*ret = (struct explained_file){0};
	int code = is_in_mount
			   ? layer_choice_in_mount(command, choice, path, &ret->settings, ret_path)
			   : layer_choice_hold(choice, NULL, &ret->settings);
	if (code == EXIT_DONE && offline_new(ret->settings, &ret->offline) < 0)
		code = message_result(-ENOMEM, NULL, NULL);
	/* The layer of a new file is checked when the file is written. */
	if (code == EXIT_DONE && kind == PREFIXED_PATH_OLD && !choice->is_of_list)
		layer_choice_note_absent(ret->settings);
	if (code != EXIT_DONE || is_in_mount || !path)
		return code;
	int r = follow_to(ret->offline, path, ret_path, &problem);
	/* A path of which nothing exists has no links, and leads to itself. */
	if (r == -ENOENT && kind != PREFIXED_PATH_OLD && !path_fault(span_of(path))) {
		if (prefixed_path_report(ret->settings, path, kind))
			return EXIT_FAILED;
		*ret_path = strdup(path);
		r = *ret_path ? 0 : -ENOMEM;
	}
	if (choice->is_of_list && (r == -ENOENT || r == -ENOTDIR))
		return layer_choice_end(ret->settings);
	return r == 0 ? EXIT_DONE : layer_choice_complain(ret->settings, path, r, &problem);
}

int explained_file_open(const struct command *command, const struct layer_choice *choice,
	const char *path, struct explained_file *ret)
{
	CLEANUP(freep) char *inner = NULL;
	struct problem problem = {0};

	int code = explained_file_find(command, choice, path, PREFIXED_PATH_OLD, ret, &inner);
	if (code != EXIT_DONE)
		return code;
	int r = !inner   ? -ENOENT
		: *inner ? explain(ret->offline, inner, &ret->explanation, &problem)
			 : -EISDIR;
	if (choice->is_of_list && (r == -ENOENT || r == -ENOTDIR))
		return layer_choice_end(ret->settings);
	if (r != 0)
		return layer_choice_complain_in(ret->settings, path, inner, r, &problem);
	if (problem.message[0])
		message_warning(&problem);
	return layer_choice_end(ret->settings);
}

int explained_file_read(const struct explanation *explanation, const char *path,
	struct document **ret, struct problem *problem)
{
	const struct merge_request *request = explanation->request;
	const struct read_options options = {
		.format = request->to, .schema = request->schema, .limits = request->limits};
	const struct merge_result *result = explanation->result;
	const struct source source = result->source_count == 1
					     ? *result->sources[0]
					     : (struct source){.name = path, .layer = ""};

	return document_read(&source, explanation->result->text, &options, ret, problem);
}

void explained_file_fini(struct explained_file *subject)
{
	explanation_free(subject->explanation);
	offline_free(subject->offline);
	settings_unref(subject->settings);
}
