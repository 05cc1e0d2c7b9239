#include "node.h"

#include <assert.h>
#include <errno.h>

#include "hash.h"
#include "scalar.h"

/*
 * Entries. Up to this number, to compare hashes one by one is as fast as a table, and needs no
 * memory.
 */
#define NODE_INDEX_MIN 8

/* Entries: slots have 32-bit numbers, and at most half of them are used. */
#define NODE_COUNT_MAX (UINT32_C(1) << 30)

/*
 * A map's index: slots with linear probing, at most half of them used. 0 is free; another value is
 * 1 + the number of a pair. A repeated key has one slot, which leads to its last pair.
 */
struct node_index {
	uint32_t mask; /* slots - 1; their count is a power of two */
	uint32_t slots[];
};

int source_copy(struct arena *arena, const struct source *source, const struct source **ret)
{
	struct source *copy = arena_alloc(arena, sizeof(*copy));

	if (!copy)
		return -ENOMEM;
	copy->rank = source->rank;
	copy->name = arena_copy(arena, span_of(source->name ? source->name : ""));
	copy->layer = arena_copy(arena, span_of(source->layer ? source->layer : ""));
	copy->original = source->original ? arena_copy(arena, span_of(source->original)) : NULL;
	copy->place = source->place ? arena_copy(arena, span_of(source->place)) : NULL;
	*ret = copy;
	return copy->name && copy->layer && !copy->original == !source->original &&
			       !copy->place == !source->place
		       ? 0
		       : -ENOMEM;
}

const char *source_shown(const struct source *source)
{
	return source->place ? source->place : source->name;
}

void node_weigh(struct node *node)
{
	node->weight = 1;
	for (uint32_t i = 0; i < node_count(node); i++) {
		node_reweigh(node, 0, (*node_entry(node, i))->weight);
		if (node_is_map(node))
			node_reweigh(node, 0, node->map.pairs[i].key->weight);
	}
}

const char *node_kind_name(const struct node *node)
{
	static const char *const names[] = {"a scalar", "a list", "a map"};

	return names[node->kind];
}

static struct node *new_collection(
	struct arena *arena, enum node_kind kind, const struct node *like)
{
	struct node *node = arena_zalloc(arena, 1, sizeof(*node));

	if (!node)
		return NULL;
	node->kind = (uint8_t)kind;
	node->style = NODE_BLOCK;
	node->weight = 1;
	if (like) {
		if (!node_is_scalar(like))
			node->style = like->style;
		node->source = like->source;
		node->line = like->line;
		node->column = like->column;
		node->tag = like->tag;
	}
	return node;
}

struct node *node_new_map(struct arena *arena, const struct node *like)
{
	return new_collection(arena, NODE_MAP, like);
}

struct node *node_new_sequence(struct arena *arena, const struct node *like)
{
	return new_collection(arena, NODE_SEQUENCE, like);
}

struct node *node_copy_head(struct arena *arena, const struct node *node, uint32_t count)
{
	struct node *head = new_collection(arena, node->kind, node);
	int r = 0;

	for (uint32_t i = 0; head && r == 0 && i < count; i++)
		r = node_is_map(node) ? node_append(arena, head, &node->map.pairs[i])
				      : node_push(arena, head, node->seq.items[i]);
	return r == 0 ? head : NULL;
}

struct node *node_new_scalar(struct arena *arena, struct span text, enum node_style style)
{
	struct node *node = arena_zalloc(arena, 1, sizeof(*node));

	if (!node)
		return NULL;
	node->kind = NODE_SCALAR;
	node->style = (uint8_t)style;
	node->weight = 1;
	node->text = text;
	return node;
}

static void *copy_array(struct arena *arena, const void *data, size_t count, size_t size)
{
	void *copy = arena_alloc(arena, count * size);

	return copy && count ? memcpy(copy, data, count * size) : copy;
}

static size_t index_bytes(const struct node_index *index)
{
	return sizeof(*index) + ((size_t)index->mask + 1) * sizeof(index->slots[0]);
}

struct node *node_copy(struct arena *arena, const struct node *node)
{
	struct node *copy = arena_alloc(arena, sizeof(*copy));

	if (!copy)
		return NULL;
	*copy = *node;
	if (node_is_sequence(node)) {
		copy->seq.capacity = node->seq.count;
		copy->seq.seen = NULL;
		copy->seq.items = copy_array(
			arena, node->seq.items, node->seq.count, sizeof(*node->seq.items));
		return copy->seq.items ? copy : NULL;
	}
	if (node_is_map(node)) {
		copy->map.capacity = node->map.count;
		copy->map.pairs = copy_array(
			arena, node->map.pairs, node->map.count, sizeof(*node->map.pairs));
		if (!copy->map.pairs)
			return NULL;
		if (!node->map.index)
			return copy;
		copy->map.index =
			copy_array(arena, node->map.index, 1, index_bytes(node->map.index));
		return copy->map.index ? copy : NULL;
	}
	return copy;
}

int node_change(struct arena *arena, const struct node *node, struct node **copy, uint32_t i,
	const struct node *value)
{
	if (!*copy)
		*copy = node_copy(arena, node);
	if (!*copy)
		return -ENOMEM;
	node_reweigh(*copy, (*node_entry(*copy, i))->weight, value->weight);
	*node_entry(*copy, i) = value;
	return 0;
}

int node_push(struct arena *arena, struct node *seq, const struct node *item)
{
	assert(node_is_sequence(seq));
	if (arena_grow(arena, seq->seq.items, seq->seq.count, seq->seq.capacity) < 0)
		return -ENOMEM;
	seq->seq.items[seq->seq.count++] = item;
	node_reweigh(seq, 0, item->weight);
	return 0;
}

static bool is_key(const struct pair *pair, const struct node *key, uint32_t hash)
{
	return pair->hash == hash && (pair->key == key || node_equal(pair->key, key));
}

/* Returns the slot that leads to the key, or the free one where it belongs. */
static uint32_t *find_slot(const struct node *map, const struct node *key, uint32_t hash)
{
	struct node_index *index = map->map.index;

	for (uint32_t i = hash & index->mask;; i = (i + 1) & index->mask) {
		uint32_t slot = index->slots[i];

		if (!slot || is_key(&map->map.pairs[slot - 1], key, hash))
			return &index->slots[i];
	}
}

static void index_pairs(struct node *map)
{
	struct node_index *index = map->map.index;

	memset(index->slots, 0, ((size_t)index->mask + 1) * sizeof(index->slots[0]));
	for (uint32_t i = 0; i < map->map.count; i++) {
		const struct pair *pair = &map->map.pairs[i];

		*find_slot(map, pair->key, pair->hash) = i + 1;
	}
}

/* Makes an index for `count` pairs, if they are enough to need one. */
static int grow_index(struct arena *arena, struct node *map, uint32_t count)
{
	uint32_t size = map->map.index ? map->map.index->mask + 1 : 0;
	struct node_index *index;

	if (count <= NODE_INDEX_MIN || count <= size / 2)
		return 0;
	size = size ? size * 2 : 4 * NODE_INDEX_MIN;
	while (count > size / 2)
		size *= 2;
	index = arena_alloc(arena, sizeof(*index) + size * sizeof(index->slots[0]));
	if (!index)
		return -ENOMEM;
	index->mask = size - 1;
	map->map.index = index;
	index_pairs(map);
	return 0;
}

int node_reserve(struct arena *arena, struct node *map, uint32_t count)
{
	struct pair *pairs;

	assert(node_is_map(map));
	if (count > NODE_COUNT_MAX)
		return -ENOMEM;
	if (count > map->map.capacity) {
		pairs = arena_alloc(arena, count * sizeof(*pairs));
		if (!pairs)
			return -ENOMEM;
		if (map->map.count)
			memcpy(pairs, map->map.pairs, map->map.count * sizeof(*pairs));
		map->map.pairs = pairs;
		map->map.capacity = count;
	}
	return grow_index(arena, map, count);
}

int node_append(struct arena *arena, struct node *map, const struct pair *pair)
{
	assert(node_is_map(map));
	if (arena_grow(arena, map->map.pairs, map->map.count, map->map.capacity) < 0)
		return -ENOMEM;
	int r = grow_index(arena, map, map->map.count + 1);
	if (r < 0)
		return r;

	map->map.pairs[map->map.count] = *pair;
	if (map->map.index)
		*find_slot(map, pair->key, pair->hash) = map->map.count + 1;
	map->map.count++;
	node_reweigh(map, 0, pair->key->weight);
	node_reweigh(map, 0, pair->value->weight);
	return 0;
}

const struct pair *node_find_hashed(const struct node *map, const struct node *key, uint32_t hash)
{
	assert(node_is_map(map));
	if (map->map.index) {
		uint32_t slot = *find_slot(map, key, hash);

		return slot ? &map->map.pairs[slot - 1] : NULL;
	}
	for (uint32_t i = map->map.count; i-- > 0;)
		if (is_key(&map->map.pairs[i], key, hash))
			return &map->map.pairs[i];
	return NULL;
}

const struct pair *node_find(const struct node *map, const struct node *key)
{
	return node_find_hashed(map, key, node_hash(key));
}

const struct pair *node_find_as_python(
	const struct node *map, const struct node *key, uint32_t hash)
{
	const struct pair *found = node_find_hashed(map, key, hash);
	const struct node *twin = found ? NULL : scalar_twin(key);

	return twin ? node_find(map, twin) : found;
}

/* Finds the pair at a path such as metadata.name; no key in it contains a dot. */
static const struct pair *find_nested(const struct node *item, struct span path)
{
	const struct pair *pair = NULL;

	while (path.data && item && node_is_map(item)) {
		const char *dot = memchr(path.data, '.', path.len);
		struct node key = {.kind = NODE_SCALAR, .style = NODE_DOUBLE, .text = path};

		key.text.len = dot ? (size_t)(dot - path.data) : path.len;
		path.len -= dot ? key.text.len + 1 : 0;
		path.data = dot ? dot + 1 : NULL;
		pair = node_find(item, &key);
		item = pair ? pair->value : NULL;
	}
	return path.data ? NULL : pair;
}

static const struct pair *find_match(const struct node *item, const struct node *key)
{
	const struct pair *pair = node_find(item, key);

	if (!pair && node_is_scalar(key) && memchr(key->text.data, '.', key->text.len))
		pair = find_nested(item, key->text);
	return pair && node_is_scalar(pair->value) && !scalar_is_empty(pair->value) ? pair : NULL;
}

const struct pair *node_match(const struct node *item, const struct node *by)
{
	uint32_t count = node_is_sequence(by) ? by->seq.count : 0;

	if (!node_is_map(item))
		return NULL;
	for (uint32_t i = 0; i + 1 < count; i++) {
		const struct pair *pair = find_match(item, by->seq.items[i]);

		if (pair && pair->value->text.len && !scalar_is_null(pair->value))
			return pair;
	}
	return find_match(item, count ? by->seq.items[count - 1] : by);
}

const struct node *node_get(const struct node *map, const char *name)
{
	struct node key = {.kind = NODE_SCALAR, .style = NODE_DOUBLE, .text = span_of(name)};
	const struct pair *pair = node_find(map, &key);

	return pair ? pair->value : NULL;
}

int node_see(struct arena *arena, struct node *seq)
{
	assert(node_is_sequence(seq));
	struct node *seen = seq->seq.seen ? seq->seq.seen : node_new_map(arena, NULL);

	if (!seen)
		return -ENOMEM;
	seq->seq.seen = seen;
	/* The line of `seen` is the number of the items in it. */
	for (; seen->line < seq->seq.count; seen->line++) {
		const struct node *item = seq->seq.items[seen->line];
		const struct pair pair = {item, item, node_hash(item)};

		if (!node_find_hashed(seen, item, pair.hash) && node_append(arena, seen, &pair) < 0)
			return -ENOMEM;
	}
	return 0;
}

int node_put_hashed(struct arena *arena, struct node *map, const struct pair *pair)
{
	const struct pair *found = node_find_hashed(map, pair->key, pair->hash);
	struct pair *old;

	if (!found)
		return node_append(arena, map, pair);
	old = &map->map.pairs[found - map->map.pairs];
	node_reweigh(map, old->value->weight, pair->value->weight);
	old->value = pair->value;
	return 0;
}

int node_put(
	struct arena *arena, struct node *map, const struct node *key, const struct node *value)
{
	struct pair pair = {.key = key, .value = value, .hash = node_hash(key)};

	return node_put_hashed(arena, map, &pair);
}

void node_remove(struct node *map, const struct node *key)
{
	uint32_t hash = node_hash(key), kept = 0;

	if (!node_find_hashed(map, key, hash))
		return;
	for (uint32_t i = 0; i < map->map.count; i++) {
		struct pair *pair = &map->map.pairs[i];

		if (is_key(pair, key, hash)) {
			node_reweigh(map, pair->key->weight, 0);
			node_reweigh(map, pair->value->weight, 0);
		} else {
			map->map.pairs[kept++] = *pair;
		}
	}
	map->map.count = kept;
	if (map->map.index)
		index_pairs(map);
}

const char *node_foreign_tag(const struct node *node)
{
	const char *own = node_is_map(node) ? "tag:yaml.org,2002:map" : "tag:yaml.org,2002:seq";

	if (!node->tag || strcmp(node->tag, "!") == 0 || strcmp(node->tag, own) == 0)
		return NULL;
	return node->tag;
}

bool node_tags_equal(const struct node *a, const struct node *b)
{
	const char *tag_a = node_foreign_tag(a), *tag_b = node_foreign_tag(b);

	return tag_a == tag_b || (tag_a && tag_b && strcmp(tag_a, tag_b) == 0);
}

bool node_has_same(const struct node *a, const struct node *b,
	bool (*is_same)(const struct node *a, const struct node *b), bool minds_keys)
{
	if (node_count(a) != node_count(b))
		return false;
	for (uint32_t i = 0; i < node_count(a); i++) {
		const struct pair *pair = node_is_map(a) ? &a->map.pairs[i] : NULL;
		const struct pair *other = pair ? node_find_hashed(b, pair->key, pair->hash) : NULL;

		if (pair && (!other || (minds_keys && !is_same(pair->key, other->key))))
			return false;
		if (!is_same(*node_entry(a, i), pair ? other->value : b->seq.items[i]))
			return false;
	}
	return true;
}

bool node_equal(const struct node *a, const struct node *b)
{
	if (a == b)
		return true;
	if (a->kind != b->kind)
		return false;
	if (node_is_scalar(a))
		return scalar_equal(a, b);
	return node_tags_equal(a, b) && node_has_same(a, b, node_equal, false);
}

static uint64_t hash_collection(const struct node *node, uint64_t hash)
{
	uint64_t sum = 0;

	if (node_is_sequence(node)) {
		for (uint32_t i = 0; i < node->seq.count; i++)
			hash = hash_add(hash, node_hash(node->seq.items[i]));
		return hash;
	}
	/* A sum: the order of the pairs does not count. */
	for (uint32_t i = 0; i < node->map.count; i++) {
		const struct pair *pair = &node->map.pairs[i];

		sum += hash_add(hash_add(hash, pair->hash), node_hash(pair->value));
	}
	return hash_add(hash, sum);
}

uint32_t node_hash(const struct node *node)
{
	uint64_t hash = hash_add(hash_seed(), node->kind);
	const char *tag;

	if (node_is_scalar(node))
		return scalar_hash(node);
	tag = node_foreign_tag(node);
	if (tag)
		hash = hash_bytes(hash, span_of(tag));
	hash = hash_add(hash, node_count(node));
	return hash_end(hash_collection(node, hash));
}
