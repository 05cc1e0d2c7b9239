/*
 * Prints blame as text, in columns:
 *
 *      vendor  app.yaml:2   1) server:
 *      site    app.yaml:3   2)   port: 8080
 *
 * For a layer that is a mirror of git, the commit and the author stand behind the place.
 */
#include <inttypes.h>
#include <string.h>

#include "blame.h"
#include "colour.h"
#include "column.h"
#include "shown.h"

struct widths {
	size_t layer;
	size_t place;
	size_t author; /* 0: no line has an author */
	int number;
};

/* Distinct on light and dark terminals. The layers' names distinguish them, too. */
static const char *const layer_colours[] = {
	"\033[36m", "\033[33m", "\033[32m", "\033[35m", "\033[34m", "\033[31m"};

#define LAYER_COLOURS (sizeof(layer_colours) / sizeof(*layer_colours))

static size_t larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

static size_t show_name(const struct line_author *author, char ret[BLAME_AUTHOR_SIZE])
{
	shown_head(ret, BLAME_AUTHOR_SIZE, author->name);
	return column_put(NULL, span_of(ret));
}

static struct widths measure(const struct blame *blame)
{
	const struct line_origins *origins = blame->lines;
	struct widths widths = {.layer = 1, .number = (int)column_digits(origins->count)};
	const struct source *last = NULL;
	char name_shown[BLAME_AUTHOR_SIZE];
	size_t name = 0;

	for (size_t i = 0; i < origins->count; i++) {
		const struct line *line = &origins->lines[i];

		if (!line->source)
			continue;
		if (line->source != last) {
			name = column_put(NULL, span_of(blame_place(blame, line->source)));
			widths.layer = larger(
				widths.layer, column_put(NULL, span_of(line->source->layer)));
		}
		last = line->source;
		const struct line_author *author = blame_author(blame->authors, line);
		if (author)
			widths.author = larger(widths.author, show_name(author, name_shown));
		widths.place = larger(widths.place, name + 1 + column_digits(line->source_line));
	}
	return widths;
}

static void print_blanks(FILE *out, size_t from, size_t to)
{
	fprintf(out, "%*s", to > from ? (int)(to - from) : 0, "");
}

static void print_author(const struct line_author *author, const struct widths *widths, FILE *out)
{
	char name[BLAME_AUTHOR_SIZE];
	size_t width = 0;

	if (!widths->author)
		return;
	if (author) {
		width = 3 + BLAME_COMMIT_WIDTH + show_name(author, name);
		fprintf(out, "  %.*s %s", BLAME_COMMIT_WIDTH, author->commit, name);
	}
	print_blanks(out, width, 3 + BLAME_COMMIT_WIDTH + widths->author);
}

static void print_source(const struct blame *blame, const struct line *line,
	const struct widths *widths, bool is_coloured, FILE *out)
{
	size_t layer = blame_layer(blame, line->source), width;

	if (is_coloured)
		fputs(layer_colours[layer % LAYER_COLOURS], out);
	width = column_put(out, span_of(line->source->layer));
	print_blanks(out, width, widths->layer + 2);
	if (is_coloured)
		fputs(COLOUR_DIM, out);
	width = column_put(out, span_of(blame_place(blame, line->source))) + 1 +
		column_digits(line->source_line);
	fprintf(out, ":%" PRIu32, line->source_line);
	if (is_coloured)
		fputs(COLOUR_NORMAL, out);
	print_blanks(out, width, widths->place);
}

void blame_print_text(const struct blame *blame, bool is_coloured, FILE *out)
{
	const char *dim = is_coloured ? COLOUR_DIM : "", *normal = is_coloured ? COLOUR_NORMAL : "";
	const struct widths widths = measure(blame);

	for (size_t i = 0; i < blame->lines->count; i++) {
		const struct line *line = &blame->lines->lines[i];

		if (line->source) {
			print_source(blame, line, &widths, is_coloured, out);
		} else {
			fprintf(out, "%s-%s", dim, normal);
			print_blanks(out, 1, widths.layer + 2 + widths.place);
		}
		print_author(blame_author(blame->authors, line), &widths, out);
		fprintf(out, "  %s%*zu)%s", dim, widths.number, i + 1, normal);
		if (line->text.len > 0)
			fputc(' ', out);
		column_put(out, line->text);
		fputc('\n', out);
	}
}
