/* Prints blame as JSON, one line of it for each line of the file. */
#include <inttypes.h>

#include "blame.h"
#include "json_put.h"

static void print_author(const struct line_author *author, FILE *out)
{
	json_put(out,
		", 'changed': {'commit': %s, 'author': %s, 'time': %" PRId64 ", 'summary': %s}",
		author->commit, author->name, author->time, author->summary);
}

static void print_line(const struct blame *blame, size_t number, FILE *out)
{
	const struct line *line = &blame->lines->lines[number - 1];
	const struct line_author *author = blame_author(blame->authors, line);
	const struct store_place *place =
		line->source ? store_places_find(blame->places, line->source) : NULL;

	json_put(out, "\n    {'number': %zu, 'text': ", number);
	json_put_span(out, line->text);
	if (line->source) {
		json_put(out, ", 'layer': %s, 'file': %s", line->source->layer, line->source->name);
		if (place)
			store_place_put_json(place, out);
		json_put(out, ", 'line': %" PRIu32 ", 'column': %" PRIu32, line->source_line,
			line->source_column);
	}
	if (author)
		print_author(author, out);
	fputc('}', out);
}

void blame_print_json(const struct blame *blame, FILE *out)
{
	const struct line_origins *lines = blame->lines;

	json_put(out, "{\n  'path': %s,\n  'strategy': %s,\n  'lines': [", blame->path,
		blame->strategy);
	for (size_t i = 0; i < lines->count; i++) {
		if (i > 0)
			fputc(',', out);
		print_line(blame, i + 1, out);
	}
	fputs(lines->count > 0 ? "\n  ]\n}\n" : "]\n}\n", out);
}
