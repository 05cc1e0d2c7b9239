/*
 * The resolution of references: from the text of a $ref to its subschema.
 */
#include <errno.h>
#include <stdlib.h>

#include "reading.h"
#include "strategy/json_patch/json_pointer.h"
#include "uri.h"

/* The drafts' meta-schemas, to which a schema may refer. */
static const struct {
	const char *uri;  /* without a fragment */
	const char *name; /* of its file, for messages */
	const char *text;
} meta_schemas[] = {
#include "drafts.inc"
};

/* The position of a JSON pointer's evaluation. */
struct pointer_walk {
	struct reading *reading;
	const struct keyword *keyword; /* the keyword with the reference */
	const struct node *node;
	struct subschema *subschema; /* the last subschema on the path */
	const char *since;           /* the rest of the pointer after it */
};

static int leads_nowhere(const struct pointer_walk *walk)
{
	return problem_at(walk->reading->problem, walk->keyword->value,
		"'%s' leads to nothing in the schema; see whether all names on the way are "
		"spelled as they are there",
		walk->keyword->value->text.data);
}

static const struct node *item_at(const struct node *list, struct span name)
{
	uint64_t index = 0;

	if (!name.len || name.len > 9 || (name.len > 1 && name.data[0] == '0'))
		return NULL;
	for (size_t i = 0; i < name.len; i++) {
		if (name.data[i] < '0' || name.data[i] > '9')
			return NULL;
		index = index * 10 + (uint64_t)(name.data[i] - '0');
	}
	return index < list->seq.count ? list->seq.items[index] : NULL;
}

static const struct node *child_of(const struct node *node, struct span name)
{
	const struct pair *pair;

	if (node_is_sequence(node))
		return item_at(node, name);
	pair = node_is_map(node) ? instance_find(node, name, instance_name_hash(name)) : NULL;
	return pair ? pair->value : NULL;
}

/* Follows one step of the pointer, at its slash. *at becomes the end of the step. */
static int take_step(struct pointer_walk *walk, const char **at)
{
	const char *start = *at + 1;
	size_t len = strcspn(start, "/");
	char *name = arena_copy(walk->reading->schema->arena, (struct span){start, len});

	if (!name)
		return -ENOMEM;
	*at = start + len;
	len = json_pointer_unescape(name, len);
	walk->node = child_of(walk->node, (struct span){name, len});
	if (!walk->node)
		return leads_nowhere(walk);
	struct subschema *found =
		reading_find(walk->reading->schema, walk->node, walk->subschema->resource);
	if (found) {
		walk->subschema = found;
		walk->since = *at;
	}
	return 0;
}

/* Follows a decoded JSON pointer from the root of a resource. The target may not have been read as
 * a subschema yet. */
static int follow_pointer(struct pointer_walk *walk, struct span pointer, struct subschema **ret)
{
	const char *at = pointer.data;
	int r = 0;

	/* A pointer with a NUL leads nowhere: no key that is found by a text can have one. */
	if (strlen(pointer.data) != pointer.len)
		return leads_nowhere(walk);
	walk->since = at;
	while (r == 0 && *at)
		r = take_step(walk, &at);
	if (r != 0)
		return r;
	if (walk->node == walk->subschema->node) {
		*ret = walk->subschema;
		return 0;
	}
	const struct reading_step step = {
		.parent = walk->subschema, .step = span_of(walk->since + 1), .index = UINT32_MAX};
	return reading_subschema(walk->reading, walk->node, &step, ret);
}

/* Reads a draft's own schema, if there is one with that URI. It is read only when something refers
 * to it. */
static int read_draft_schema(struct reading *reading, struct span uri)
{
	struct subschema *root;

	for (size_t i = 0; i < sizeof(meta_schemas) / sizeof(*meta_schemas); i++) {
		const struct schema_text draft = {
			.source = {.name = meta_schemas[i].name, .layer = ""},
			.text = span_of(meta_schemas[i].text),
			.format = &format_json};

		if (span_is(uri, meta_schemas[i].uri))
			return reading_document(reading, &draft, DRAFT_2020_12, &root);
	}
	return 0;
}

static int put_uri(struct reading *reading, struct span uri, struct subschema *root)
{
	return table_put(&reading->schema->resources, reading->schema->arena, uri, root);
}

/* Reads a document of the library, unless it was read already, by another URI. */
static int read_document(
	struct reading *reading, const struct keyword *keyword, const struct schema_text *text)
{
	struct subschema *root = NULL;

	for (uint32_t i = 0; i < reading->document_count; i++)
		if (strcmp(reading->documents[i]->name, text->source.name) == 0)
			return put_uri(reading, text->uri, reading->documents[i]->root);
	reading->bytes += text->text.len;
	if (reading->document_count == SCHEMA_DOCUMENTS_MAX || reading->bytes > SCHEMA_BYTES_MAX)
		return problem_at(reading->problem, keyword->value,
			"the schema has more than %d documents or %u MiB up to here; refer to "
			"fewer",
			SCHEMA_DOCUMENTS_MAX, SCHEMA_BYTES_MAX >> 20);
	return reading_document(reading, text, keyword->owner->resource->draft, &root);
}

/*
 * If the '$id' of a document that was read is in the same directory as `uri`, or above it, finds
 * the document that lies in the same way to that document's place. *ret is empty if there is none.
 */
static int find_beside(struct reading *reading, const struct reading_document *document,
	struct span uri, struct schema_text *ret)
{
	struct span id = document->root->resource->uri, place;
	struct problem ignored;

	while (id.len && id.data[id.len - 1] != '/')
		id.len--;
	bool is_beneath = id.len && uri.len > id.len && memcmp(uri.data, id.data, id.len) == 0;
	if (!is_beneath || span_equal(document->uri, document->root->resource->uri))
		return 0;
	const struct span rest = {uri.data + id.len, uri.len - id.len};
	int r = uri_resolve(document->uri, rest, reading->schema->arena, &place);
	if (r == 0)
		r = reading->library->find(reading->library->context, place, ret, &ignored);
	if (r == PROBLEM)
		*ret = (struct schema_text){.uri = {NULL, 0}};
	return r < 0 ? r : 0;
}

/* Has the library find the document. */
static int read_other(struct reading *reading, const struct keyword *keyword, struct span uri)
{
	struct schema_text text = {.uri = {NULL, 0}};
	struct problem problem;

	int r = reading->library->find(reading->library->context, uri, &text, &problem);
	if (r < 0)
		return r;
	if (r == 0) {
		r = read_document(reading, keyword, &text);
		struct subschema *root = table_get(&reading->schema->resources, text.uri);
		return r == 0 ? put_uri(reading, uri, root) : r;
	}
	for (uint32_t i = 0; i < reading->document_count; i++) {
		r = find_beside(reading, reading->documents[i], uri, &text);
		if (r == 0 && text.uri.len)
			r = read_document(reading, keyword, &text);
		if (r != 0)
			return r;
		if (text.uri.len)
			return put_uri(
				reading, uri, table_get(&reading->schema->resources, text.uri));
	}
	return problem_at(reading->problem, keyword->value, "'%s' %s", keyword->reference.data,
		problem.message);
}

/* Finds the root of the resource, which may be a draft's, or another document. */
static int find_resource(struct reading *reading, const struct keyword *keyword, struct span uri,
	struct subschema **ret)
{
	int r = 0;

	*ret = table_get(&reading->schema->resources, uri);
	if (!*ret)
		r = read_draft_schema(reading, uri);
	if (r == 0 && !*ret)
		*ret = table_get(&reading->schema->resources, uri);
	if (r == 0 && !*ret && reading->library) {
		r = read_other(reading, keyword, uri);
		*ret = table_get(&reading->schema->resources, uri);
	}
	if (r != 0 || *ret)
		return r;
	return problem_at(reading->problem, keyword->value,
		"'%s' is another document, which plyfs does not fetch; copy it into this one, "
		"below '%s', with its '%s'",
		keyword->reference.data,
		keyword->owner->resource->draft <= DRAFT_7 ? "definitions" : "$defs",
		keyword->owner->resource->draft == DRAFT_4 ? "id" : "$id");
}

static int find_anchor(struct reading *reading, const struct keyword *keyword,
	const struct subschema *root, struct span name, struct subschema **ret)
{
	char *key = reading_anchor(reading->schema, root->resource, name);

	if (!key)
		return -ENOMEM;
	*ret = table_get(&reading->schema->resources, span_of(key));
	if (*ret)
		return 0;
	return problem_at(reading->problem, keyword->value,
		"there is no anchor '%s' in the schema that '%s' leads to; correct the name, or "
		"add '$anchor'",
		name.data, keyword->reference.data);
}

static bool has_dynamic_anchor(const struct subschema *subschema, struct span name)
{
	const struct dynamic_anchor *anchor = subschema->resource->dynamic;

	while (anchor && !(anchor->target == subschema && span_equal(anchor->name, name)))
		anchor = anchor->next;
	return anchor != NULL;
}

static int resolve(struct reading *reading, struct keyword *keyword)
{
	struct arena *arena = reading->schema->arena;
	struct span uri, fragment;
	struct subschema *root = NULL;
	int r;

	struct span local = uri_split(keyword->reference, &fragment);
	r = uri_resolve(keyword->owner->resource->uri, local, arena, &uri);
	if (r == 0)
		r = find_resource(reading, keyword, uri, &root);
	if (r == 0)
		r = uri_decode(fragment, arena, &fragment);
	if (r != 0)
		return r;
	if (!fragment.len) {
		keyword->target = root;
		if (strcmp(keyword->spec->name, "$recursiveRef") == 0 &&
			has_dynamic_anchor(root, span_of("")))
			keyword->dynamic = span_of("");
		return 0;
	}
	if (fragment.data[0] == '/') {
		struct pointer_walk walk = {.reading = reading,
			.keyword = keyword,
			.node = root->node,
			.subschema = root};
		return follow_pointer(&walk, fragment, &keyword->target);
	}
	r = find_anchor(reading, keyword, root, fragment, &keyword->target);
	if (r == 0 && strcmp(keyword->spec->name, "$dynamicRef") == 0 &&
		has_dynamic_anchor(keyword->target, fragment))
		keyword->dynamic = fragment;
	return r;
}

int reading_resolve(struct reading *reading)
{
	int r = 0;

	/* The loop includes references that are added meanwhile: the target of a reference may
	 * contain some. */
	for (uint32_t i = 0; r == 0 && i < reading->reference_count; i++)
		r = resolve(reading, reading->references[i]);
	return r;
}
