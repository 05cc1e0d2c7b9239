/*
 * plyfs edit: opens a merged file in the user's editor, and puts each change into the layer where
 * it belongs.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "amendment_report.h"
#include "cleanup.h"
#include "command.h"
#include "edited_file.h"
#include "follow.h"
#include "message.h"
#include "text_editor.h"

struct edit_job {
	struct edited_file amendable;
	struct text_editor editor;
	struct version *shown; /* the version at the beginning; NULL: there was no such file */
	struct document *base; /* its tree; NULL: it is no tree */
	struct document *typed;
	struct edit_op *ops; /* the edits from `base` to `typed`, in `arena` */
	size_t count;
	struct arena *arena;
};

static void job_fini(struct edit_job *job)
{
	text_editor_fini(&job->editor);
	version_unref(job->shown);
	document_free(job->base);
	document_free(job->typed);
	arena_free(job->arena);
	edited_file_fini(&job->amendable);
}

static const struct format *format_of(const struct edit_job *job)
{
	return settings_format(job->amendable.subject.settings, job->amendable.inner);
}

static struct span shown_of(const struct edit_job *job)
{
	return job->shown ? (struct span){job->shown->data, job->shown->size}
			  : (struct span){"", 0};
}

/*
 * Parses the values of the text. Returns 0, PROBLEM or -ENOMEM; *ret NULL: the file has no values.
 */
static int read_tree(const struct edit_job *job, const char *name, struct span text,
	struct document **ret, struct problem *problem)
{
	const struct settings *settings = job->amendable.subject.settings;
	const struct read_options options = {
		.format = format_of(job),
		.schema = settings_yaml(settings, job->amendable.inner),
		.limits = settings->limits,
	};
	const struct source source = {.name = name, .layer = ""};

	document_free(*ret);
	*ret = NULL;
	return options.format ? document_read(&source, text, &options, ret, problem) : 0;
}

static const struct node *root_of(const struct document *document)
{
	return document && document->count ? document->roots[0] : NULL;
}

static bool crosses_list(const struct edit_op *op)
{
	for (size_t i = 0; i < op->count; i++)
		if (!op->steps[i].key)
			return true;
	return false;
}

/*
 * Plans the edits. Values that other programs have changed meanwhile are left alone. But list items
 * are addressed by their position, so a list must not have changed.
 */
static int plan(void *context, const struct node *present, const struct read_options *options,
	struct arena *arena, struct edit_op **ops, size_t *count, struct problem *problem)
{
	const struct edit_job *job = context;
	bool is_same = edit_same(present, root_of(job->base), false);

	(void)options;
	(void)arena;
	for (size_t i = 0; !is_same && i < job->count; i++)
		if (crosses_list(&job->ops[i]))
			return problem_set(problem, job->amendable.path, 0, 0,
				"somebody else has changed the file meanwhile, and a list was "
				"edited; edit it again as it is now");
	*ops = job->ops;
	*count = job->count;
	return 0;
}

static int find_ops(struct edit_job *job, struct problem *problem)
{
	int r = read_tree(
		job, job->amendable.path, text_editor_text(&job->editor), &job->typed, problem);

	arena_free(job->arena);
	job->arena = NULL;
	if (r == 0)
		r = arena_new(&job->arena);
	if (r == 0)
		r = put_compare(root_of(job->base), root_of(job->typed), job->arena, &job->ops,
			&job->count);
	return r;
}

static int amend(struct edit_job *job, struct problem *problem)
{
	CLEANUP(amendment_freep) struct amendment *amendment = NULL;
	const struct span text = text_editor_text(&job->editor);
	const struct span shown = shown_of(job);
	struct amendment_request request = {
		.plan = plan, .context = job, .text = &text, .shown = &shown};
	int r = find_ops(job, problem);

	if (r == 0)
		r = edited_file_amend(
			&command_edit, &job->amendable, &request, &amendment, problem);
	if (r != 0)
		return r;
	if (amendment->is_changed)
		return amendment_report(&job->amendable.output, amendment);
	message("nothing changes: comments and layout are those of the layers' files");
	return 0;
}

/*
 * Maximum number of editor runs without a terminal: the second run can heed the first one's
 * message.
 */
#define BLIND_RUNS_MAX 2

/* Prints the reason why the text is refused, and keeps the text. */
static int give_up(struct edit_job *job, const char *told)
{
	message("%s", told);
	text_editor_keep(&job->editor);
	return EXIT_FAILED;
}

/* Runs the editor until the edit succeeds, or the user makes no further change. */
static int edit(struct edit_job *job)
{
	bool has_terminal = isatty(STDIN_FILENO);
	const struct format *format = format_of(job);
	const char *comment = format && format->comment ? format->comment : "//";
	char told[MESSAGE_MAX] = "";

	for (int runs = 1;; runs++) {
		CLEANUP(freep) char *before = strdup(job->editor.text);
		struct problem problem = {0};
		int code = text_editor_run(&job->editor, *told ? told : NULL, comment);

		if (!before || code != EXIT_DONE) {
			if (!before || *told || strcmp(before, job->editor.text) != 0)
				text_editor_keep(&job->editor);
			return EXIT_FAILED;
		}
		if (strcmp(before, job->editor.text) == 0) {
			if (!*told) {
				message("nothing was changed");
				return EXIT_DONE;
			}
			return give_up(job, told);
		}
		int r = amend(job, &problem);
		if (r == 0)
			return EXIT_DONE;
		if (r < 0)
			problem_set(&problem, job->amendable.path, 0, 0, "%s", strerror(-r));
		problem_format(&problem, told, sizeof(told));
		if (!has_terminal && runs >= BLIND_RUNS_MAX)
			return give_up(job, told);
	}
}

/* Reads the file as it is shown now; an empty text if no layer has it yet. */
static int begin(struct edit_job *job)
{
	CLEANUP(version_unrefp) struct version *version = NULL;
	const struct edited_file *amendable = &job->amendable;
	const struct amendment_request wanted = {
		.path = amendable->inner, .layer = amendable->layer, .access = &amendable->access};
	struct problem problem;
	struct span text;

	int r = amendment_check(amendable->subject.offline, &wanted, &problem);
	if (r == 0)
		r = offline_read(amendable->subject.offline, amendable->inner, &version, &problem);
	if (r == 0 && version->kind != VERSION_BYTES)
		r = problem_set(&problem, job->amendable.path, 0, 0,
			"is too large, or a link, and can't be edited as a merged file");
	if (r != 0 && r != -ENOENT)
		return layer_choice_complain(
			job->amendable.subject.settings, job->amendable.path, r, &problem);
	if (r == 0)
		job->shown = take_ptr(version);
	text = shown_of(job);
	r = read_tree(job, job->amendable.path, text, &job->base, &problem);
	if (r < 0)
		return message_result(r, NULL, NULL);
	return text_editor_open(&job->editor, job->amendable.inner, text);
}

static int run(const struct command *command, int argc, char **argv)
{
	CLEANUP(job_fini) struct edit_job job = {0};

	int code = edited_file_read(command, argc, argv, &job.amendable);
	if (code < 0 && optind < argc)
		code = command_misuse(
			command, "'%s' is too much; one file is edited", argv[optind]);
	if (code >= 0)
		return code;
	code = edited_file_find(command, &job.amendable);
	if (code == EXIT_DONE)
		code = begin(&job);
	return code == EXIT_DONE ? edit(&job) : code;
}

const struct command command_edit = {
	.name = "edit",
	.synopsis = "[-L LAYER] [-n] (-c CONFIG | -l LAYERS) PATH\n[-L LAYER] [-n] PATH",
	.summary = "edit a merged file; what changes goes into a layer",
	.help = "Opens the merged file in $VISUAL or $EDITOR. What was changed in it is changed "
		"in\n"
		"the source of one layer, as 'plyfs set' does it. What can't be had comes back as\n"
		"a comment on top, to be edited on; closing the editor without a change gives up.\n"
		"What was typed is never lost. PATH is relative to the layers. With neither -c "
		"nor\n"
		"-l it is a path in a mount.\n"
		"\n" EDITED_FILE_HELP,
	.run = run,
};
