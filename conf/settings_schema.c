/*
 * The schemas that rules and virtual files of plyfs.yaml name, and the files that they refer to.
 *
 * A schema may refer to the files in the directory of its own file, or below it, and to those that
 * `schemas` lists, with the files beside them.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "path.h"
#include "settings_make.h"
#include "text.h"
#include "uri.h"
#include "value.h"

/* In bytes. The largest schemas in use, of whole programs' configuration, have two million. */
#define SCHEMA_TEXT_MAX (16u << 20)

#define FILE_SCHEME "file://"

struct schema_reading {
	struct settings *settings;
	struct schema_file *file;
};

/* Returns the path of a schema, relative to the directory of `file`. NULL: no memory. */
static const char *find_path(struct settings *settings, const char *file, const char *name)
{
	if (name[0] == '/')
		return arena_copy(settings->arena, span_of(name));
	return arena_printf(
		settings->arena, "%.*s%s", (int)path_directory_length(file), file, name);
}

static struct schema_file *find_schema(const struct settings *settings, const char *path)
{
	for (uint32_t i = 0; i < settings->schema_count; i++)
		if (strcmp(settings->schemas[i]->text.path, path) == 0)
			return settings->schemas[i];
	return NULL;
}

/* Returns the URI of the file: of an absolute path, without "." and "..", in percent-encoding. */
static int find_uri(struct settings *settings, const char *path, struct span *ret)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789-._~/+@=,:!";
	CLEANUP(freep) char *directory = NULL;
	size_t len = 0;

	if (path[0] != '/') {
		directory = getcwd(NULL, 0);
		if (!directory && errno == ENOMEM)
			return -ENOMEM;
	}
	const char *whole = arena_printf(settings->arena, "%s%s%s", directory ? directory : "",
		path[0] == '/' ? "" : "/", path);
	char *uri = whole ? arena_alloc(settings->arena, strlen(whole) * 3 + 8) : NULL;
	if (!uri)
		return -ENOMEM;
	memcpy(uri, FILE_SCHEME, strlen(FILE_SCHEME));
	len = strlen(FILE_SCHEME);
	for (; *whole; whole++) {
		if (strchr(plain, *whole))
			uri[len++] = *whole;
		else
			len += (size_t)sprintf(uri + len, "%%%02X", (unsigned char)*whole);
	}
	return uri_resolve(span_of(""), (struct span){uri, len}, settings->arena, ret);
}

static int add_file(struct settings *settings, const char *path, struct schema_file **ret)
{
	struct schema_file *file = arena_zalloc(settings->arena, 1, sizeof(*file));

	if (!file)
		return -ENOMEM;
	file->text.path = path;
	int r = settings_environment_place(
		&settings->around, path, settings->arena, &file->text.place);
	if (r == 0)
		r = find_uri(settings, path, &file->uri);
	if (r == 0)
		r = arena_push(settings->arena, settings->schemas, settings->schema_count,
			settings->schema_capacity, file);
	*ret = file;
	return r;
}

/* Reads the text of the file, unless that was done before. */
static int open_file(struct settings *settings, const char *path, struct schema_file **ret,
	struct problem *problem)
{
	const struct text_kind kind = {"JSON Schema", "a schema is", SCHEMA_TEXT_MAX};
	CLEANUP(freep) char *text = NULL;
	size_t len = 0;
	int r = 0;

	*ret = find_schema(settings, path);
	if (!*ret)
		r = add_file(settings, path, ret);
	if (r != 0)
		return r;
	struct settings_text *file = &(*ret)->text;
	if (file->bytes.data)
		return 0;
	r = text_read_file(path, file->place, &kind, &file->read, &text, &len, problem);
	if (r != 0)
		return r;
	file->bytes = (struct span){arena_copy(settings->arena, (struct span){text, len}), len};
	return file->bytes.data ? 0 : -ENOMEM;
}

/* Returns whether a path has a part that is "..", ".", or empty: it may lead elsewhere. */
static bool has_odd_part(struct span path)
{
	for (const char *at = path.data, *end = span_end(path); at <= end;) {
		const char *slash = memchr(at, '/', (size_t)(end - at));
		const struct span part = {at, (size_t)((slash ? slash : end) - at)};

		if (part.len == 0 || span_is(part, ".") || span_is(part, ".."))
			return true;
		at += part.len + 1;
	}
	return false;
}

/* If the URI's file lies beside `file` or below, sets *ret to its path. Returns 0 or -ENOMEM. */
static int find_beside(struct settings *settings, const struct schema_file *file, struct span uri,
	const char **ret)
{
	struct span own;

	int r = uri_decode(file->uri, settings->arena, &own);
	if (r < 0)
		return r;
	size_t len = path_directory_length(own.data);
	if (uri.len <= len || memcmp(uri.data, own.data, len) != 0)
		return 0;
	const struct span rest = {uri.data + len, uri.len - len};
	if (has_odd_part(rest) || memchr(rest.data, '\0', rest.len))
		return 0;
	*ret = arena_printf(settings->arena, "%.*s%s", (int)path_directory_length(file->text.path),
		file->text.path, rest.data);
	return *ret ? 0 : -ENOMEM;
}

/* Finds the path of a file's URI, if it may be read. *ret is NULL if it may not. */
static int find_file(const struct schema_reading *reading, struct span uri, const char **ret)
{
	struct settings *settings = reading->settings;
	struct span decoded, other;
	int r = uri_decode(uri, settings->arena, &decoded);

	*ret = NULL;
	for (uint32_t i = 0; r == 0 && !*ret && i < settings->listed_count; i++) {
		const struct schema_file *file = settings->schemas[i];

		r = uri_decode(file->uri, settings->arena, &other);
		if (r == 0 && span_equal(decoded, other))
			*ret = file->text.path;
	}
	if (r == 0 && !*ret)
		r = find_beside(settings, reading->file, decoded, ret);
	for (uint32_t i = 0; r == 0 && !*ret && i < settings->listed_count; i++)
		r = find_beside(settings, settings->schemas[i], decoded, ret);
	return r;
}

static struct schema_file *find_id(const struct settings *settings, struct span uri)
{
	for (uint32_t i = 0; i < settings->schema_count; i++)
		if (settings->schemas[i]->id.len && span_equal(settings->schemas[i]->id, uri))
			return settings->schemas[i];
	return NULL;
}

static struct schema_text text_of(const struct schema_file *file)
{
	return (struct schema_text){.source = {.name = file->text.path, .layer = ""},
		.text = file->text.bytes,
		.format = format_of_name(file->text.path),
		.uri = file->uri};
}

static int refer(const struct schema_reading *reading, struct schema_file *other)
{
	struct schema_file *file = reading->file;

	for (uint32_t i = 0; i < file->other_count; i++)
		if (file->others[i] == other)
			return 0;
	return arena_push(reading->settings->arena, file->others, file->other_count,
		file->other_capacity, other);
}

/* Finds another document for schema_library. */
static int find_other(
	void *context, struct span uri, struct schema_text *ret, struct problem *problem)
{
	const struct schema_reading *reading = context;
	struct schema_file *file = find_id(reading->settings, uri);
	const char *path = NULL;
	int r = 0;

	if (!file && !span_begins(uri, FILE_SCHEME "/"))
		return problem_set(problem, NULL, 0, 0,
			"is another document, and plyfs fetches nothing over the network; save it "
			"as a file with the '$id' '%s', and list the file under 'schemas' in "
			"plyfs.yaml (merge: --schema-ref)",
			uri.data);
	if (!file) {
		r = find_file(reading, uri, &path);
		if (r == 0 && !path)
			return problem_set(problem, NULL, 0, 0,
				"is '%s', outside of the directory of %s; move it there, or list "
				"it under 'schemas' in plyfs.yaml (merge: --schema-ref)",
				uri.data + strlen(FILE_SCHEME), reading->file->text.path);
		if (r == 0)
			r = open_file(reading->settings, path, &file, problem);
	}
	if (r == PROBLEM) {
		struct problem of_file = *problem;
		return problem_set(
			problem, NULL, 0, 0, "is the file %s, which %s", path, of_file.message);
	}
	if (r == 0)
		r = refer(reading, file);
	if (r == 0)
		*ret = text_of(file);
	return r;
}

/* Finds the file's entry whose schema does or does not validate formats, or makes one. */
static int choose_entry(
	struct settings *settings, bool validates_formats, struct schema_file **file)
{
	for (uint32_t i = 0; i < settings->schema_count; i++) {
		struct schema_file *other = settings->schemas[i];

		if (strcmp(other->text.path, (*file)->text.path) == 0 && other->schema &&
			other->validates_formats == validates_formats) {
			*file = other;
			return 0;
		}
	}
	if ((*file)->schema) {
		struct schema_file *copy = arena_zalloc(settings->arena, 1, sizeof(*copy));
		if (!copy)
			return -ENOMEM;
		*copy = (struct schema_file){.text = (*file)->text, .uri = (*file)->uri};
		*file = copy;
		int r = arena_push(settings->arena, settings->schemas, settings->schema_count,
			settings->schema_capacity, copy);
		if (r < 0)
			return r;
	}
	(*file)->validates_formats = validates_formats;
	return 0;
}

static int open_schema(struct settings *settings, const char *path, bool validates_formats,
	const struct schema_file **ret, struct problem *problem)
{
	struct schema_file *file = NULL;

	int r = open_file(settings, path, &file, problem);
	if (r == 0)
		r = choose_entry(settings, validates_formats, &file);
	if (r != 0)
		return r;
	struct schema_reading reading = {settings, file};
	const struct schema_library library = {find_other, &reading, validates_formats};
	const struct schema_text text = text_of(file);
	if (!file->schema)
		r = schema_read(&text, &library, &file->schema, problem);
	*ret = file;
	return r;
}

/* If the problem has no place in a schema, its place is that of the name in plyfs.yaml. */
static int place_problem(const struct node *node, const char *path, struct problem *problem)
{
	const struct problem of_file = *problem;

	if (problem->line)
		return PROBLEM;
	return problem_at(problem, node, "the schema '%s' %s", path, of_file.message);
}

int settings_read_schema(struct settings *settings, const struct node *map,
	const struct schema_file **ret, struct problem *problem)
{
	const char *name = NULL, *path;
	bool validates_formats = false;
	int r = value_text(node_get(map, "schema"), "schema", &name, problem);

	if (r == 0)
		r = value_bool(node_get(map, "validate_formats"), "validate_formats",
			&validates_formats, problem);
	if (r == 0 && !name && validates_formats)
		return problem_at(problem, node_get(map, "validate_formats"),
			"'validate_formats' has no 'schema' beside it, whose formats it is about; "
			"add it, or remove this");
	if (r != 0 || !name)
		return r;
	path = find_path(settings, map->source->name, name);
	if (!path)
		return -ENOMEM;
	r = open_schema(settings, path, validates_formats, ret, problem);
	return r == PROBLEM ? place_problem(node_get(map, "schema"), path, problem) : r;
}

static int read_id(struct settings *settings, struct schema_file *file, struct problem *problem)
{
	const struct schema_text text = text_of(file);
	const struct read_options options = {
		.format = format_of_tree(text.format), .schema = NODE_YAML_1_2};
	CLEANUP(document_freep) struct document *document = NULL;
	struct span fragment;

	int r = document_read(&text.source, text.text, &options, &document, problem);
	if (r != 0 || document->count == 0 || !node_is_map(document->roots[0]))
		return r;
	const struct node *id = node_get(document->roots[0], "$id");
	if (!id)
		id = node_get(document->roots[0], "id");
	if (!id || !node_is_scalar(id))
		return 0;
	return uri_resolve(file->uri, uri_split(id->text, &fragment), settings->arena, &file->id);
}

static int list_schema(struct settings *settings, const char *path, struct problem *problem)
{
	struct schema_file *file = NULL;

	int r = open_file(settings, path, &file, problem);
	if (r == 0)
		r = read_id(settings, file, problem);
	if (r != 0)
		return r;
	const struct schema_file *other = file->id.len ? find_id(settings, file->id) : NULL;
	if (other && other != file)
		return problem_set(problem, path, 0, 0,
			"has the '$id' '%s', as %s has; list one of them", file->id.data,
			other->text.path);
	settings->listed_count = settings->schema_count;
	return 0;
}

int settings_read_schemas(
	struct settings *settings, const struct node *node, struct problem *problem)
{
	const struct node *list = NULL;
	int r = value_list(node, "schemas", &list, problem);

	for (uint32_t i = 0; r == 0 && list && i < list->seq.count; i++) {
		const struct node *item = list->seq.items[i];
		const char *name = NULL, *path;

		r = value_text(item, "a schema", &name, problem);
		if (r != 0)
			return r;
		if (!name)
			return problem_at(problem, item, "a schema must be the path of a file");
		path = find_path(settings, item->source->name, name);
		if (!path)
			return -ENOMEM;
		r = list_schema(settings, path, problem);
		if (r == PROBLEM)
			r = place_problem(item, path, problem);
	}
	return r;
}

int settings_from_schema(const char *path, const char *const *listed, bool validates_formats,
	struct settings **ret, const struct schema_file **schema, struct problem *problem)
{
	CLEANUP(settings_unrefp) struct settings *settings = NULL;
	int r = settings_new(NULL, &settings);

	for (; r == 0 && *listed; listed++)
		r = list_schema(settings, *listed, problem);
	if (r == 0)
		r = open_schema(settings, path, validates_formats, schema, problem);
	*ret = take_ptr(settings);
	return r;
}
