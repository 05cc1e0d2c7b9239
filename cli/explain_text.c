#include "explain_text.h"

#include <errno.h>
#include <stdlib.h>

#include "array.h"
#include "cleanup.h"
#include "colour.h"
#include "explain_line.h"
#include "strategy.h"

struct explain_writer {
	struct explain_line line;
	const struct origins *origins;
	const struct explained *only;
	const struct origin_step **steps; /* the steps of one value, to be printed backwards */
	size_t step_capacity;
	bool has_failed; /* no memory: the output is incomplete */
};

static void put_contributor(struct explain_writer *writer, enum origin_fate fate,
	const struct node *value, struct origin_why why)
{
	static const char *const words[] = {
		[ORIGIN_LOST] = "  lost  ",
		[ORIGIN_PART] = "  part  ",
		[ORIGIN_REMOVED] = "  gone  ",
	};

	if (fate != ORIGIN_PART)
		explain_line_colour(&writer->line, COLOUR_DIM);
	explain_line_word(&writer->line, words[fate]);
	if (node_is_scalar(value) && value->text.len == 0 && value->style == NODE_PLAIN)
		explain_line_word(&writer->line, "(empty)");
	else
		explain_line_value(&writer->line, value);
	explain_line_place(&writer->line, value);
	explain_line_why(&writer->line, why, value);
	if (fate != ORIGIN_PART)
		explain_line_colour(&writer->line, COLOUR_NORMAL);
	explain_line_end(&writer->line);
}

static void take_step(struct explain_writer *writer, size_t *count, const struct origin_step *step)
{
	if (array_push(writer->steps, *count, writer->step_capacity, step) < 0)
		writer->has_failed = true;
}

/* Prints only the place: the value has more entries now than it has there. */
static void put_own_part(struct explain_writer *writer, const struct node *value)
{
	explain_line_word(&writer->line, "  part");
	explain_line_place(&writer->line, value);
	explain_line_end(&writer->line);
}

/*
 * Prints lines for all contributors, the latest first. The first state of `value`, before other
 * values became parts of it, is a part, too, and stands where it came.
 */
static void put_contributors(struct explain_writer *writer, const struct origin *origin,
	const struct node *value, bool has_parts)
{
	size_t count = 0, first_part = SIZE_MAX;

	for (const struct origin_step *step = NULL; (step = origin_next(origin, step));) {
		if (step->fate == ORIGIN_PART && first_part == SIZE_MAX)
			first_part = count;
		take_step(writer, &count, step);
	}
	for (size_t i = count; i-- > 0;) {
		const struct origin_step *step = writer->steps[i];

		put_contributor(writer, step->fate, step->value, step->why);
		if (has_parts && i == first_part && value->source)
			put_own_part(writer, value);
	}
}

static void put_also(struct explain_writer *writer, const struct explained *only)
{
	for (size_t i = only ? only->also_count : 0; i-- > 0;)
		put_contributor(writer, ORIGIN_LOST, only->also[i].value, only->also[i].why);
}

static void begin_gone(struct explain_writer *writer, struct span key)
{
	explain_line_clean(&writer->line, key.data, key.len);
	explain_line_colour(&writer->line, COLOUR_YELLOW);
	explain_line_word(&writer->line, " (gone)");
	explain_line_colour(&writer->line, COLOUR_NORMAL);
}

/* Prints the lost values, the latest first. `by` has removed them, and is printed already. */
static void put_lost(struct explain_writer *writer, const struct origin_removed *removed,
	const struct origin_step *by)
{
	size_t count = 0;

	for (const struct origin_step *step = NULL; (step = origin_removed_next(removed, step));)
		if (step != by)
			take_step(writer, &count, step);
	for (size_t i = count; i-- > 0;) {
		const struct origin_step *step = writer->steps[i];
		bool is_printed = by && step->why.by == by->value;

		put_contributor(writer, step->fate, step->value,
			is_printed ? (struct origin_why){0} : step->why);
	}
}

static void put_removed(struct explain_writer *writer, const struct node *in, struct key_text *key,
	const struct origin_removed *removed)
{
	const struct origin_step *by = removed->last->fate == ORIGIN_REMOVED ? removed->last : NULL;
	size_t len = key->len;

	if (removed->key && node_is_sequence(in))
		key_text_put_item(key, removed->key, removed->first->value);
	else if (removed->key)
		key_text_put(key, removed->key);
	begin_gone(writer, key_text_span(key));
	key_text_cut(key, len);
	if (by) {
		explain_line_place(&writer->line, by->value);
		explain_line_why(&writer->line, by->why, by->value);
	}
	explain_line_end(&writer->line);
	put_lost(writer, removed, by);
}

static void put_line(
	struct explain_writer *writer, const struct explained_value *value, bool has_parts)
{
	struct span key = key_text_span(value->key);

	explain_line_clean(&writer->line, key.data, key.len);
	explain_line_word(&writer->line, ": ");
	explain_line_colour(&writer->line, COLOUR_GREEN);
	explain_line_value(&writer->line, value->value);
	explain_line_colour(&writer->line, COLOUR_NORMAL);
	if (!has_parts)
		explain_line_place(&writer->line, value->value);
	explain_line_end(&writer->line);
}

/* Returns whether a map or list has origins besides those of its entries. */
static bool is_worth_a_line(const struct node *value, const struct origin *origin, bool *has_parts)
{
	bool has_others = false;

	*has_parts = false;
	for (const struct origin_step *step = NULL; origin && (step = origin_next(origin, step));) {
		*has_parts |= step->fate == ORIGIN_PART;
		has_others |= step->fate != ORIGIN_PART;
	}
	if (node_is_map(value))
		return has_others || value->map.count == 0;
	return node_is_scalar(value) || has_others || *has_parts || value->seq.count == 0;
}

static int put_explained(void *context, const struct explained_value *value)
{
	struct explain_writer *writer = context;
	const struct origin *origin = value->origin;
	const struct explained *asked =
		writer->only && value->value == writer->only->at.value ? writer->only : NULL;
	bool has_parts;

	if (is_worth_a_line(value->value, origin, &has_parts) || asked) {
		put_line(writer, value, has_parts);
		if (origin)
			put_contributors(writer, origin, value->value, has_parts);
		put_also(writer, asked);
	}
	for (const struct origin_removed *at = origin ? origin->removed : NULL; at; at = at->next)
		put_removed(writer, value->value, value->key, at);
	return writer->has_failed ? -ENOMEM : 0;
}

static void put_gone(struct explain_writer *writer, const char *asked)
{
	const struct explained *gone = writer->only;

	if (gone->removed) {
		put_removed(writer, gone->in, gone->at.key, gone->removed);
	} else {
		explain_line_shown(&writer->line, asked);
		begin_gone(writer, (struct span){"", 0});
		explain_line_place(&writer->line, gone->in);
		explain_line_end(&writer->line);
	}
	put_also(writer, gone);
}

/* Prints the documents that layers had and the file has not. */
static int put_gone_documents(struct explain_writer *writer, const struct explanation *explanation)
{
	CLEANUP(arena_freep) struct arena *arena = NULL;
	CLEANUP(key_text_fini) struct key_text key = {0};
	struct explained_document *gone;
	size_t count;
	int r = arena_new(&arena);

	if (r == 0)
		r = explained_documents_gone(explanation, arena, &gone, &count);
	for (size_t i = 0; r == 0 && i < count; i++) {
		stream_put_name(gone[i].name, &key);
		if (explanation->stream.count + i > 0)
			explain_line_end(&writer->line);
		put_removed(writer, NULL, &key, &gone[i].removed);
		key_text_cut(&key, 0);
	}
	return key.has_failed ? -ENOMEM : r;
}

static void put_documents(struct explain_writer *writer, const struct explanation *explanation)
{
	const struct stream *stream = &explanation->stream;
	struct key_text key = {0};
	int r = 0;

	for (size_t i = 0; r == 0 && i < stream->count; i++) {
		const struct explained_value root = {
			.value = stream->roots[i], .key = &key, .document = i};

		if (i > 0)
			explain_line_end(&writer->line);
		stream_put(stream, i, &key);
		r = explained_value_each(writer->origins, &root, put_explained, writer);
		key_text_cut(&key, 0);
	}
	if (r == 0)
		r = put_gone_documents(writer, explanation);
	writer->has_failed |= r < 0 || key.has_failed;
	key_text_fini(&key);
}

static size_t count_breaks(const char *text, size_t from, size_t to)
{
	size_t breaks = 0;

	for (; from < to; from++)
		breaks += text[from] == '\n';
	return breaks;
}

/* Prints which lines of the file come from which source. */
static void put_pieces(struct explain_writer *writer, const struct merge_result *result)
{
	size_t line = 1, done = 0;

	for (const struct origin_piece *piece = origin_pieces(result->origins); piece;
		piece = piece->next) {
		const char *text = result->text.data;
		char what[64];

		line += count_breaks(text, done, piece->offset);
		/* The newline at the end of a piece may belong to the next piece. */
		done = piece->offset + piece->len - (piece->len > 0);
		size_t last = line + count_breaks(text, piece->offset, done);
		if (last == line)
			snprintf(what, sizeof(what), "line %zu", line);
		else
			snprintf(what, sizeof(what), "lines %zu-%zu", line, last);
		line = last;
		explain_line_word(&writer->line, what);
		const struct node first = {
			.source = piece->source, .line = piece->line, .column = 1};
		if (piece->line > 1)
			explain_line_place(&writer->line, &first);
		else
			explain_line_source(&writer->line, piece->source);
		explain_line_end(&writer->line);
	}
}

static void put_passed(struct explain_writer *writer, const struct explanation *explanation)
{
	static const char *const rules[] = {
		[STRATEGY_TAKES_ALL] = "",
		[STRATEGY_TAKES_HIGHEST] = "the highest layer's file is taken",
		[STRATEGY_TAKES_LOWEST] = "the lowest layer's file is taken",
	};

	for (size_t i = explanation->passed_count; i-- > 0;) {
		explain_line_colour(&writer->line, COLOUR_DIM);
		explain_line_word(&writer->line, "  lost");
		explain_line_source(&writer->line, &explanation->passed[i].source);
		explain_line_rule(&writer->line,
			explanation->passed[i].why ? explanation->passed[i].why
			: explanation->request
				? rules[explanation->request->options->strategy->takes]
				: "");
		explain_line_colour(&writer->line, COLOUR_NORMAL);
		explain_line_end(&writer->line);
	}
}

/* Prints the source of a link or a large file. */
static void put_only_source(struct explain_writer *writer, const struct explanation *explanation)
{
	const struct source source = {.name = explanation->source,
		.layer = explanation->layer,
		.rank = explanation->rank};

	explain_line_word(&writer->line,
		explanation->kind == VERSION_LINK ? "a symbolic link" : "a large file, as it is");
	explain_line_source(&writer->line, &source);
	explain_line_end(&writer->line);
}

static void put_head(struct explain_writer *writer, const struct explanation *explanation)
{
	const struct merge_result *result = explanation->result;

	explain_line_colour(&writer->line, COLOUR_BOLD);
	explain_line_shown(&writer->line, explanation->path);
	explain_line_colour(&writer->line, COLOUR_NORMAL);
	if (explanation->kind == VERSION_BYTES) {
		explain_line_word(&writer->line, ": ");
		explain_line_word(&writer->line, explanation->request->options->strategy->name);
	}
	explain_line_end(&writer->line);
	for (size_t i = 0; result && i < result->source_count; i++) {
		explain_line_word(&writer->line, "  ");
		explain_line_name(&writer->line, result->sources[i]);
		explain_line_end(&writer->line);
	}
	explain_line_end(&writer->line);
}

static void choose_widths(struct explain_writer *writer, const struct explanation *explanation)
{
	const struct merge_result *result = explanation->result;

	for (size_t i = 0; result && i < result->source_count; i++)
		explain_line_widen(&writer->line, result->sources[i]);
	for (size_t i = 0; i < explanation->passed_count; i++)
		explain_line_widen(&writer->line, &explanation->passed[i].source);
	if (explanation->source)
		explain_line_widen(&writer->line, &(struct source){.name = explanation->source,
							  .layer = explanation->layer,
							  .rank = explanation->rank});
}

static void put_all(struct explain_writer *writer, const struct explanation *explanation)
{
	put_head(writer, explanation);
	if (explanation->kind != VERSION_BYTES)
		put_only_source(writer, explanation);
	else
		put_documents(writer, explanation);
	if (explanation->kind == VERSION_BYTES && !explanation->stream.count)
		put_pieces(writer, explanation->result);
	put_passed(writer, explanation);
}

int explain_text(const struct explanation *explanation, const struct explained *only,
	const char *asked, bool is_coloured, FILE *out)
{
	struct explain_writer writer = {
		.line = {.out = out, .is_coloured = is_coloured, .places = &explanation->places},
		.origins = explanation->result ? explanation->result->origins : NULL,
		.only = only,
	};
	int r = 0;

	choose_widths(&writer, explanation);
	if (!only)
		put_all(&writer, explanation);
	else if (only->at.value)
		r = explained_value_each(writer.origins, &only->at, put_explained, &writer);
	else
		put_gone(&writer, asked);
	writer.has_failed |= r < 0 || (only && only->at.key->has_failed);
	free(writer.steps);
	return writer.has_failed ? -ENOMEM : 0;
}
