#include "explain_text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "array.h"
#include "cleanup.h"
#include "colour.h"
#include "excerpt.h"
#include "shown.h"
#include "strategy.h"
#include "utf8.h"

/* Widths in columns: of the text; and the largest width of a layer's name and of a place. */
#define WHAT_WIDTH 40
#define LAYER_WIDTH_MAX 24
#define PLACE_WIDTH_MAX 64

/* Size of a value in a line, in bytes. */
#define EXCERPT_SIZE 64

/* Usual width of ":LINE:COLUMN". */
#define NUMBERS_WIDTH 7

struct explain_writer {
	bool is_coloured;
	const struct store_places *places; /* of the sources */
	size_t layer_width;
	size_t place_width;
	size_t columns; /* width of the line so far, without colours */
	const struct origins *origins;
	const struct explained *only;
	const struct origin_step **steps; /* the steps of one value, to be printed backwards */
	size_t step_capacity;
	int error; /* -ENOMEM: the output is incomplete */
};

static void put_colour(struct explain_writer *writer, const char *sequence)
{
	if (writer->is_coloured)
		fwrite_unlocked(sequence, 1, strlen(sequence), stdout);
}

/* Puts text without control characters, and without the lock of standard output. */
static void put_clean(struct explain_writer *writer, const char *text, size_t len)
{
	fwrite_unlocked(text, 1, len, stdout);
	writer->columns += utf8_count(text, text + len);
}

static void put_word(struct explain_writer *writer, const char *word)
{
	put_clean(writer, word, strlen(word));
}

static bool is_printable_ascii(struct span text)
{
	for (size_t i = 0; i < text.len; i++)
		if (text.data[i] < ' ' || text.data[i] > '~')
			return false;
	return true;
}

static void put_shown(struct explain_writer *writer, const char *text)
{
	const struct span all = span_of(text);
	const char *end = text + all.len;
	char shown[SHOWN_MAX + 1];

	if (is_printable_ascii(all)) {
		put_clean(writer, all.data, all.len);
		return;
	}
	while (text < end)
		put_clean(writer, shown, shown_put(&text, end, shown));
}

static void put_value(struct explain_writer *writer, const struct node *value)
{
	char text[EXCERPT_SIZE];

	/* Most values are like that. */
	if (node_is_scalar(value) && value->style == NODE_PLAIN && !value->tag &&
		value->text.len < sizeof(text) && is_printable_ascii(value->text)) {
		put_clean(writer, value->text.data, value->text.len);
		return;
	}
	excerpt(value, text, sizeof(text));
	put_word(writer, text);
}

/* Puts ":123". printf(3) would take longer than all the rest of a line. */
static void put_number(struct explain_writer *writer, uint32_t number)
{
	char text[11];
	size_t at = sizeof(text);

	do
		text[--at] = (char)('0' + number % 10);
	while (number /= 10);
	text[--at] = ':';
	put_clean(writer, text + at, sizeof(text) - at);
}

static void put_line_column(struct explain_writer *writer, const struct node *node)
{
	put_number(writer, node->line);
	put_number(writer, node->column);
}

/* Puts blanks up to that column, and at least two. */
static void put_blanks(struct explain_writer *writer, size_t column)
{
	static const char blanks[] = "                                                            ";
	size_t count = writer->columns + 2 < column ? column - writer->columns : 2;

	for (; count >= sizeof(blanks); count -= sizeof(blanks) - 1)
		put_clean(writer, blanks, sizeof(blanks) - 1);
	put_clean(writer, blanks, count);
}

static void end_line(struct explain_writer *writer)
{
	putc_unlocked('\n', stdout);
	writer->columns = 0;
}

static void put_name(struct explain_writer *writer, const struct source *source)
{
	size_t layer_end = writer->columns + writer->layer_width + 2;

	put_shown(writer, source->layer);
	put_blanks(writer, layer_end);
	put_shown(writer, store_places_name(writer->places, source));
}

static void put_source(struct explain_writer *writer, const struct source *source)
{
	put_blanks(writer, WHAT_WIDTH);
	put_name(writer, source);
}

static void put_place(struct explain_writer *writer, const struct node *node)
{
	if (!node || !node->source)
		return;
	put_source(writer, node->source);
	put_line_column(writer, node);
}

static void put_rule(struct explain_writer *writer, const char *rule)
{
	put_blanks(writer, WHAT_WIDTH + writer->layer_width + 2 + writer->place_width);
	put_shown(writer, rule);
}

static void put_why(struct explain_writer *writer, struct origin_why why, const struct node *value)
{
	const struct node *by = why.by != value ? why.by : NULL;

	if (!why.rule)
		return;
	put_rule(writer, why.rule);
	if (!by || !by->source)
		return;
	put_word(writer, " (");
	put_shown(writer, store_places_name(writer->places, by->source));
	put_line_column(writer, by);
	put_word(writer, ")");
}

static void widen(struct explain_writer *writer, const struct source *source)
{
	size_t layer = utf8_count(source->layer, source->layer + strlen(source->layer));
	const char *name = store_places_name(writer->places, source);
	size_t place = utf8_count(name, name + strlen(name)) + NUMBERS_WIDTH;

	if (layer > writer->layer_width && layer <= LAYER_WIDTH_MAX)
		writer->layer_width = layer;
	if (place > writer->place_width && place <= PLACE_WIDTH_MAX)
		writer->place_width = place;
}

static void put_contributor(struct explain_writer *writer, enum origin_fate fate,
	const struct node *value, struct origin_why why)
{
	static const char *const words[] = {
		[ORIGIN_LOST] = "  lost  ",
		[ORIGIN_PART] = "  part  ",
		[ORIGIN_REMOVED] = "  gone  ",
	};

	if (fate != ORIGIN_PART)
		put_colour(writer, COLOUR_DIM);
	put_word(writer, words[fate]);
	if (node_is_scalar(value) && value->text.len == 0 && value->style == NODE_PLAIN)
		put_word(writer, "(empty)");
	else
		put_value(writer, value);
	put_place(writer, value);
	put_why(writer, why, value);
	if (fate != ORIGIN_PART)
		put_colour(writer, COLOUR_NORMAL);
	end_line(writer);
}

static void take_step(struct explain_writer *writer, size_t *count, const struct origin_step *step)
{
	if (array_push(writer->steps, *count, writer->step_capacity, step) < 0)
		writer->error = -ENOMEM;
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
		if (!has_parts || i != first_part || !value->source)
			continue;
		/* The place alone: the value has more entries now than it has there. */
		put_word(writer, "  part");
		put_place(writer, value);
		end_line(writer);
	}
}

static void put_also(struct explain_writer *writer, const struct explained *only)
{
	for (size_t i = only ? only->also_count : 0; i-- > 0;)
		put_contributor(writer, ORIGIN_LOST, only->also[i].value, only->also[i].why);
}

static void begin_gone(struct explain_writer *writer, struct span key)
{
	put_clean(writer, key.data, key.len);
	put_colour(writer, COLOUR_YELLOW);
	put_word(writer, " (gone)");
	put_colour(writer, COLOUR_NORMAL);
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

	explained_value_put_removed(removed, in, key);
	begin_gone(writer, key_text_span(key));
	key_text_cut(key, len);
	if (by) {
		put_place(writer, by->value);
		put_why(writer, by->why, by->value);
	}
	end_line(writer);
	put_lost(writer, removed, by);
}

static void put_line(
	struct explain_writer *writer, const struct explained_value *value, bool has_parts)
{
	struct span key = key_text_span(value->key);

	put_clean(writer, key.data, key.len);
	put_word(writer, ": ");
	put_colour(writer, COLOUR_GREEN);
	put_value(writer, value->value);
	put_colour(writer, COLOUR_NORMAL);
	if (!has_parts)
		put_place(writer, value->value);
	end_line(writer);
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
	return writer->error;
}

static void put_gone(struct explain_writer *writer, const char *asked)
{
	const struct explained *gone = writer->only;

	if (gone->removed) {
		put_removed(writer, gone->in, gone->at.key, gone->removed);
	} else {
		put_shown(writer, asked);
		begin_gone(writer, (struct span){"", 0});
		put_place(writer, gone->in);
		end_line(writer);
	}
	put_also(writer, gone);
}

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
			end_line(writer);
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
			end_line(writer);
		stream_put(stream, i, &key);
		r = explained_value_each(writer->origins, &root, put_explained, writer);
		key_text_cut(&key, 0);
	}
	if (r == 0)
		r = put_gone_documents(writer, explanation);
	if (r < 0 || key.has_failed)
		writer->error = -ENOMEM;
	key_text_fini(&key);
}

static size_t count_breaks(const char *text, size_t from, size_t to)
{
	size_t breaks = 0;

	for (; from < to; from++)
		breaks += text[from] == '\n';
	return breaks;
}

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
		put_word(writer, what);
		const struct node first = {
			.source = piece->source, .line = piece->line, .column = 1};
		if (piece->line > 1)
			put_place(writer, &first);
		else
			put_source(writer, piece->source);
		end_line(writer);
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
		put_colour(writer, COLOUR_DIM);
		put_word(writer, "  lost");
		put_source(writer, &explanation->passed[i].source);
		put_rule(writer, explanation->passed[i].why ? explanation->passed[i].why
				 : explanation->request
					 ? rules[explanation->request->options->strategy->takes]
					 : "");
		put_colour(writer, COLOUR_NORMAL);
		end_line(writer);
	}
}

static void put_only_source(struct explain_writer *writer, const struct explanation *explanation)
{
	put_word(writer,
		explanation->kind == VERSION_LINK ? "a symbolic link" : "a large file, as it is");
	put_source(writer, &explanation->source);
	end_line(writer);
}

static void put_head(struct explain_writer *writer, const struct explanation *explanation)
{
	const struct merge_result *result = explanation->result;

	put_colour(writer, COLOUR_BOLD);
	put_shown(writer, explanation->path);
	put_colour(writer, COLOUR_NORMAL);
	if (explanation->kind == VERSION_BYTES) {
		put_word(writer, ": ");
		put_word(writer, explanation->request->options->strategy->name);
	}
	end_line(writer);
	for (size_t i = 0; result && i < result->source_count; i++) {
		put_word(writer, "  ");
		put_name(writer, result->sources[i]);
		end_line(writer);
	}
	end_line(writer);
}

static void choose_widths(struct explain_writer *writer, const struct explanation *explanation)
{
	const struct merge_result *result = explanation->result;

	for (size_t i = 0; result && i < result->source_count; i++)
		widen(writer, result->sources[i]);
	for (size_t i = 0; i < explanation->passed_count; i++)
		widen(writer, &explanation->passed[i].source);
	if (explanation->source.name)
		widen(writer, &explanation->source);
}

int explain_text(
	const struct explanation *explanation, const struct explained *only, const char *asked)
{
	struct explain_writer writer = {
		.is_coloured = colour_use(STDOUT_FILENO),
		.places = &explanation->places,
		.origins = explanation->result ? explanation->result->origins : NULL,
		.only = only,
	};
	int r = 0;

	choose_widths(&writer, explanation);
	if (only && only->at.value) {
		r = explained_value_each(writer.origins, &only->at, put_explained, &writer);
	} else if (only) {
		put_gone(&writer, asked);
	} else {
		put_head(&writer, explanation);
		if (explanation->kind != VERSION_BYTES)
			put_only_source(&writer, explanation);
		else
			put_documents(&writer, explanation);
		if (explanation->kind == VERSION_BYTES && !explanation->stream.count)
			put_pieces(&writer, explanation->result);
		put_passed(&writer, explanation);
	}
	free(writer.steps);
	return r < 0 || (only && only->at.key->has_failed) ? -ENOMEM : writer.error;
}
