/* Prints blame as JSON, one line of it for each line of the file. */
#include <inttypes.h>

#include "blame.h"
#include "json_put.h"

static void print_author(const struct line_author *author, FILE *out)
{
	json_put_field(out, ", \"changed\": {\"commit\": ", author->commit);
	json_put_field(out, ", \"author\": ", author->name);
	fprintf(out, ", \"time\": %" PRId64, author->time);
	json_put_field(out, ", \"summary\": ", author->summary);
	fputc('}', out);
}

static void print_line(const struct blame *blame, size_t number, FILE *out)
{
	const struct line *line = &blame->lines->lines[number - 1];
	const struct line_author *author = blame_author(blame->authors, line);
	const struct store_place *place =
		line->source ? store_places_find(blame->places, line->source) : NULL;

	fprintf(out, "\n    {\"number\": %zu, \"text\": ", number);
	json_put_span(out, line->text);
	if (line->source) {
		json_put_field(out, ", \"layer\": ", line->source->layer);
		json_put_field(out, ", \"file\": ", line->source->name);
		if (place)
			store_place_put_json(place, out);
		fprintf(out, ", \"line\": %" PRIu32 ", \"column\": %" PRIu32, line->source_line,
			line->source_column);
	}
	if (author)
		print_author(author, out);
	fputc('}', out);
}

void blame_print_json(const struct blame *blame, FILE *out)
{
	const struct line_origins *lines = blame->lines;

	json_put_field(out, "{\n  \"path\": ", blame->path);
	json_put_field(out, ",\n  \"strategy\": ", blame->strategy);
	fputs(",\n  \"lines\": [", out);
	for (size_t i = 0; i < lines->count; i++) {
		if (i > 0)
			fputc(',', out);
		print_line(blame, i + 1, out);
	}
	fputs(lines->count > 0 ? "\n  ]\n}\n" : "]\n}\n", out);
}
