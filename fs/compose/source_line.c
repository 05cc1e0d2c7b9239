#include "source_line.h"

#include <errno.h>
#include <string.h>

#include "merge.h"

bool source_line_next(struct span *rest, struct span *ret)
{
	if (rest->len == 0)
		return false;
	const char *newline = memchr(rest->data, '\n', rest->len);
	size_t len = newline ? (size_t)(newline - rest->data) : rest->len;
	size_t step = newline ? len + 1 : len;

	*ret = (struct span){rest->data, len};
	if (newline && len > 0 && rest->data[len - 1] == '\r')
		ret->len--;
	rest->data += step;
	rest->len -= step;
	return true;
}

size_t source_lines_count(struct span text)
{
	size_t count = 0;

	for (struct span line; source_line_next(&text, &line);)
		count++;
	return count;
}

static int split(struct source_lines *lines, struct arena *arena)
{
	struct span rest = lines->text;

	lines->count = source_lines_count(rest);
	lines->lines = arena_zalloc(arena, lines->count + 1, sizeof(*lines->lines));
	if (!lines->lines)
		return -ENOMEM;
	for (size_t i = 0; i < lines->count; i++)
		source_line_next(&rest, &lines->lines[i]);
	return 0;
}

int source_lines_get(
	struct source_lines *lines, size_t number, struct arena *arena, struct span *ret)
{
	int r = lines->lines ? 0 : split(lines, arena);

	if (r < 0)
		return r;
	if (number == 0 || number > lines->count)
		return -ENOENT;
	*ret = lines->lines[number - 1];
	return 0;
}

struct source_lines *source_lines_of(struct source_lines *texts,
	const struct merge_request *request, const struct source *source)
{
	for (size_t i = 0; i < request->count; i++) {
		const struct merge_input *input = &request->inputs[i];

		if (input->source.rank != source->rank || !input->text.data ||
			strcmp(input->source.name, source->name) != 0)
			continue;
		texts[i].text = input->text;
		return &texts[i];
	}
	return NULL;
}
