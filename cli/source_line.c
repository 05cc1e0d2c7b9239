#include "source_line.h"

#include <errno.h>

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

static int mark(struct source_lines *lines, struct arena *arena)
{
	struct span rest = lines->text, line;
	size_t count = source_lines_count(lines->text), number = 0;

	lines->marks = arena_zalloc(arena, count / SOURCE_LINES_STEP + 1, sizeof(*lines->marks));
	if (!lines->marks)
		return -ENOMEM;
	do {
		if (number % SOURCE_LINES_STEP == 0)
			lines->marks[number / SOURCE_LINES_STEP] = lines->text.len - rest.len;
		number++;
	} while (source_line_next(&rest, &line) && number < count);
	lines->count = count;
	return 0;
}

int source_lines_get(
	struct source_lines *lines, size_t number, struct arena *arena, struct span *ret)
{
	if (!lines->marks) {
		int r = mark(lines, arena);
		if (r < 0)
			return r;
	}
	if (number == 0 || number > lines->count)
		return -ENOENT;
	size_t start = lines->marks[(number - 1) / SOURCE_LINES_STEP];
	struct span rest = {lines->text.data + start, lines->text.len - start};
	for (size_t i = (number - 1) % SOURCE_LINES_STEP + 1; i > 0; i--)
		source_line_next(&rest, ret);
	return 0;
}
