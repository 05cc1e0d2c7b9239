#include "explain.h"

#include <errno.h>
#include <inttypes.h>

#include "cleanup.h"
#include "explained_value.h"
#include "json_put.h"
#include "strategy.h"

/* The state of writing a document. */
struct json_writer {
	struct json *out;
	struct arena *arena;         /* for converted numbers */
	const struct format *format; /* of the merged file; or NULL */
	const struct explanation *explanation;
	const struct explained *only;
};

static void put_source(
	struct json *out, const struct store_places *places, const struct source *source)
{
	const struct store_place *place = store_places_find(places, source);

	json_put(out, "'layer': %s, 'file': %s", source->layer, source->name);
	if (place)
		store_place_put_json(place, out);
}

static void put_line_column(struct json *out, const struct node *node)
{
	json_put(out, ", 'line': %" PRIu32 ", 'column': %" PRIu32, node->line, node->column);
}

/* Writes the source, line and column of a node; nothing for a node that has no source. */
static void put_place(struct json_writer *writer, const struct node *node)
{
	if (!node->source)
		return;
	json_put(writer->out, ", ");
	put_source(writer->out, &writer->explanation->places, node->source);
	put_line_column(writer->out, node);
}

static int put_scalar(struct json_writer *writer, const struct node *scalar)
{
	bool says_all;

	json_put(writer->out, "'value': ");
	int r = json_put_scalar(writer->out, scalar, writer->format, writer->arena, &says_all);
	if (r != 0 || says_all)
		return r;
	json_put(writer->out, ", 'text': ");
	json_put_span(writer->out, scalar->text);
	return 0;
}

/* Writes a value. A map or list that is not `is_whole` and not empty gets its size instead. */
static int put_value(struct json_writer *writer, const struct node *value, bool is_whole)
{
	int r = 0;

	if (!node_is_scalar(value) && !is_whole && node_count(value) > 0) {
		json_put(writer->out, "'kind': %s, 'count': %" PRIu32,
			node_is_map(value) ? "map" : "list", node_count(value));
	} else if (node_is_scalar(value)) {
		r = put_scalar(writer, value);
	} else {
		json_put(writer->out, "'value': ");
		r = json_put_value(writer->out, value, writer->format, writer->arena);
	}
	if (value->tag && value->tag[0] == '!')
		json_put(writer->out, ", 'tag': %s", value->tag);
	return r;
}

static void put_why(const struct json_writer *writer, struct origin_why why)
{
	struct json *out = writer->out;

	json_put(out, ", 'rule': %s", why.rule ? why.rule : "");
	if (!why.by || !why.by->source)
		return;
	json_put(out, ", 'by': {");
	put_source(out, &writer->explanation->places, why.by->source);
	put_line_column(out, why.by);
	json_put(out, "}");
}

/* Writes one step. `name` is that of the list if the step begins it, else NULL. */
static int put_step(struct json_writer *writer, const struct origin_step *step, const char *name)
{
	if (name)
		json_put(writer->out, ", %s: [", name);
	json_put(writer->out, ", {");
	int r = put_value(writer, step->value, step->fate != ORIGIN_PART);
	put_place(writer, step->value);
	put_why(writer, step->why);
	json_put(writer->out, "}");
	return r;
}

/* Steps to be written, those of one fate, as the list `name`. */
struct explained_steps {
	const struct origin *origin; /* exactly one of the two is set */
	const struct origin_removed *removed;
};

static const struct origin_step *next_step(
	struct explained_steps steps, const struct origin_step *step)
{
	if (steps.removed)
		return origin_removed_next(steps.removed, step);
	return steps.origin ? origin_next(steps.origin, step) : NULL;
}

static int put_steps(struct json_writer *writer, const char *name, struct explained_steps steps,
	enum origin_fate fate, const struct explained *also)
{
	size_t also_count = also && fate == ORIGIN_LOST ? also->also_count : 0;
	size_t count = 0;
	int r = 0;

	for (const struct origin_step *step = NULL; r == 0 && (step = next_step(steps, step));)
		if (step->fate == fate)
			r = put_step(writer, step, count++ == 0 ? name : NULL);
	for (size_t i = 0; r == 0 && i < also_count; i++)
		r = put_step(writer, &also->also[i], count++ == 0 ? name : NULL);
	if (count > 0)
		json_put(writer->out, "]");
	return r;
}

static void put_path(struct json *out, const struct explained_place *place)
{
	if (!place)
		return;
	put_path(out, place->up);
	json_put(out, ", ");
	if (place->step.key)
		json_put_key(out, place->step.key);
	else
		json_put(out, "%" PRIu32, place->step.index);
}

/* Writes where a value was removed. put_removed() writes the rest of the object. */
static void put_removal(struct json_writer *writer, const struct origin_removed *removed)
{
	const struct origin_step *last = removed->last;
	struct json *out = writer->out;

	if (last->fate == ORIGIN_REMOVED)
		put_place(writer, last->value);
	json_put(out, ", 'rule': %s", last->why.rule ? last->why.rule : "");
}

static int put_removed(struct json_writer *writer, const struct node *in, struct key_text *key,
	const struct origin_removed *removed)
{
	size_t len = key->len;

	explained_value_put_removed(removed, in, key);
	json_put(writer->out, "{'key': ");
	json_put_span(writer->out, key_text_span(key));
	key_text_cut(key, len);
	put_removal(writer, removed);
	int r = put_steps(writer, "overrides", (struct explained_steps){.removed = removed},
		ORIGIN_LOST, writer->only);
	json_put(writer->out, "}");
	return r;
}

static int put_all_removed(struct json_writer *writer, const struct explained_value *value)
{
	const struct origin_removed *removed = value->origin->removed;
	int r = 0;

	if (!removed)
		return 0;
	json_put(writer->out, ", 'removed': [");
	for (; r == 0 && removed; removed = removed->next) {
		json_put(writer->out, ", ");
		r = put_removed(writer, value->value, value->key, removed);
	}
	json_put(writer->out, "]");
	return r;
}

/* Writes one value. A map or list that is not empty is written only if it has an origin itself. */
static int put_element(void *context, const struct explained_value *value)
{
	struct json_writer *writer = context;
	const struct node *node = value->value;
	bool is_leaf = node_is_scalar(node) || node_count(node) == 0;
	const struct explained *also =
		writer->only && node == writer->only->at.value ? writer->only : NULL;

	if (!is_leaf && !value->origin && !also)
		return 0;
	json_put(writer->out, ",\n    {'key': ");
	json_put_span(writer->out, key_text_span(value->key));
	json_put(writer->out, ", 'path': [");
	put_path(writer->out, value->place);
	json_put(writer->out, "], ");
	if (writer->explanation->stream.count > 1)
		json_put(writer->out, "'document': %zu, ", value->document);
	int r = put_value(writer, node, false);
	put_place(writer, node);
	if (r == 0 && (value->origin || also)) {
		const struct explained_steps steps = {.origin = value->origin};

		r = put_steps(writer, "overrides", steps, ORIGIN_LOST, also);
		if (r == 0)
			r = put_steps(writer, "parts", steps, ORIGIN_PART, NULL);
		if (r == 0 && value->origin)
			r = put_all_removed(writer, value);
	}
	json_put(writer->out, "}");
	return r;
}

static int put_values(struct json_writer *writer)
{
	struct key_text key = {0};
	const struct stream *stream = &writer->explanation->stream;
	const struct merge_result *result = writer->explanation->result;
	const struct origins *origins = result ? result->origins : NULL;
	int r = 0;

	if (writer->only && writer->only->at.value) {
		r = explained_value_each(origins, &writer->only->at, put_element, writer);
	} else if (!writer->only) {
		for (size_t i = 0; r == 0 && i < stream->count; i++) {
			const struct explained_value root = {
				.value = stream->roots[i], .key = &key, .document = i};

			key_text_cut(&key, 0);
			stream_put(stream, i, &key);
			r = explained_value_each(origins, &root, put_element, writer);
		}
	}
	if (key.has_failed || (writer->only && writer->only->at.key->has_failed))
		r = -ENOMEM;
	key_text_fini(&key);
	return r;
}

/* Writes the documents that layers had and the file has not. */
static int put_gone_documents(struct json_writer *writer)
{
	CLEANUP(key_text_fini) struct key_text key = {0};
	struct explained_document *gone;
	size_t count;
	int r = explained_documents_gone(writer->explanation, writer->arena, &gone, &count);

	for (size_t i = 0; r == 0 && i < count; i++) {
		json_put(writer->out, i ? ",\n    " : ",\n  'removed': [\n    ");
		key_text_cut(&key, 0);
		stream_put_name(gone[i].name, &key);
		r = put_removed(writer, NULL, &key, &gone[i].removed);
	}
	if (r == 0 && count)
		json_put(writer->out, "\n  ]");
	return key.has_failed ? -ENOMEM : r;
}

/* Writes the value at a KEY that has been removed or replaced. */
static int put_gone(struct json_writer *writer)
{
	const struct explained *gone = writer->only;
	int r = 0;

	json_put(writer->out, ",\n  'gone': ");
	if (gone->removed) {
		r = put_removed(writer, gone->in, gone->at.key, gone->removed);
	} else {
		json_put(writer->out, "{'key': ");
		json_put_span(writer->out, key_text_span(gone->at.key));
		put_place(writer, gone->in);
		r = put_steps(writer, "overrides", (struct explained_steps){0}, ORIGIN_LOST, gone);
		json_put(writer->out, "}");
	}
	return r;
}

static void put_sources(struct json *out, const struct explanation *explanation)
{
	const struct merge_result *result = explanation->result;

	json_put(out, ",\n  'sources': [");
	for (size_t i = 0; result && i < result->source_count; i++) {
		json_put(out, ",\n    {");
		put_source(out, &explanation->places, result->sources[i]);
		json_put(out, "}");
	}
	if (explanation->source.name) {
		json_put(out, ",\n    {");
		put_source(out, &explanation->places, &explanation->source);
		json_put(out, "}");
	}
	json_put(out, "\n  ]");
	if (explanation->passed_count == 0)
		return;
	json_put(out, ",\n  'passed_over': [");
	for (size_t i = 0; i < explanation->passed_count; i++) {
		json_put(out, ",\n    {");
		put_source(out, &explanation->places, &explanation->passed[i].source);
		if (explanation->passed[i].why)
			json_put(out, ", 'rule': %s", explanation->passed[i].why);
		json_put(out, "}");
	}
	json_put(out, "\n  ]");
}

static void put_pieces(struct json *out, const struct explanation *explanation)
{
	const struct origin_piece *piece = origin_pieces(explanation->result->origins);

	json_put(out, ",\n  'pieces': [");
	for (; piece; piece = piece->next) {
		json_put(out, ",\n    {'offset': %zu, 'length': %zu, ", piece->offset, piece->len);
		put_source(out, &explanation->places, piece->source);
		json_put(out, ", 'line': %u}", (unsigned)piece->line);
	}
	json_put(out, "\n  ]");
}

static const char *kind_of(const struct explanation *explanation)
{
	if (explanation->kind == VERSION_LINK)
		return "link";
	if (explanation->kind == VERSION_HELD)
		return "large";
	/* A file of one layer that can't be read as values is served unchanged. */
	bool is_text =
		explanation->stream.count == 0 && origin_pieces(explanation->result->origins);
	return strategy_gives_trees(explanation->request->options->strategy) && !is_text ? "values"
											 : "text";
}

int explain_json(const struct explanation *explanation, const struct explained *only, FILE *file)
{
	CLEANUP(arena_freep) struct arena *arena = NULL;
	const struct merge_result *result = explanation->result;
	struct json *out = JSON(file);
	struct json_writer writer = {.out = out,
		.explanation = explanation,
		.only = only,
		.format = explanation->request ? explanation->request->to : NULL};

	int r = arena_new(&arena);
	if (r < 0)
		return r;
	writer.arena = arena;
	json_put(out, "{\n  'path': %s,\n  'kind': %s", explanation->path, kind_of(explanation));
	if (explanation->kind == VERSION_BYTES)
		json_put(out, ",\n  'strategy': %s", explanation->request->options->strategy->name);
	put_sources(out, explanation);
	if (!only && result && origin_pieces(result->origins))
		put_pieces(out, explanation);
	json_put(out, ",\n  'values': [");
	r = put_values(&writer);
	json_put(out, "\n  ]");
	if (r == 0 && only && !only->at.value)
		r = put_gone(&writer);
	if (r == 0 && !only && explanation->kind == VERSION_BYTES)
		r = put_gone_documents(&writer);
	json_put(out, "\n}\n");
	return r;
}
