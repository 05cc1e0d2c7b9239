/*
 * Edits many small texts in one process, so that a script can try thousands.
 *
 * Standard input is a JSON list of requests:
 *
 *      {"format": "yaml", "text": "a: 1",
 *       "ops": [{"kind": "set", "path": ["a", 0], "value": "2", "from": "yaml", "document": 0}]}
 *
 * A step of a path is a key, as a string, an index, as a number, or a key of another type as a list
 * of its YAML text: ["1"]. `value` is text in the format `from`, whose default is JSON. `format`
 * and `document` may be missing, too. `kind` is set, remove or insert. "salt" or "1.2" as `schema`
 * says how YAML is read.
 *
 * Standard output has a line for each request, a JSON list: ["edited", the text, [[offset, length,
 * new text], …]] or ["error", the message]. With "extents": true instead of ops, the list is
 * ["extents", [[key begin, key end, value begin, value end, member begin, member end, depth], …]].
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
	struct document *documents[64]; /* of values and keys */
	size_t count;
};

static const struct format *format_for(
	const struct node *node, const char *key, const struct format *other)
{
	const struct node *name = node_get(node, key);

	return name ? format_find(name->text) : other;
}

/* The tree of a text, kept until the request is done. */
static int read_value(struct request *request, struct span text, const struct format *format,
	const struct node **ret, struct problem *problem)
{
	const struct source source = {.name = "value", .layer = ""};
	struct read_options options = {.format = format, .schema = request->options.schema};
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

static int read_step(struct request *request, const struct node *node, struct edit_step *step,
	struct problem *problem)
{
	*step = (struct edit_step){0};
	if (node_is_sequence(node))
		return read_value(
			request, node->seq.items[0]->text, &format_yaml, &step->key, problem);
	if (scalar_type(node) == SCALAR_INT)
		step->index = (uint32_t)scalar_number(node);
	else
		step->key = node;
	return 0;
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
	const struct node *document = node_get(node, "document");
	struct edit_step *steps = arena_zalloc(request->arena, path->seq.count + 1, sizeof(*steps));
	int r = steps ? 0 : -ENOMEM;

	*op = (struct edit_op){.kind = kind_of(node), .steps = steps, .count = path->seq.count};
	if (document)
		op->document = (size_t)scalar_number(document);
	for (uint32_t i = 0; r == 0 && i < path->seq.count; i++)
		r = read_step(request, path->seq.items[i], &steps[i], problem);
	if (r == 0 && value)
		r = read_value(request, value->text, format_for(node, "from", &format_json),
			&op->value, problem);
	return r;
}

static void print_result(const struct edit_result *result)
{
	printf("[\"edited\", ");
	requests_print_string(result->text);
	printf(", [");
	for (size_t i = 0; i < result->count; i++) {
		printf("%s[%zu, %zu, ", i ? ", " : "", result->splices[i].offset,
			result->splices[i].len);
		requests_print_string(result->splices[i].text);
		putchar(']');
	}
	printf("]]\n");
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
		print_result(result);
	return r;
}

static void print_extent(const struct extent *extent, unsigned depth, const char *separator)
{
	printf("%s[%zu, %zu, %zu, %zu, %zu, %zu, %u]", separator, extent->key.begin,
		extent->key.end, extent->value.begin, extent->value.end, extent->member.begin,
		extent->member.end, depth);
	for (const struct extent *entry = extent->first; entry; entry = entry->next)
		print_extent(entry, depth + 1, ", ");
}

static int show_extents(const struct request *request, struct problem *problem)
{
	const struct source source = {.name = "text", .layer = ""};
	CLEANUP(document_freep) struct document *document = NULL;
	struct read_options options = request->options;
	int r;

	options.wants_extents = true;
	r = document_read(
		&source, node_get(request->node, "text")->text, &options, &document, problem);
	if (r != 0)
		return r;
	printf("[\"extents\", [");
	for (size_t i = 0; i < document->count; i++)
		print_extent(document->extents[i], 0, i ? ", " : "");
	printf("]]\n");
	return 0;
}

static int run_request(const struct node *node)
{
	const struct node *schema = node_get(node, "schema");
	struct request request = {
		.node = node, .options = {.format = format_for(node, "format", &format_yaml)}};
	struct problem problem = {0};
	int r = arena_new(&request.arena);

	if (r < 0)
		return r;
	if (schema)
		request.options.schema = span_is(schema->text, "salt") ? NODE_SALT : NODE_YAML_1_2;
	r = node_get(node, "extents") ? show_extents(&request, &problem) : edit(&request, &problem);
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
