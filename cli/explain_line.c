#include "explain_line.h"

#include <errno.h>
#include <stdlib.h>

#include "excerpt.h"
#include "shown.h"
#include "utf8.h"

/* Widths in columns: of the text; and the largest width of a layer's name and of a place. */
#define WHAT_WIDTH 40
#define LAYER_WIDTH_MAX 24
#define PLACE_WIDTH_MAX 64

/* Size of a value in a line, in bytes. */
#define EXCERPT_SIZE 64

/* Usual width of ":LINE:COLUMN". */
#define NUMBERS_WIDTH 7

/* Collects the dozen pieces of a line in a buffer, to call the library less often. */
static void put(struct explain_line *line, const char *text, size_t len)
{
	if (sizeof(line->buffer) - line->used < len)
		explain_line_flush(line);
	if (len >= sizeof(line->buffer)) {
		fwrite_unlocked(text, 1, len, line->out);
		return;
	}
	memcpy(line->buffer + line->used, text, len);
	line->used += len;
}

void explain_line_flush(struct explain_line *line)
{
	fwrite_unlocked(line->buffer, 1, line->used, line->out);
	line->used = 0;
}

void explain_line_colour(struct explain_line *line, const char *sequence)
{
	if (line->is_coloured)
		put(line, sequence, strlen(sequence));
}

static size_t columns_of(const char *text, size_t len)
{
	size_t columns = 0;

	for (size_t i = 0; i < len; i++)
		columns += !utf8_is_tail((unsigned char)text[i]);
	return columns;
}

void explain_line_clean(struct explain_line *line, const char *text, size_t len)
{
	put(line, text, len);
	line->columns += columns_of(text, len);
}

/* Puts ASCII text, whose width is its number of bytes. */
static void put_ascii(struct explain_line *line, const char *text, size_t len)
{
	put(line, text, len);
	line->columns += len;
}

void explain_line_word(struct explain_line *line, const char *word)
{
	explain_line_clean(line, word, strlen(word));
}

static bool is_printable_ascii(struct span text)
{
	for (size_t i = 0; i < text.len; i++)
		if (text.data[i] < ' ' || text.data[i] > '~')
			return false;
	return true;
}

void explain_line_shown(struct explain_line *line, const char *text)
{
	const struct span all = span_of(text);
	const char *end = text + all.len;
	char shown[SHOWN_MAX + 1];

	if (is_printable_ascii(all)) {
		put_ascii(line, all.data, all.len);
		return;
	}
	while (text < end)
		explain_line_clean(line, shown, shown_put(&text, end, shown));
}

void explain_line_value(struct explain_line *line, const struct node *value)
{
	char text[EXCERPT_SIZE];

	/* Most values are like that. */
	if (node_is_scalar(value) && value->style == NODE_PLAIN && !value->tag &&
		value->text.len < sizeof(text) && is_printable_ascii(value->text)) {
		put_ascii(line, value->text.data, value->text.len);
		return;
	}
	excerpt(value, text, sizeof(text));
	explain_line_word(line, text);
}

static void put_number(struct explain_line *line, uint32_t number)
{
	char text[10];
	size_t at = sizeof(text);

	do
		text[--at] = (char)('0' + number % 10);
	while (number /= 10);
	put_ascii(line, text + at, sizeof(text) - at);
}

static void put_line_column(struct explain_line *line, const struct node *node)
{
	put_ascii(line, ":", 1);
	put_number(line, node->line);
	put_ascii(line, ":", 1);
	put_number(line, node->column);
}

/* Puts blanks up to that column, and at least two. */
static void put_blanks(struct explain_line *line, size_t column)
{
	static const char blanks[] = "                                                            ";
	size_t count = line->columns + 2 < column ? column - line->columns : 2;

	for (; count >= sizeof(blanks); count -= sizeof(blanks) - 1)
		put_ascii(line, blanks, sizeof(blanks) - 1);
	put_ascii(line, blanks, count);
}

void explain_line_end(struct explain_line *line)
{
	put(line, "\n", 1);
	line->columns = 0;
}

/* Writes `text`, escaped, to *at, and moves *at behind it. Returns its width. */
static size_t render(char **at, const char *text)
{
	const char *end = text + strlen(text), *start = *at;

	while (text < end) {
		char shown[SHOWN_MAX + 1];
		size_t len = shown_put(&text, end, shown);

		memcpy(*at, shown, len);
		*at += len;
	}
	return columns_of(start, (size_t)(*at - start));
}

/* Returns the source's cached text. NULL: no memory. */
static const struct explain_known *know(struct explain_line *line, const struct source *source)
{
	struct explain_known *known = &line->known[source->rank % EXPLAIN_KNOWN_COUNT];
	const char *name = store_places_name(line->places, source);
	size_t size =
		SHOWN_MAX * (strlen(source->layer) + strlen(name)) + LAYER_WIDTH_MAX + sizeof("  ");

	if (known->source == source)
		return known;
	char *text = realloc(known->text, size), *at = text;
	if (!text)
		return NULL;
	known->columns = render(&at, source->layer);
	while (known->columns < line->layer_width) {
		*at++ = ' ';
		known->columns++;
	}
	*at++ = ' ';
	*at++ = ' ';
	known->columns += 2 + render(&at, name);
	known->text = text;
	known->len = (size_t)(at - text);
	known->source = source;
	return known;
}

void explain_line_name(struct explain_line *line, const struct source *source)
{
	const struct explain_known *known = know(line, source);

	line->has_failed |= !known;
	if (!known)
		return;
	put(line, known->text, known->len);
	line->columns += known->columns;
}

void explain_line_source(struct explain_line *line, const struct source *source)
{
	put_blanks(line, WHAT_WIDTH);
	explain_line_name(line, source);
}

void explain_line_place(struct explain_line *line, const struct node *node)
{
	if (!node || !node->source)
		return;
	explain_line_source(line, node->source);
	put_line_column(line, node);
}

void explain_line_rule(struct explain_line *line, const char *rule)
{
	put_blanks(line, WHAT_WIDTH + line->layer_width + 2 + line->place_width);
	explain_line_shown(line, rule);
}

void explain_line_why(struct explain_line *line, struct origin_why why, const struct node *value)
{
	const struct node *by = why.by != value ? why.by : NULL;

	if (!why.rule)
		return;
	explain_line_rule(line, why.rule);
	if (!by || !by->source)
		return;
	explain_line_word(line, " (");
	explain_line_shown(line, store_places_name(line->places, by->source));
	put_line_column(line, by);
	explain_line_word(line, ")");
}

void explain_line_widen(struct explain_line *line, const struct source *source)
{
	size_t layer = columns_of(source->layer, strlen(source->layer));
	const char *name = store_places_name(line->places, source);
	size_t place = columns_of(name, strlen(name)) + NUMBERS_WIDTH;

	if (layer > line->layer_width && layer <= LAYER_WIDTH_MAX)
		line->layer_width = layer;
	if (place > line->place_width && place <= PLACE_WIDTH_MAX)
		line->place_width = place;
}

void explain_line_forget(struct explain_line *line, const struct source *source)
{
	struct explain_known *known = &line->known[source->rank % EXPLAIN_KNOWN_COUNT];

	if (known->source == source)
		known->source = NULL;
}

int explain_line_fini(struct explain_line *line)
{
	for (size_t i = 0; i < EXPLAIN_KNOWN_COUNT; i++)
		free(line->known[i].text);
	return line->has_failed ? -ENOMEM : 0;
}
