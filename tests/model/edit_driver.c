/*
 * Edits many small texts in one process, so that a script can try thousands.
 *
 * Standard input is a JSON list of requests:
 *
 *      {"format": "yaml", "text": "a: 1",
 *       "ops": [{"kind": "set", "path": ["a", 0], "value": "2", "document": 0}]}
 *
 * A step of a path is a key, as a string, or an index, as a number. `value` is YAML, and missing if
 * `kind` is "remove"; other kinds are set and insert.
 *
 * Standard output has a line for each request, a JSON list: ["edited", the text] or ["error", the
 * message].
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "cleanup.h"
#include "edit/edit.h"
#include "requests.h"
#include "scalar.h"

/* The memory of one request. */
struct request {
	const struct node *node;
	struct read_options options;
	struct arena *arena;
	struct document *documents[64]; /* of values */
	size_t count;
};

/* The tree of a text, kept until the request is done. */
static int read_value(
	struct request *request, struct span text, const struct node **ret, struct problem *problem)
{
	const struct source source = {.name = "value", .layer = ""};
	struct read_options options = {.format = &format_yaml};
	struct document *document;
	int r;

	if (request->count == sizeof(request->documents) / sizeof(*request->documents))
		return -E2BIG;
	r = document_read(&source, text, &options, &document, problem);
	if (r != 0)
		return r;
	request->documents[request->count++] = document;
	*ret = document->count ? document->roots[0] : NULL;
	return *ret ? 0 : -EINVAL;
}

static enum edit_kind kind_of(const struct node *op)
{
	struct span kind = node_get(op, "kind")->text;

	if (span_is(kind, "remove"))
		return EDIT_REMOVE;
	return span_is(kind, "insert") ? EDIT_INSERT : EDIT_SET;
}

static int read_op(struct request *request, const struct node *node, struct edit_op *op,
	struct problem *problem)
{
	const struct node *path = node_get(node, "path"), *value = node_get(node, "value");
	struct edit_step *steps = arena_zalloc(request->arena, path->seq.count + 1, sizeof(*steps));
	int r = steps ? 0 : -ENOMEM;

	*op = (struct edit_op){.kind = kind_of(node), .steps = steps, .count = path->seq.count};
	op->document = (size_t)scalar_number(node_get(node, "document"));
	for (uint32_t i = 0; r == 0 && i < path->seq.count; i++) {
		const struct node *step = path->seq.items[i];
		if (scalar_type(step) == SCALAR_INT)
			steps[i].index = (uint32_t)scalar_number(step);
		else
			steps[i].key = step;
	}
	if (r == 0 && value)
		r = read_value(request, value->text, &op->value, problem);
	return r;
}

static int edit(struct request *request, struct problem *problem)
{
	const struct node *list = node_get(request->node, "ops");
	struct edit_op *ops = arena_zalloc(request->arena, list->seq.count + 1, sizeof(*ops));
	CLEANUP(edit_result_freep) struct edit_result *result = NULL;
	struct edit_request edit = {
		.source = {.name = "text", .layer = ""},
		.text = node_get(request->node, "text")->text,
		.options = &request->options,
		.ops = ops,
		.count = list->seq.count,
	};
	int r = ops ? 0 : -ENOMEM;

	for (uint32_t i = 0; r == 0 && i < list->seq.count; i++)
		r = read_op(request, list->seq.items[i], &ops[i], problem);
	if (r == 0)
		r = edit_run(&edit, &result, problem);
	if (r == 0)
		requests_print_answer("edited", result->text);
	return r;
}

static int run_request(const struct node *node)
{
	struct request request = {
		.node = node, .options = {.format = format_find(node_get(node, "format")->text)}};
	struct problem problem = {0};
	int r = arena_new(&request.arena);

	if (r < 0)
		return r;
	r = edit(&request, &problem);
	if (r == PROBLEM)
		requests_print_problem(&problem);
	for (size_t i = 0; i < request.count; i++)
		document_free(request.documents[i]);
	arena_free(request.arena);
	return r < 0 ? r : 0;
}

int main(void)
{
	return requests_run("edit_driver", run_request);
}
