/*
 * A node: one value of a document, with everything that is needed to write it as it was read.
 *
 *      map ── pair ── key: scalar "port"
 *       │        └─── value: scalar "80"
 *       └──── pair ── key: scalar "hosts"
 *                └─── value: sequence ── scalar "a"
 *
 * The nodes of a document that has been read are immutable, and may be shared by aliases, merges
 * and threads. The result of a merge refers to nodes of the sources, so the sources' arenas must
 * outlive the result. Maps keep the order of insertion.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "span.h"

enum node_kind { NODE_SCALAR, NODE_SEQUENCE, NODE_MAP };

enum node_style {
	NODE_PLAIN,   /* scalar: bare text; the schema decides the type */
	NODE_SINGLE,  /* scalar: 'text' */
	NODE_DOUBLE,  /* scalar: "text" */
	NODE_LITERAL, /* scalar: | */
	NODE_FOLDED,  /* scalar: > */
	NODE_BLOCK,   /* map or sequence, one entry per line */
	NODE_FLOW,    /* map or sequence, [a, b] or {a: b} */
	NODE_DOTTED,  /* map: each entry is a line with the name of the map: map.key = 1 */
	NODE_HEADER,  /* map: as NODE_BLOCK, below a line with the name of the map: [map] */
	NODE_STREAM,  /* sequence, only as a root: the documents of a file, at least two */
};

/* How plain text gets its type (scalar.h). The reader sets the schema of each scalar. */
enum node_schema {
	NODE_YAML_1_1, /* as PyYAML's safe loader */
	NODE_YAML_1_2, /* the core schema of YAML 1.2.2, section 10.3 */
	/* As 1.1, but 0644 is 644 (Salt's yamlex). The schemas of YAML end here. */
	NODE_SALT,
	NODE_JSON, /* RFC 8259 */
	NODE_TOML, /* TOML 1.1.0 */
	NODE_TEXT, /* of formats without types: each scalar is a string */
};

/* The source that a node was read from. Lives as long as the document's arena. */
struct source {
	const char *name;  /* "site/app.yaml"; shown to people if `place` is NULL */
	const char *layer; /* the layer's name; "" if there is none */
	unsigned rank;     /* 0 is the lowest precedence */

	/* Both are NULL unless the source is a copy of a file in a store (etcd or git). */
	const char *original; /* the file to edit: "etcd:/fleet/app.yaml" */
	/* `original` with etcd's revision or git's commit: "etcd:/fleet/app.yaml@4711" */
	const char *place;
};

/** Returns the name of the source in messages: `place`, or `name` if that is NULL. */
const char *source_shown(const struct source *source);

/** Copies `source` into `arena`. A NULL name or layer becomes "". Returns 0 or -ENOMEM. */
int source_copy(struct arena *arena, const struct source *source, const struct source **ret);

struct spelling; /* spelling.h */

struct pair {
	const struct node *key;
	const struct node *value;
	uint32_t hash; /* node_hash(key) */
};

struct node {
	uint8_t kind;   /* enum node_kind */
	uint8_t style;  /* enum node_style */
	uint8_t schema; /* enum node_schema; scalars only */
	uint8_t mark;   /* its meaning is up to the code that made the node; readers set 0 */

	/*
	 * Number of nodes in this tree, including this one; an alias counts like a copy. UINT32_MAX
	 * stands for larger numbers, too. Readers and the functions below keep `weight` up to date.
	 */
	uint32_t weight;

	const struct source *source; /* NULL: a merge made the node, which has no place */
	uint32_t line;               /* starting at 1 */
	uint32_t column;             /* in characters, starting at 1 */
	const char *tag; /* "!aggr-map", "tag:yaml.org,2002:str"; NULL if none is written */

	union {
		struct {
			/* without quotes and escapes; NUL-terminated; may contain NUL bytes */
			struct span text;
			const struct spelling *spelling; /* how a key is written; NULL: as `text` */
		};
		struct {
			const struct node **items;
			uint32_t count;
			uint32_t capacity;
			struct node *seen; /* see node_see(); NULL: not called yet */
		} seq;
		struct {
			struct pair *pairs;
			uint32_t count;
			uint32_t capacity;
			struct node_index *index; /* NULL while the map is small */
		} map;
	};
};

static inline bool node_is_scalar(const struct node *node)
{
	return node->kind == NODE_SCALAR;
}

static inline bool node_is_sequence(const struct node *node)
{
	return node->kind == NODE_SEQUENCE;
}

static inline bool node_is_map(const struct node *node)
{
	return node->kind == NODE_MAP;
}

/* Returns the number of pairs of a map or items of a list; 0 for a scalar. */
static inline uint32_t node_count(const struct node *node)
{
	if (node_is_scalar(node))
		return 0;
	return node_is_map(node) ? node->map.count : node->seq.count;
}

/* Returns the address of the value of pair `i` of a map, or of item `i` of a list. */
static inline const struct node **node_entry(const struct node *node, uint32_t i)
{
	return node_is_map(node) ? &node->map.pairs[i].value : &node->seq.items[i];
}

/* Returns whether `root`, which may be NULL, is the root of a file of several documents. */
static inline bool node_is_stream(const struct node *root)
{
	return root && node_is_sequence(root) && root->style == NODE_STREAM;
}

/*
 * Returns the documents of the file with the root *root, and their number in *count. If *root is no
 * stream, it is the only document.
 */
static inline const struct node *const *node_documents(
	const struct node *const *root, size_t *count)
{
	*count = node_is_stream(*root) ? (*root)->seq.count : 1;
	return node_is_stream(*root) ? (*root)->seq.items : root;
}

/* Updates the weight of a map or list after an entry's weight has changed from `from` to `to`. */
static inline void node_reweigh(struct node *node, uint32_t from, uint32_t to)
{
	uint64_t sum = (uint64_t)node->weight - from + to;

	if (node->weight != UINT32_MAX)
		node->weight = sum < UINT32_MAX ? (uint32_t)sum : UINT32_MAX;
}

/** Computes the weight of a map or list from the weights of its entries. */
void node_weigh(struct node *node);

/**
 * If *copy is NULL, makes it a copy of `node`. Then sets entry `i` of *copy to `value`. Returns 0
 * or -ENOMEM.
 */
int node_change(struct arena *arena, const struct node *node, struct node **copy, uint32_t i,
	const struct node *value);

/**
 * Returns the tag of a map or list, if the tag is part of the value. Returns NULL if there is no
 * tag, or only the tag of the kind (!!map, !!seq) or "!".
 */
const char *node_foreign_tag(const struct node *node);

/** Returns whether two maps or lists have the same node_foreign_tag(), or both have none. */
bool node_tags_equal(const struct node *a, const struct node *b);

/** Returns "a map", "a list" or "a scalar", for messages. */
const char *node_kind_name(const struct node *node);

/**
 * Makes an empty map in `arena` with the tag, place and style of `like`. If `like` is a scalar or
 * NULL, the style is NODE_BLOCK. Returns NULL when there is no memory.
 */
struct node *node_new_map(struct arena *arena, const struct node *like);

/** As node_new_map(), for a list. */
struct node *node_new_sequence(struct arena *arena, const struct node *like);

/**
 * Makes a scalar with the text `text`, which must be NUL-terminated and live as long as the arena.
 * Returns NULL when there is no memory.
 */
struct node *node_new_scalar(struct arena *arena, struct span text, enum node_style style);

/** Copies a node, but not the nodes in it. Returns NULL when there is no memory. */
struct node *node_copy(struct arena *arena, const struct node *node);

/** As node_copy(), for a map or list: the copy has only the first `count` entries. */
struct node *node_copy_head(struct arena *arena, const struct node *node, uint32_t count);

/** Appends `item`. Returns 0 or -ENOMEM. */
int node_push(struct arena *arena, struct node *seq, const struct node *item);

/**
 * Makes seq->seq.seen, a map with the list's items as keys; equal items are one key. A further call
 * adds the items that were appended since the last call. Earlier items must not change. Returns
 * 0 or -ENOMEM.
 */
int node_see(struct arena *arena, struct node *seq);

/** Sets the value of `key`. If the key is missing, appends a pair. Returns 0 or -ENOMEM. */
int node_put(
	struct arena *arena, struct node *map, const struct node *key, const struct node *value);

/** As node_put(), with the key, the value and the hash in `pair`. */
int node_put_hashed(struct arena *arena, struct node *map, const struct pair *pair);

/** Appends a pair, even if the map has the key already. Returns 0 or -ENOMEM. */
int node_append(struct arena *arena, struct node *map, const struct pair *pair);

/** Makes room for `count` pairs, including those that the map has. Returns 0 or -ENOMEM. */
int node_reserve(struct arena *arena, struct node *map, uint32_t count);

/** Removes all pairs with that key. The others keep their order. Costs O(entries). */
void node_remove(struct node *map, const struct node *key);

/** Returns the last pair with that key, or NULL. The pair is valid until the map changes. */
const struct pair *node_find(const struct node *map, const struct node *key);

/** As node_find(), with the hash already computed. */
const struct pair *node_find_hashed(const struct node *map, const struct node *key, uint32_t hash);

/** As node_find_hashed(), with Python's equality of keys: 1, 1.0 and true are one key. */
const struct pair *node_find_as_python(
	const struct node *map, const struct node *key, uint32_t hash);

/**
 * Returns the pair by which an item of a list is matched, or NULL. `by` is a key or a list of keys.
 * The keys are tried in their order, until the item has a scalar at one of them. A value that is
 * not written (`name:`) is passed over. A null or an empty text is passed over, too, except at the
 * last key. If the item lacks a key with dots, such as metadata.name, the key is tried as a path.
 */
const struct pair *node_match(const struct node *item, const struct node *by);

/** Returns the value of the string key `name`, or NULL. */
const struct node *node_get(const struct node *map, const char *name);

/**
 * Typed equality: 1 and true differ; 1 and 1.0 are equal. The order of items in a sequence counts,
 * but not the order of pairs in a map. A foreign tag is part of the value.
 */
bool node_equal(const struct node *a, const struct node *b);

/**
 * Returns whether two maps, or two lists, have the same entries. `is_same` compares the values of
 * equal keys, or the items at equal positions. With `minds_keys`, `is_same` compares equal keys,
 * too, as they may be 1 and 1.0.
 */
bool node_has_same(const struct node *a, const struct node *b,
	bool (*is_same)(const struct node *a, const struct node *b), bool minds_keys);

/** Returns a hash. Equal nodes have equal hashes. */
uint32_t node_hash(const struct node *node);
