#include "line_map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"

/* The source of a line of the text. */
struct mapped {
	const char *source; /* NULL: from no source */
	uint32_t line;
	uint32_t column;  /* of the line's part that comes from there */
	uint32_t from;    /* columns of the text from this one on … */
	int32_t distance; /* … are this much further right than in the source */
};

struct line_map {
	struct mapped *lines;
	size_t count;
	struct arena *arena;
};

struct mapper {
	struct line_map *to;
	const struct merge_request *request;
	struct source_lines *texts; /* one for each of the request's inputs, as are `names` */
	const char **names;         /* the map's copies */
	struct arena *arena;        /* has the lines */
};

/* Returns the map's name of the source that has the lines `text` (or NULL). NULL: no memory. */
static const char *name_of(
	struct mapper *mapper, const struct source *source, const struct source_lines *text)
{
	const char *copy = text ? mapper->names[text - mapper->texts] : NULL;

	if (!copy)
		copy = arena_copy(mapper->to->arena, span_of(source->name));
	if (text)
		mapper->names[text - mapper->texts] = copy;
	return copy;
}

static uint32_t indent_of(struct span line)
{
	uint32_t count = 0;

	while (count < line.len && (line.data[count] == ' ' || line.data[count] == '\t'))
		count++;
	return count;
}

static struct span without_indent(struct span line)
{
	uint32_t indent = indent_of(line);

	return (struct span){line.data + indent, line.len - indent};
}

/* If the line, or its value, stands in the source as it is, columns can be counted. */
static void map_columns(const struct line *line, struct span original, struct mapped *mapped)
{
	if (original.data && span_equal(without_indent(original), without_indent(line->text))) {
		mapped->from = indent_of(line->text) + 1;
		mapped->distance = (int32_t)indent_of(line->text) - (int32_t)indent_of(original);
		mapped->column = indent_of(original) + 1;
	} else if (line->value_column && line->kind == LINE_VALUE) {
		mapped->from = line->value_column;
		mapped->distance = (int32_t)line->value_column - (int32_t)line->source_column;
	}
}

static int map_line(struct mapper *mapper, const struct line *line, struct mapped *mapped)
{
	struct span original = {0};

	if (!line->source || line->kind == LINE_MADE || line->source_line == 0)
		return 0;
	struct source_lines *text = source_lines_of(mapper->texts, mapper->request, line->source);
	*mapped = (struct mapped){.source = name_of(mapper, line->source, text),
		.line = line->source_line,
		.column = line->source_column,
		.from = UINT32_MAX};
	if (!mapped->source)
		return -ENOMEM;
	int r = text ? source_lines_get(text, line->source_line, mapper->arena, &original)
		     : -ENOENT;
	if (r == -ENOMEM)
		return r;
	map_columns(line, original, mapped);
	return 0;
}

static int map_lines(struct mapper *mapper, const struct line_origins *origins)
{
	struct line_map *to = mapper->to;
	int r = 0;

	to->lines = arena_zalloc(to->arena, origins->count + 1, sizeof(*to->lines));
	if (!to->lines)
		return -ENOMEM;
	to->count = origins->count;
	for (size_t i = 0; r == 0 && i < origins->count; i++)
		r = map_line(mapper, &origins->lines[i], &to->lines[i]);
	return r;
}

int line_map_make(const struct merge_request *request, const struct merge_result *result,
	struct line_map **ret)
{
	CLEANUP(line_origins_freep) struct line_origins *origins = NULL;
	CLEANUP(line_map_freep) struct line_map *map = calloc(1, sizeof(*map));

	int r = map ? arena_new(&map->arena) : -ENOMEM;
	if (r == 0)
		r = line_origins_read(request, result, &origins);
	if (r < 0)
		return r;
	struct mapper mapper = {.to = map, .request = request, .arena = origins->arena};
	mapper.texts = arena_zalloc(origins->arena, request->count + 1, sizeof(*mapper.texts));
	mapper.names = arena_zalloc(origins->arena, request->count + 1, sizeof(*mapper.names));
	if (!mapper.texts || !mapper.names)
		return -ENOMEM;
	r = map_lines(&mapper, origins);
	if (r == 0)
		*ret = take_ptr(map);
	return r;
}

void line_map_freep(struct line_map **place)
{
	struct line_map *map = *place;

	if (!map)
		return;
	arena_free(map->arena);
	free(map);
}

bool line_map_find(
	const struct line_map *map, unsigned line, unsigned column, struct line_place *ret)
{
	const struct mapped *mapped =
		map && line > 0 && line <= map->count ? &map->lines[line - 1] : NULL;

	if (!mapped || !mapped->source)
		return false;
	*ret = (struct line_place){mapped->source, mapped->line, 0};
	if (column >= mapped->from)
		ret->column = (unsigned)((int64_t)column - mapped->distance);
	else if (column > 0)
		ret->column = mapped->column;
	return true;
}

/* A source's name is written only before the first of its lines that stand together. */
void line_map_put(struct record *record, const struct line_map *map)
{
	const char *before = NULL;

	record_put(record, map != NULL);
	if (!map)
		return;
	record_put(record, map->count);
	for (size_t i = 0; i < map->count; i++) {
		const struct mapped *mapped = &map->lines[i];

		record_put(record, mapped->source != NULL);
		if (!mapped->source)
			continue;
		record_put_text(record, mapped->source == before ? NULL : mapped->source);
		before = mapped->source;
		record_put(record, mapped->line);
		record_put(record, mapped->column);
		record_put(record, mapped->from);
		record_put(record, (uint64_t)(int64_t)mapped->distance);
	}
}

static int take_mapped(
	struct record *record, struct line_map *map, const char **source, struct mapped *mapped)
{
	CLEANUP(freep) char *text = record_get_text(record);

	if (text)
		*source = arena_copy(map->arena, span_of(text));
	if (!*source)
		return text ? -ENOMEM : record_refuse(record);
	mapped->source = *source;
	mapped->line = (uint32_t)record_get_below(record, UINT32_MAX);
	mapped->column = (uint32_t)record_get_below(record, UINT32_MAX);
	mapped->from = (uint32_t)record_get_below(record, UINT32_MAX);
	mapped->distance = (int32_t)record_get(record);
	return 0;
}

int line_map_take(struct record *record, struct line_map **ret)
{
	const char *source = NULL;

	*ret = NULL;
	if (!record_get_bool(record))
		return record_end(record);
	CLEANUP(line_map_freep) struct line_map *map = calloc(1, sizeof(*map));
	int r = map ? arena_new(&map->arena) : -ENOMEM;
	if (r < 0)
		return r;
	map->count = record_get_count(record, 8);
	map->lines = arena_zalloc(map->arena, map->count + 1, sizeof(*map->lines));
	if (!map->lines)
		return -ENOMEM;
	for (size_t i = 0; r == 0 && i < map->count; i++)
		if (record_get_bool(record))
			r = take_mapped(record, map, &source, &map->lines[i]);
	if (r == 0)
		r = record_end(record);
	if (r == 0)
		*ret = take_ptr(map);
	return r;
}
