/*
 * Changes merged files for a script, as `plyfs set`, `unset` and `edit` do it, in one process. A
 * line of standard input is a request, a JSON list, and a line of standard output its answer.
 *
 *      ["cat", CONFIG, PATH]                            ["text", TEXT], or ["none"]
 *      ["set", CONFIG, LAYER, PATH, [[KEY, VALUE], …]]  ["changed", FILE], or ["same", FILE]
 *      ["edit", CONFIG, LAYER, PATH, TEXT]              the same; TEXT is the merged file
 *
 * VALUE is YAML; null: KEY is removed. The answer to a request that fails is ["error", MESSAGE].
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assignment.h"
#include "cleanup.h"
#include "layer_edit.h"
#include "requests.h"
#include "scalar.h"
#include "settings.h"

struct request {
	const struct node *node;
	struct settings *settings;
	struct offline *offline;
	struct assignments assignments;
	struct document *shown; /* the merged file, as it is and as it must become */
	struct document *typed;
};

static void request_fini(struct request *request)
{
	assignments_fini(&request->assignments);
	document_free(request->shown);
	document_free(request->typed);
	offline_free(request->offline);
	settings_unref(request->settings);
}

static struct span argument(const struct request *request, uint32_t index)
{
	return request->node->seq.items[index]->text;
}

static int cat(struct request *request, struct problem *problem)
{
	CLEANUP(version_unrefp) struct version *version = NULL;
	int r = offline_read(request->offline, argument(request, 2).data, &version, problem);

	if (r == -ENOENT) {
		puts("[\"none\"]");
		return 0;
	}
	if (r == 0)
		requests_print_answer("text", (struct span){version->data, version->size});
	return r;
}

static int make_edit(
	struct request *request, struct layer_edit_request *wanted, struct problem *problem)
{
	CLEANUP(layer_edit_freep) struct layer_edit *edit = NULL;

	wanted->layer = argument(request, 2).data;
	wanted->path = argument(request, 3).data;
	int r = layer_edit_make(request->offline, wanted, &edit, problem);
	if (r == 0)
		requests_print_answer(
			edit->effect >= PUT_CHANGED ? "changed" : "same", span_of(edit->file));
	return r;
}

static int set(struct request *request, struct problem *problem)
{
	const struct node *pairs = request->node->seq.items[4];
	struct layer_edit_request wanted = {
		.plan = assignments_plan, .context = &request->assignments};
	int r = 0;

	request->assignments.kind = TYPED_YAML;
	for (uint32_t i = 0; r == 0 && i < pairs->seq.count; i++) {
		const struct node *pair = pairs->seq.items[i], *value = pair->seq.items[1];

		r = assignments_add(&request->assignments, pair->seq.items[0]->text.data,
			scalar_is_null(value) ? NULL : value->text.data, problem);
	}
	return r == 0 ? make_edit(request, &wanted, problem) : r;
}

static struct stream stream_in(const struct document *document)
{
	return document ? (struct stream){.roots = document->roots, .count = document->count}
			: (struct stream){0};
}

static int compare(void *context, const struct stream *present, const struct read_options *options,
	struct arena *arena, struct edit_op **ops, size_t *count, struct problem *problem)
{
	const struct request *request = context;
	const struct stream shown = stream_in(request->shown), typed = stream_in(request->typed);

	(void)present;
	(void)options;
	(void)problem;
	return put_compare(&shown, &typed, arena, ops, count);
}

/* As the command reads it: a file of no known format has no values. */
static int read_tree(const struct request *request, struct span text, struct document **ret,
	struct problem *problem)
{
	const struct settings *settings = request->settings;
	const char *path = argument(request, 3).data;
	const struct source source = {.name = path, .layer = ""};
	const struct read_options options = {
		.format = settings_format(settings, path),
		.schema = settings_yaml(settings, path),
		.limits = settings->options.limits,
	};

	return options.format ? document_read(&source, text, &options, ret, problem) : 0;
}

static int edit(struct request *request, struct problem *problem)
{
	CLEANUP(version_unrefp) struct version *version = NULL;
	const struct span text = argument(request, 4);
	struct layer_edit_request wanted = {.plan = compare, .context = request, .text = &text};
	struct span shown = {"", 0};
	int r = offline_read(request->offline, argument(request, 3).data, &version, problem);

	if (r == 0)
		shown = (struct span){version->data, version->size};
	if (r == 0 || r == -ENOENT)
		r = read_tree(request, shown, &request->shown, problem);
	if (r == 0)
		r = read_tree(request, text, &request->typed, problem);
	return r == 0 ? make_edit(request, &wanted, problem) : r;
}

static int do_request(struct request *request, struct problem *problem)
{
	struct span word = argument(request, 0);
	int r = settings_read(NULL, argument(request, 1).data, &request->settings, problem);

	if (r == 0)
		r = offline_new(request->settings, &request->offline);
	if (r != 0)
		return r;
	if (span_is(word, "cat"))
		return cat(request, problem);
	return span_is(word, "set") ? set(request, problem) : edit(request, problem);
}

static int answer(const struct node *node)
{
	CLEANUP(request_fini) struct request request = {.node = node};
	struct problem problem = {0};
	int r = do_request(&request, &problem);

	if (r == PROBLEM)
		requests_print_problem(&problem);
	else if (r < 0)
		requests_print_answer("error", span_of(strerror(-r)));
	return 0;
}

int main(void)
{
	const struct source source = {.name = "standard input", .layer = ""};
	const struct read_options options = {.format = &format_json};
	CLEANUP(freep) char *line = NULL;
	size_t size = 0;
	ssize_t len;
	int r = 0;

	while (r == 0 && (len = getline(&line, &size, stdin)) > 0) {
		CLEANUP(document_freep) struct document *document = NULL;
		struct problem problem;

		r = document_read(
			&source, (struct span){line, (size_t)len}, &options, &document, &problem);
		if (r == 0)
			r = answer(document->roots[0]);
		fflush(stdout);
	}
	return r != 0;
}
