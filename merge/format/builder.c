#include "builder.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "array.h"
#include "utf8.h"

/* Bytes of a key that a warning shows. */
#define SHOWN_KEY_MAX 64

void builder_fini(struct builder *builder)
{
	free(builder->waiting);
	free(builder->open);
	notes_fini(&builder->notes);
}

int builder_problem(const struct builder *builder, struct place place, const char *format, ...)
{
	char message[PROBLEM_MESSAGE_MAX];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(message, sizeof(message), format, arguments);
	va_end(arguments);
	return problem_set(builder->problem, builder->document->source.name, place.line,
		place.column, "%s", message);
}

int builder_doubt(struct builder *builder, struct place place, const char *format, ...)
{
	struct document *document = builder->document;
	char message[PROBLEM_MESSAGE_MAX];
	struct problem *doubt;
	va_list arguments;

	if (document->doubt)
		return 0;
	doubt = arena_alloc(document->arena, sizeof(*doubt));
	if (!doubt)
		return -ENOMEM;
	va_start(arguments, format);
	vsnprintf(message, sizeof(message), format, arguments);
	va_end(arguments);
	problem_set(doubt, document->source.name, place.line, place.column, "%s", message);
	problem_place(doubt, &document->source);
	document->doubt = doubt;
	return 0;
}

/* Columns count characters. */
struct place text_cursor_place(struct text_cursor *at)
{
	for (; at->counted < at->p; at->counted++)
		at->counted_place += !utf8_is_tail((unsigned char)*at->counted);
	return builder_place(at->builder, at->line, at->counted_place);
}

int text_cursor_fail(struct text_cursor *at, const char *message)
{
	return builder_problem(at->builder, text_cursor_place(at), "%s", message);
}

static int count_nodes(struct builder *builder, uint32_t more, struct place place)
{
	builder->weight += more;
	if (builder->weight <= builder->options->limits.nodes)
		return 0;
	return builder_problem(builder, place,
		"has more than %" PRIu32 " values, each alias counted as often as it is used"
		"; raise the limit 'nodes'",
		builder->options->limits.nodes);
}

int builder_count(struct builder *builder, struct place place)
{
	return count_nodes(builder, 1, place);
}

int builder_check_depth(const struct builder *builder, unsigned depth, struct place place)
{
	if (depth < builder->options->limits.depth)
		return 0;
	return builder_problem(builder, place,
		"more than %u maps and lists in each other; raise the limit 'depth'",
		builder->options->limits.depth);
}

int builder_add_root(struct builder *builder, const struct node *root)
{
	return array_push(builder->waiting, builder->count, builder->capacity, root);
}

void builder_init(
	const struct builder *builder, struct node *node, enum node_kind kind, struct place place)
{
	*node = (struct node){
		.kind = (uint8_t)kind,
		.weight = 1,
		.source = &builder->document->source,
		.line = place.line,
		.column = place.column,
	};
}

struct node *builder_new_scalar(
	const struct builder *builder, struct place place, size_t len, char **text)
{
	struct node *node;

	if (len > SIZE_MAX - sizeof(*node) - 1)
		return NULL;
	node = arena_alloc(builder->document->arena, sizeof(*node) + len + 1);
	if (!node)
		return NULL;
	builder_init(builder, node, NODE_SCALAR, place);
	*text = (char *)(node + 1);
	(*text)[len] = '\0';
	node->text = (struct span){*text, len};
	return node;
}

int builder_add(struct builder *builder, const struct node *node, struct place place)
{
	int r = count_nodes(builder, node->weight, place);

	return r ? r : array_push(builder->waiting, builder->count, builder->capacity, node);
}

int builder_open(struct builder *builder, enum node_kind kind, enum node_style style,
	struct place place, struct node **ret)
{
	struct node *node;
	int r;

	r = builder_check_depth(builder, builder->depth, place);
	if (r)
		return r;
	if (array_grow(builder->open, builder->depth, builder->open_capacity) < 0)
		return -ENOMEM;
	node = arena_alloc(builder->document->arena, sizeof(*node));
	if (!node)
		return -ENOMEM;
	builder_init(builder, node, kind, place);
	node->style = (uint8_t)style;
	node->mark = BUILDER_OPEN;

	r = builder_add(builder, node, place);
	if (r)
		return r;
	builder->open[builder->depth++] = (struct open_node){node, builder->count};
	*ret = node;
	return 0;
}

static int close_sequence(struct builder *builder, struct node *seq, size_t first)
{
	size_t count = builder->count - first;
	uint64_t weight = 1;

	if (!count)
		return 0;
	seq->seq.items = arena_alloc(builder->document->arena, count * sizeof(*seq->seq.items));
	if (!seq->seq.items)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		seq->seq.items[i] = builder->waiting[first + i];
		weight += seq->seq.items[i]->weight;
	}
	/* limits.nodes has 32 bits and bounds both. */
	seq->seq.count = seq->seq.capacity = (uint32_t)count;
	seq->weight = (uint32_t)weight;
	return 0;
}

static void warn_duplicate(
	struct builder *builder, const struct node *first, const struct node *second)
{
	struct problem warning;
	int shown = SHOWN_KEY_MAX;

	if (!builder->options->warn)
		return;
	if (!node_is_scalar(second) || second->text.len > SHOWN_KEY_MAX)
		shown = 0;
	problem_set(&warning, builder->document->source.name, second->line, second->column,
		"the key %.*s%scomes again, first in line %" PRIu32 "; only the last one counts",
		shown, shown ? second->text.data : "", shown ? " " : "", first->line);
	builder->options->warn(builder->options->context, &warning);
}

static const struct pair *find_key(
	const struct builder *builder, const struct node *map, const struct pair *pair)
{
	return builder->options->as_pyyaml ? node_find_as_python(map, pair->key, pair->hash)
					   : node_find_hashed(map, pair->key, pair->hash);
}

/* Adds a pair. The map's first `merged` pairs came through `<<`: the map may have their keys once
 * more. */
static int put(struct builder *builder, struct node *map, const struct pair *pair, uint32_t merged)
{
	struct arena *arena = builder->document->arena;
	const struct pair *found;

	if (builder->options->keep_duplicates && !builder->repeat)
		return node_append(arena, map, pair);
	found = find_key(builder, map, pair);
	if (!found)
		return node_append(arena, map, pair);
	if (builder->repeat)
		return builder->repeat(builder, map, (struct pair *)found, pair);

	uint32_t i = (uint32_t)(found - map->map.pairs);
	if (i >= merged)
		warn_duplicate(builder, found->key, pair->key);
	return node_change(arena, map, &map, i, pair->value);
}

int builder_push(
	struct builder *builder, struct node *map, struct pair *found, const struct node *value)
{
	struct arena *arena = builder->document->arena;
	uint32_t before = found->value->weight;
	/* the builder's own node, if it is a list */
	struct node *list = (struct node *)found->value;
	int r = 0;

	if (node_is_scalar(list)) {
		list = node_new_sequence(arena, found->value);
		if (!list)
			return -ENOMEM;
		r = node_push(arena, list, found->value);
	}
	if (r == 0 && node_is_scalar(value))
		r = node_push(arena, list, value);
	for (uint32_t i = 0; r == 0 && node_is_sequence(value) && i < value->seq.count; i++)
		r = node_push(arena, list, value->seq.items[i]);
	found->value = list;
	node_reweigh(map, before, list->weight);
	return r;
}

bool builder_is_sections(const struct node *value)
{
	return node_is_map(value) ||
	       (node_is_sequence(value) && value->seq.count && node_is_map(value->seq.items[0]));
}

void builder_override(
	struct builder *builder, struct node *map, struct pair *found, const struct pair *again)
{
	warn_duplicate(builder, found->key, again->key);
	node_reweigh(map, found->value->weight, again->value->weight);
	found->value = again->value;
	if (again->key->spelling)
		found->key = again->key;
}

int builder_go_on(
	struct builder *builder, struct node *map, struct pair *found, const struct pair *again)
{
	/* the builder's own node, in no other tree yet */
	struct node *into = (struct node *)found->value;
	const struct node *more = again->value;
	uint32_t before = into->weight;
	int r = 0;

	assert(into->kind == more->kind);
	for (uint32_t i = 0; r == 0 && i < node_count(more); i++)
		r = node_is_map(more)
			    ? put(builder, into, &more->map.pairs[i], 0)
			    : node_push(builder->document->arena, into, more->seq.items[i]);
	node_reweigh(map, before, into->weight);
	return r;
}

bool builder_is_merge_key(const struct node *key)
{
	if (!node_is_scalar(key))
		return false;
	if (key->tag)
		return strcmp(key->tag, "tag:yaml.org,2002:merge") == 0;
	return key->style == NODE_PLAIN && key->schema <= NODE_SALT && span_is(key->text, "<<");
}

static int merge_map(
	struct builder *builder, struct node *map, const struct node *from, const struct node *key)
{
	int r = 0;

	if (!node_is_map(from))
		return builder_problem(builder, (struct place){key->line, key->column},
			"the value of '<<' must be a map or a list of maps, and this is %s; put a "
			"key '<<' in quotes",
			node_kind_name(from));
	/* All of these nodes are counted already, at the alias or where they stand. */
	for (uint32_t i = 0; !r && i < from->map.count; i++)
		r = put(builder, map, &from->map.pairs[i], UINT32_MAX);
	return r;
}

/* Does the same as PyYAML's flatten_mapping(): it merges a list's maps from the end, so the first
 * wins. */
static int merge_value(
	struct builder *builder, struct node *map, const struct node *key, const struct node *value)
{
	int r = 0;

	if (!node_is_sequence(value))
		return merge_map(builder, map, value, key);
	for (uint32_t i = value->seq.count; !r && i-- > 0;)
		r = merge_map(builder, map, value->seq.items[i], key);
	return r;
}

static int close_map(struct builder *builder, struct node *map, size_t first)
{
	size_t count = (builder->count - first) / 2;
	const struct node **entries = builder->waiting + first;
	bool has_merges = false;
	uint32_t merged;
	int r;

	assert((builder->count - first) % 2 == 0);
	if (!count)
		return 0;
	r = node_reserve(builder->document->arena, map, (uint32_t)count);
	for (size_t i = 0; !r && i < count; i++) {
		if (!builder_is_merge_key(entries[2 * i]))
			continue;
		has_merges = true;
		r = merge_value(builder, map, entries[2 * i], entries[2 * i + 1]);
	}
	merged = map->map.count;
	for (size_t i = 0; !r && i < count; i++) {
		struct pair pair = {.key = entries[2 * i], .value = entries[2 * i + 1]};

		if (has_merges && builder_is_merge_key(pair.key))
			continue;
		pair.hash = node_hash(pair.key);
		r = put(builder, map, &pair, merged);
	}
	return r;
}

int builder_close(struct builder *builder)
{
	struct open_node open;
	int r;

	assert(builder->depth > 0);
	open = builder->open[--builder->depth];
	r = node_is_map(open.node) ? close_map(builder, open.node, open.first)
				   : close_sequence(builder, open.node, open.first);
	open.node->mark = 0;
	builder->count = open.first;
	return r;
}

int builder_finish(struct builder *builder)
{
	struct document *document = builder->document;

	assert(builder->depth == 0);
	document->roots = arena_alloc(document->arena, builder->count * sizeof(*document->roots));
	if (!document->roots)
		return -ENOMEM;
	if (builder->count)
		memcpy(document->roots, builder->waiting,
			builder->count * sizeof(*document->roots));
	document->count = builder->count;
	return builder->notes.count ? notes_finish(&builder->notes, document) : 0;
}
