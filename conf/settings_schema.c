/*
 * The schemas that rules and virtual files of plyfs.yaml name.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "settings_make.h"
#include "text.h"
#include "value.h"

/* In bytes. The largest schemas in use, of whole programs' configuration, have two million. */
#define SCHEMA_TEXT_MAX (16u << 20)

/* Returns the path of a schema, relative to the directory of `file`, the plyfs.yaml or preset that
 * names it. NULL: no memory. */
static const char *find_path(struct settings *settings, const char *file, const char *name)
{
	const char *slash = strrchr(file, '/');

	if (name[0] == '/' || !slash)
		return arena_copy(settings->arena, span_of(name));
	return arena_printf(settings->arena, "%.*s%s", (int)(slash - file) + 1, file, name);
}

static const struct schema_file *find_schema(const struct settings *settings, const char *path)
{
	for (uint32_t i = 0; i < settings->schema_count; i++)
		if (strcmp(settings->schemas[i]->path, path) == 0)
			return settings->schemas[i];
	return NULL;
}

static int add_schema(struct settings *settings, struct schema_file *file)
{
	if (settings->schema_count == settings->schema_capacity) {
		struct schema_file **larger = arena_grow(settings->arena, settings->schemas,
			settings->schema_count, &settings->schema_capacity, sizeof(*larger));
		if (!larger)
			return -ENOMEM;
		settings->schemas = larger;
	}
	settings->schemas[settings->schema_count++] = file;
	return 0;
}

static int open_schema(struct settings *settings, const char *path, const struct schema_file **ret,
	struct problem *problem)
{
	struct schema_file *file = arena_zalloc(settings->arena, 1, sizeof(*file));
	const struct text_kind kind = {"JSON Schema", "a schema is", SCHEMA_TEXT_MAX};
	const struct source source = {.name = path, .layer = ""};
	CLEANUP(freep) char *text = NULL;
	size_t len = 0;

	if (!file)
		return -ENOMEM;
	file->path = path;
	int r = surroundings_place(&settings->around, path, settings->arena, &file->place);
	if (r == 0)
		r = text_read_file(path, file->place, &kind, &file->read, &text, &len, problem);
	if (r != 0)
		return r;
	file->text = (struct span){arena_copy(settings->arena, (struct span){text, len}), len};
	if (!file->text.data)
		return -ENOMEM;
	r = schema_read(&source, file->text, format_of_name(path), &file->schema, problem);
	if (r != 0)
		return r;
	r = add_schema(settings, file);
	if (r < 0) {
		schema_free(file->schema);
		return r;
	}
	*ret = file;
	return 0;
}

int settings_read_schema(struct settings *settings, const struct node *map,
	const struct schema_file **ret, struct problem *problem)
{
	const char *name = NULL, *path;
	int r = value_text(node_get(map, "schema"), "schema", &name, problem);

	if (r != 0 || !name)
		return r;
	path = find_path(settings, map->source->name, name);
	if (!path)
		return -ENOMEM;
	*ret = find_schema(settings, path);
	if (*ret)
		return 0;
	r = open_schema(settings, path, ret, problem);
	if (r != PROBLEM || problem->line)
		return r;
	/* If the problem has no place in the schema, the place is that of `schema:`. */
	struct problem of_file = *problem;
	return problem_at(problem, node_get(map, "schema"), "the schema '%s' %s", path, of_file.message);
}
