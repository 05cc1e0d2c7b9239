/*
 * Blame as JSON, one line of it for each line of the file.
 */
#include <inttypes.h>

#include "blame.h"
#include "json_put.h"

static void print_line(const struct line *line, size_t number, FILE *out)
{
	fprintf(out, "\n    {\"number\": %zu, \"text\": ", number);
	json_put_span(out, line->text);
	if (line->source) {
		json_put_field(out, ", \"layer\": ", line->source->layer);
		json_put_field(out, ", \"file\": ", line->source->name);
		fprintf(out, ", \"line\": %" PRIu32 ", \"column\": %" PRIu32, line->source_line,
			line->source_column);
	}
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
		print_line(&lines->lines[i], i + 1, out);
	}
	fputs(lines->count > 0 ? "\n  ]\n}\n" : "]\n}\n", out);
}
