/*
 * plyfs edit: opens a merged file in the user's editor, and puts each change into the layer where
 * it belongs.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "command.h"
#include "compose.h"
#include "edited_file.h"
#include "layer_edit_report.h"
#include "message.h"
#include "text.h"
#include "text_editor.h"

struct edit_job {
	struct edited_file edited;
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
	edited_file_fini(&job->edited);
}

static const struct format *format_of(const struct edit_job *job)
{
	return settings_format(job->edited.subject.settings, job->edited.inner);
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
	const struct settings *settings = job->edited.subject.settings;
	const struct read_options options = {
		.format = format_of(job),
		.schema = settings_yaml(settings, job->edited.inner),
		.limits = settings->options.limits,
	};
	const struct source source = {.name = name, .layer = ""};

	document_free(*ret);
	*ret = NULL;
	return options.format ? document_read(&source, text, &options, ret, problem) : 0;
}

/* Makes the stream of the document, with the names that documents have in both. */
static int stream_in(
	const struct edit_job *job, const struct document *document, struct stream *ret)
{
	const char *path = job->edited.inner;
	const struct settings *settings = job->edited.subject.settings;
	const struct merge_input inputs[] = {{.document = job->base}, {.document = job->typed}};
	const struct merge_request request = {.options = compose_options(settings, path),
		.inputs = inputs,
		.count = 2,
		.to = format_of(job)};

	*ret = (struct stream){0};
	return document ? stream_make(&request, document->roots, document->count, job->arena, ret)
			: 0;
}

static bool is_same_as(const struct stream *present, const struct document *base)
{
	size_t count = base ? base->count : 0, i = 0;

	while (i < count && i < present->count &&
		edit_same(present->roots[i], base->roots[i], false))
		i++;
	return i == count && i == present->count;
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
 * and documents are addressed by their position, so these must not have changed.
 */
static int plan(void *context, const struct stream *present, const struct read_options *options,
	struct arena *arena, struct edit_op **ops, size_t *count, struct problem *problem)
{
	const struct edit_job *job = context;
	bool is_same = is_same_as(present, job->base);
	bool has_documents = present->count > 1 || (job->base && job->base->count > 1);

	(void)options;
	(void)arena;
	for (size_t i = 0; !is_same && i < job->count; i++)
		if (has_documents || crosses_list(&job->ops[i]))
			return problem_set(problem, job->edited.path, 0, 0,
				"the file has changed meanwhile, and %s; edit it again as it is "
				"now",
				has_documents ? "has several documents" : "a list was edited");
	*ops = job->ops;
	*count = job->count;
	return 0;
}

static int find_ops(struct edit_job *job, struct problem *problem)
{
	struct stream base, typed;
	int r = read_tree(job, job->edited.path, span_of(job->editor.text), &job->typed, problem);

	arena_free(job->arena);
	job->arena = NULL;
	if (r == 0)
		r = arena_new(&job->arena);
	if (r == 0)
		r = stream_in(job, job->base, &base);
	if (r == 0)
		r = stream_in(job, job->typed, &typed);
	if (r == 0)
		r = put_compare(&base, &typed, job->arena, &job->ops, &job->count);
	/* The message will stand above the text, in a line of its own. */
	if (r == PROBLEM && problem->line)
		problem->line++;
	return r;
}

/* If there is no change, the report is `nothing`: the editor may own standard output. */
static void end_report(const struct edit_job *job, const char *nothing)
{
	if (message_is_json() || job->edited.output.count)
		layer_edit_report_end(&job->edited.output, nothing);
	else
		message("%s", nothing);
}

static bool has_text(struct span in, struct span text)
{
	return text.len == 0 || memmem(in.data, in.len, text.data, text.len);
}

/* Returns a comment on a line of its own; empty: there is none. Other marks may be a value's. */
static struct span comment_of(struct span line, const char *mark)
{
	const size_t indent = strspn(line.data, " \t");
	const struct span rest = {line.data + indent, indent < line.len ? line.len - indent : 0};

	return span_begins(rest, mark) ? rest : (struct span){"", 0};
}

/* Warns of a typed comment line that the source does not get: only values are taken over. */
static void warn_of_comment(const struct edit_job *job, const struct layer_edit *edit)
{
	const struct format *format = format_of(job);
	const char *at = job->editor.text;
	struct span comment = {"", 0};
	struct problem warning;

	for (size_t len; *at && format && format->comment; at += len + (at[len] == '\n')) {
		len = strcspn(at, "\n");
		comment = comment_of((struct span){at, len}, format->comment);
		if (!has_text(shown_of(job), comment) && !has_text(edit->new, comment))
			break;
		comment.len = 0;
	}
	if (!comment.len)
		return;
	problem_set(&warning, job->edited.path, 0, 0,
		"the comment '%.*s' is not taken over, as only values are; write it into %s",
		(int)(comment.len < 64 ? comment.len : 64), comment.data, edit->file);
	message_warning(&warning);
}

static int make_edit(struct edit_job *job, struct problem *problem)
{
	CLEANUP(layer_edit_freep) struct layer_edit *edit = NULL;
	const struct span text = span_of(job->editor.text);
	const struct span shown = shown_of(job);
	struct layer_edit_request request = {
		.plan = plan, .context = job, .text = &text, .shown = &shown};
	int r = find_ops(job, problem);

	if (r == 0)
		r = edited_file_change(&command_edit, &job->edited, &request, &edit, problem);
	if (r != 0)
		return r;
	if (edit->effect >= PUT_CHANGED)
		r = layer_edit_report(&job->edited.output, edit);
	end_report(job, "nothing changes: comments and layout are those of the layers' files");
	if (r == 0 && edit->effect >= PUT_CHANGED)
		warn_of_comment(job, edit);
	return r;
}

/*
 * Maximum number of editor runs without a terminal: the second run can heed the first one's
 * message.
 */
#define BLIND_RUNS_MAX 2

/* Prints the reason why the text is refused, unless it was printed, and keeps the text. */
static int give_up(struct edit_job *job, int result, const struct problem *refused)
{
	if (result != EDITED_FILE_LOST)
		message_problem(refused);
	text_editor_keep(&job->editor);
	return EXIT_FAILED;
}

/* Runs the editor until the edit succeeds, or the user makes no further change. */
static int edit(struct edit_job *job)
{
	bool has_terminal = isatty(STDIN_FILENO);
	const struct format *format = format_of(job);
	const char *comment = format && format->comment ? format->comment : "//";
	char refusal[MESSAGE_MAX] = "";
	struct problem refused = {0};

	for (int runs = 1;; runs++) {
		CLEANUP(freep) char *before = strdup(job->editor.text);
		int code = text_editor_run(&job->editor, *refusal ? refusal : NULL, comment);

		if (!before || code != EXIT_DONE) {
			if (!before || *refusal || strcmp(before, job->editor.text) != 0)
				text_editor_keep(&job->editor);
			return EXIT_FAILED;
		}
		if (strcmp(before, job->editor.text) == 0) {
			if (!*refusal) {
				end_report(job, "nothing was changed");
				return EXIT_DONE;
			}
			return give_up(job, PROBLEM, &refused);
		}
		int r = make_edit(job, &refused);
		if (r == 0)
			return EXIT_DONE;
		if (r < 0)
			problem_set(&refused, job->edited.path, 0, 0, "can't be changed: %s",
				text_error(r));
		problem_format(&refused, refusal, sizeof(refusal));
		if (r == EDITED_FILE_LOST || (!has_terminal && runs >= BLIND_RUNS_MAX))
			return give_up(job, r, &refused);
	}
}

/* Reads the file as it is shown now; an empty text if no layer has it yet. */
static int begin(struct edit_job *job)
{
	CLEANUP(version_unrefp) struct version *version = NULL;
	const struct edited_file *edited = &job->edited;
	const struct layer_edit_request wanted = {
		.path = edited->inner, .layer = edited->layer, .access = &edited->access};
	struct problem problem;
	struct span text;

	int r = layer_edit_check(edited->subject.offline, &wanted, &problem);
	if (r == 0)
		r = offline_read(edited->subject.offline, edited->inner, &version, &problem);
	if (r == 0 && version->kind != VERSION_BYTES)
		r = problem_set(&problem, job->edited.path, 0, 0,
			"is too large, or a link, and can't be edited as a merged file");
	if (r != 0 && r != -ENOENT)
		return layer_choice_complain(
			job->edited.subject.settings, job->edited.path, r, &problem);
	if (r == 0)
		job->shown = take_ptr(version);
	text = shown_of(job);
	r = read_tree(job, job->edited.path, text, &job->base, &problem);
	if (r < 0)
		return message_result(r, NULL, NULL);
	return text_editor_open(&job->editor, job->edited.inner, text);
}

static int run(const struct command *command, int argc, char **argv)
{
	CLEANUP(job_fini) struct edit_job job = {.edited.kind = PREFIXED_PATH_MADE};

	int code = edited_file_read(command, argc, argv, &job.edited);
	if (code < 0 && optind < argc)
		code = command_misuse(
			command, "'%s' is one too many; one file is edited", argv[optind]);
	if (code >= 0)
		return code;
	code = edited_file_find(command, &job.edited);
	if (code == EXIT_DONE)
		code = begin(&job);
	return code == EXIT_DONE ? edit(&job) : code;
}

const struct command command_edit = {
	.name = "edit",
	.synopsis = "[-L LAYER] [-n] [--json] (-c CONFIG | -l LAYERS) PATH\n[-L LAYER] [-n] "
		    "[--json] PATH",
	.summary = "edit a merged file; changes go into a layer",
	.help = "Opens the merged file in $VISUAL or $EDITOR. Changes are made in the source of "
		"one layer, as by 'plyfs set'. If a change can't be made, the editor opens again "
		"with the reason in a comment on top; close it without a change to give up. The "
		"typed text is never lost. Changes of comments and layout have no effect, unless "
		"the merged file is a copy of its only source, or has no keys and values. PATH is "
		"relative to the layers; with neither -c nor -l "
		"it is a path in a mount.\n"
		"\n" EDITED_FILE_HELP,
	.run = run,
};
