#include "explain_line.h"

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

static void put(struct explain_line *line, const char *text, size_t len)
{
	fwrite_unlocked(text, 1, len, line->out);
}

void explain_line_colour(struct explain_line *line, const char *sequence)
{
	if (line->is_coloured)
		put(line, sequence, strlen(sequence));
}

static size_t columns_of(const char *text, size_t len)
{
	return utf8_count(text, text + len);
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

/* Puts ":123". printf(3) would take longer than all the rest of a line. */
static void put_number(struct explain_line *line, uint32_t number)
{
	char text[11];
	size_t at = sizeof(text);

	do
		text[--at] = (char)('0' + number % 10);
	while (number /= 10);
	text[--at] = ':';
	put_ascii(line, text + at, sizeof(text) - at);
}

static void put_line_column(struct explain_line *line, const struct node *node)
{
	put_number(line, node->line);
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

void explain_line_name(struct explain_line *line, const struct source *source)
{
	size_t layer_end = line->columns + line->layer_width + 2;

	explain_line_shown(line, source->layer);
	put_blanks(line, layer_end);
	explain_line_shown(line, store_places_name(line->places, source));
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
