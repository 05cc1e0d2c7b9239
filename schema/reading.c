#include "reading.h"

#include <errno.h>
#include <stdlib.h>

#include "cleanup.h"
#include "scalar.h"
#include "uri.h"

/* Limit of nested subschemas. Their readers are recursive. */
#define READING_DEPTH_MAX 1000

/* A node in its resource, as a table's key. */
struct reading_place {
	const struct node *node;
	const struct resource *resource;
};

struct subschema *reading_find(
	const struct schema *schema, const struct node *node, const struct resource *resource)
{
	struct reading_place place = {node, resource};

	return table_get(&schema->places, (struct span){(const char *)&place, sizeof(place)});
}

static int put_place(struct schema *schema, const struct node *node,
	const struct resource *resource, struct subschema *subschema)
{
	struct reading_place *place = arena_alloc(schema->arena, sizeof(*place));

	if (!place)
		return -ENOMEM;
	*place = (struct reading_place){node, resource};
	return table_put(&schema->places, schema->arena,
		(struct span){(const char *)place, sizeof(*place)}, subschema);
}

/* Reads the text of a keyword that must be a string. If the keyword is missing, *ret stays
 * unchanged. */
static int read_text(struct reading *reading, const struct node *map, const char *name,
	const struct node **node, struct span *ret)
{
	*node = node_get(map, name);
	if (!*node)
		return 0;
	if (!node_is_scalar(*node) || instance_type(*node) != INSTANCE_STRING)
		return problem_at(reading->problem, *node, "'%s' must be a string", name);
	*ret = (*node)->text;
	return 0;
}

static int read_draft(struct reading *reading, const struct node *map, enum schema_draft *ret)
{
	static const struct {
		const char *uri;
		enum schema_draft draft;
	} drafts[] = {{"json-schema.org/draft-04/schema", DRAFT_4},
		{"json-schema.org/draft-06/schema", DRAFT_6},
		{"json-schema.org/draft-07/schema", DRAFT_7},
		{"json-schema.org/draft/2019-09/schema", DRAFT_2019_09},
		{"json-schema.org/draft/2020-12/schema", DRAFT_2020_12},
		/* "The latest draft": files of programs still have it. */
		{"json-schema.org/schema", DRAFT_2020_12}};
	const struct node *node;
	struct span uri = {NULL, 0}, fragment;

	int r = read_text(reading, map, "$schema", &node, &uri);
	if (r != 0 || !node)
		return r;
	uri = uri_split(uri, &fragment);
	if (span_begins(uri, "https://"))
		uri = (struct span){uri.data + 8, uri.len - 8};
	else if (span_begins(uri, "http://"))
		uri = (struct span){uri.data + 7, uri.len - 7};
	for (size_t i = 0; fragment.len == 0 && i < sizeof(drafts) / sizeof(*drafts); i++)
		if (span_is(uri, drafts[i].uri)) {
			*ret = drafts[i].draft;
			return 0;
		}
	return problem_at(reading->problem, node,
		"the schema is written in '%s', which plyfs does not know; it knows the drafts 4, "
		"6, "
		"7, 2019-09 and 2020-12, such as 'http://json-schema.org/draft-07/schema#' or "
		"'https://json-schema.org/draft/2020-12/schema'",
		node->text.data);
}

char *reading_anchor(struct schema *schema, const struct resource *resource, struct span name)
{
	return arena_printf(schema->arena, "%.*s#%.*s", (int)resource->uri.len, resource->uri.data,
		(int)name.len, name.data);
}

/* Makes `uri`#`name` lead to the subschema. */
static int put_anchor(struct reading *reading, const struct node *node, struct span name,
	struct subschema *subschema)
{
	struct schema *schema = reading->schema;
	char *key = reading_anchor(schema, subschema->resource, name);

	if (!key)
		return -ENOMEM;
	const struct subschema *other = table_get(&schema->resources, span_of(key));
	if (other && other->node != subschema->node)
		return problem_at(reading->problem, node,
			"the anchor '%s' stands in %s:%u, too; give one of them another name",
			node->text.data, other->resource->file, (unsigned)other->node->line);
	return table_put(&schema->resources, schema->arena, span_of(key), subschema);
}

static bool is_anchor_name(struct span name)
{
	for (size_t i = 0; i < name.len; i++) {
		char c = name.data[i], small = (char)(c | 0x20);
		bool is_first = (small >= 'a' && small <= 'z') || c == '_';

		if (!is_first && (i == 0 || !((c >= '0' && c <= '9') || c == '-' || c == '.')))
			return false;
	}
	return name.len > 0;
}

static int put_dynamic(struct reading *reading, struct span name, struct subschema *subschema)
{
	struct resource *resource = subschema->resource;
	struct dynamic_anchor *anchor = arena_alloc(reading->schema->arena, sizeof(*anchor));

	if (!anchor)
		return -ENOMEM;
	*anchor = (struct dynamic_anchor){name, subschema, resource->dynamic};
	resource->dynamic = anchor;
	return 0;
}

static int read_anchor(
	struct reading *reading, const char *keyword, struct subschema *subschema, bool is_dynamic)
{
	const struct node *node;
	struct span name = {NULL, 0};

	int r = read_text(reading, subschema->node, keyword, &node, &name);
	if (r != 0 || !node)
		return r;
	if (!is_anchor_name(name))
		return problem_at(reading->problem, node,
			"'%s' must be a word: a letter, then letters, digits, '-', '_' and '.'",
			keyword);
	r = put_anchor(reading, node, name, subschema);
	if (r != 0 || !is_dynamic)
		return r;
	return put_dynamic(reading, name, subschema);
}

/* Reads $recursiveAnchor of 2019-09: a dynamic anchor without a name. */
static int read_recursive_anchor(struct reading *reading, struct subschema *subschema)
{
	const struct node *node = node_get(subschema->node, "$recursiveAnchor");

	if (!node)
		return 0;
	if (instance_type(node) != INSTANCE_BOOLEAN)
		return problem_at(
			reading->problem, node, "'$recursiveAnchor' must be true or false");
	return scalar_bool(node) ? put_dynamic(reading, span_of(""), subschema) : 0;
}

static int new_resource(struct reading *reading, struct subschema *subschema, const struct node *id,
	struct span uri)
{
	struct schema *schema = reading->schema;
	struct resource *outer = subschema->resource;
	struct resource *resource = arena_zalloc(schema->arena, 1, sizeof(*resource));

	if (!resource)
		return -ENOMEM;
	*resource = (struct resource){.file = outer->file, .draft = outer->draft};
	int r = uri_resolve(outer->uri, uri, schema->arena, &resource->uri);
	if (r == 0)
		r = read_draft(reading, subschema->node, &resource->draft);
	if (r != 0)
		return r;
	const struct subschema *other = table_get(&schema->resources, resource->uri);
	if (other && other->node != subschema->node && subschema->parent)
		return problem_at(reading->problem, id,
			"the '$id' '%s' stands in %s:%u, too; give one of them another name",
			id->text.data, other->resource->file, (unsigned)other->node->line);
	subschema->resource = resource;
	return table_put(&schema->resources, schema->arena, resource->uri, subschema);
}

/* Reads $id, which sets the base URI of the references in the subschema. */
static int read_id(struct reading *reading, struct subschema *subschema)
{
	const struct node *map = subschema->node, *node;
	struct span id = {NULL, 0}, fragment;
	int r;

	/* Until draft 7, keywords beside a $ref are ignored. */
	if (subschema->resource->draft <= DRAFT_7 && node_get(map, "$ref"))
		return 0;
	r = read_text(
		reading, map, subschema->resource->draft == DRAFT_4 ? "id" : "$id", &node, &id);
	if (r != 0 || !node)
		return r;
	struct span uri = uri_split(id, &fragment);
	if (uri.len)
		r = new_resource(reading, subschema, node, uri);
	if (r != 0 || fragment.len == 0)
		return r;
	if (subschema->resource->draft > DRAFT_7)
		return problem_at(reading->problem, node,
			"an '$id' has no '#'; use '$anchor' to name a part of the schema");
	return put_anchor(reading, node, fragment, subschema);
}

static struct keyword *new_keywords(struct reading *reading, struct subschema *subschema)
{
	subschema->keywords = arena_zalloc(reading->schema->arena, subschema->node->map.count + 1,
		sizeof(*subschema->keywords));
	return subschema->keywords;
}

/* Reads the keywords of one pass. Those that need to know which entries were evaluated come
 * last. */
static int read_keywords(struct reading *reading, struct subschema *subschema, bool is_last)
{
	enum schema_draft draft = subschema->resource->draft;
	const struct node *map = subschema->node;
	bool is_reference = draft <= DRAFT_7 && node_get(map, "$ref");
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < map->map.count; i++) {
		struct span name = instance_key(map->map.pairs[i].key);
		const struct keyword_spec *spec = table_get(&reading->specs, name);

		if (!spec || !(spec->drafts & draft) || (spec->role == KEYWORD_LAST) != is_last)
			continue;
		if (is_reference && !span_is(name, "$ref") && !span_is(name, "definitions"))
			continue;
		struct keyword *keyword = &subschema->keywords[subschema->count];
		*keyword = (struct keyword){
			.spec = spec, .owner = subschema, .value = map->map.pairs[i].value};
		r = spec->read ? spec->read(reading, keyword) : 0;
		if (r == 0 && spec->check)
			subschema->count++;
		if (r == KEYWORD_IDLE)
			r = 0;
	}
	return r;
}

static int read_map(struct reading *reading, struct subschema *subschema)
{
	const struct node *mark = node_get(subschema->node, "writeOnly");
	int r = read_id(reading, subschema);

	if (mark && instance_type(mark) == INSTANCE_BOOLEAN && scalar_bool(mark)) {
		subschema->form = SCHEMA_SECRET;
		reading->schema->has_secrets = true;
	}
	if (r == 0 && subschema->resource->draft > DRAFT_7)
		r = read_anchor(reading, "$anchor", subschema, false);
	if (r == 0 && subschema->resource->draft == DRAFT_2019_09)
		r = read_recursive_anchor(reading, subschema);
	if (r == 0 && subschema->resource->draft == DRAFT_2020_12)
		r = read_anchor(reading, "$dynamicAnchor", subschema, true);
	if (r == 0 && !new_keywords(reading, subschema))
		r = -ENOMEM;
	if (r == 0)
		r = read_keywords(reading, subschema, false);
	if (r == 0)
		r = read_keywords(reading, subschema, true);
	return r;
}

int reading_subschema(struct reading *reading, const struct node *node,
	const struct reading_step *step, struct subschema **ret)
{
	struct schema *schema = reading->schema;
	struct resource *outer = step->parent->resource;
	struct subschema *subschema = reading_find(schema, node, outer);
	int r;

	*ret = subschema;
	if (subschema)
		return 0;
	subschema = arena_zalloc(schema->arena, 1, sizeof(*subschema));
	if (!subschema)
		return -ENOMEM;
	*subschema = (struct subschema){.node = node,
		.resource = outer,
		.parent = step->parent->node ? step->parent : NULL,
		.step = step->step,
		.key = step->key,
		.index = step->index};
	*ret = subschema;
	r = put_place(schema, node, outer, subschema);
	if (r == 0)
		r = arena_push(schema->arena, reading->found, reading->found_count,
			reading->found_capacity, subschema);
	if (r < 0)
		return r;
	if (node_is_scalar(node) && instance_type(node) == INSTANCE_BOOLEAN) {
		subschema->form = scalar_bool(node) ? SCHEMA_TRUE : SCHEMA_FALSE;
		return 0;
	}
	if (!node_is_map(node))
		return problem_at(reading->problem, node,
			"a schema is a map, true or false, and not %s", instance_type_name(node));
	if (++reading->depth > READING_DEPTH_MAX)
		return problem_at(reading->problem, node,
			"more than %d schemas are nested; move some of them to '$defs' and refer "
			"to them",
			READING_DEPTH_MAX);
	r = read_map(reading, subschema);
	reading->depth--;
	return r;
}

static int remember_document(
	struct reading *reading, const struct resource *place, struct subschema *root)
{
	struct arena *arena = reading->schema->arena;
	struct reading_document *document = arena_alloc(arena, sizeof(*document));

	if (!document)
		return -ENOMEM;
	*document = (struct reading_document){place->file, place->uri, root};
	return arena_push(arena, reading->documents, reading->document_count,
		reading->document_capacity, document);
}

int reading_document(struct reading *reading, const struct schema_text *text,
	enum schema_draft draft, struct subschema **ret)
{
	struct schema *schema = reading->schema;
	const struct source *source = &text->source;
	struct read_options options = {
		.format = format_of_tree(text->format), .schema = NODE_YAML_1_2};
	struct document *document;
	int r;

	r = document_read(source, text->text, &options, &document, reading->problem);
	if (r != 0)
		return r;
	r = arena_push(schema->arena, schema->documents, schema->document_count,
		schema->document_capacity, document);
	if (r < 0) {
		document_free(document);
		return r;
	}
	if (document->count > 1)
		return problem_at(reading->problem, document->roots[1],
			"a second document begins here; a schema is one document");
	if (!document->count)
		return problem_set(reading->problem, source->name, 0, 0,
			"is empty; a schema is a map, true or false");

	/* The resource around the root is the document's place. */
	struct resource *resource = arena_zalloc(schema->arena, 1, sizeof(*resource));
	if (!resource)
		return -ENOMEM;
	*resource = (struct resource){.uri = text->uri.len ? text->uri : (struct span){"", 0},
		.file = document->source.name,
		.draft = draft};
	const struct node *root = document->roots[0];
	if (node_is_map(root))
		r = read_draft(reading, root, &resource->draft);
	if (r != 0)
		return r;
	const struct subschema around = {.resource = resource};
	const struct reading_step step = {.parent = &around, .index = UINT32_MAX};
	r = reading_subschema(reading, root, &step, ret);
	if (r == 0)
		r = table_put(&schema->resources, schema->arena, resource->uri, *ret);
	return r == 0 && text->uri.len ? remember_document(reading, resource, *ret) : r;
}

int reading_pattern(
	struct reading *reading, const struct node *node, struct span text, struct pattern **ret)
{
	struct schema *schema = reading->schema;
	char reason[PATTERN_REASON_MAX] = "";

	int r = pattern_new(text, ret, reason);
	if (r == PATTERN_BAD)
		return problem_at(reading->problem, node, "the pattern '%s' can't be used: %s",
			text.data, reason);
	if (r < 0)
		return r;
	r = arena_push(schema->arena, schema->patterns, schema->pattern_count,
		schema->pattern_capacity, *ret);
	if (r < 0)
		pattern_free(*ret);
	return r;
}

int reading_refer(struct reading *reading, struct keyword *keyword)
{
	return arena_push(reading->schema->arena, reading->references, reading->reference_count,
		reading->reference_capacity, keyword);
}
