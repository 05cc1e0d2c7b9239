/*
 * A node: one value of a document, with everything that is needed to write it again as it was.
 *
 *      map ── pair ── key: scalar "port"
 *       │        └─── value: scalar "80"
 *       └──── pair ── key: scalar "hosts"
 *                └─── value: sequence ── scalar "a"
 *
 * A node carries its text (as written, but without quotes and escapes), its style and tag, and the
 * place where it was read. The nodes of a document that has been read are immutable and may be
 * shared: by aliases, by the results of many merges, and between threads. A merge makes new map and
 * sequence (list) nodes where two values combine, and refers to its sources' nodes for everything
 * else. So the sources' arenas must outlive the result.
 *
 * Maps keep the order of insertion. A map with more than a few keys finds them by hash.
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
	NODE_DOTTED,  /* map: each entry is a line that names the map, too: map.key = 1 */
	NODE_HEADER,  /* map: as NODE_BLOCK, but always named by a line of its own: [map] */
	NODE_STREAM,  /* sequence, only as a root: the documents of a file, at least two */
};

/* How plain text gets its type. The reader sets it for each node; see scalar.h. */
enum node_schema {
	NODE_YAML_1_1, /* as PyYAML's safe loader */
	NODE_YAML_1_2, /* the core schema of YAML 1.2.2, section 10.3 */
	/* As 1.1, but leading zeros are not octal (Salt's yamlex). Must stand behind all other
	 * schemas of YAML. */
	NODE_SALT,
	NODE_JSON, /* RFC 8259 */
	NODE_TOML, /* TOML 1.1.0 */
	NODE_TEXT, /* of formats that have only text: always a string */
};

/* The source that a node was read from. Lives as long as the document's arena. */
struct source {
	const char *name;  /* as shown to people, unless the source is a copy: "site/app.yaml" */
	const char *layer; /* the layer's name; "" if there is none */
	unsigned rank;     /* 0 is the lowest precedence */

	/* Both are NULL unless the source is a copy of a file in a store. */
	const char *original; /* the file to edit: "etcd:/fleet/app.yaml" */
	/* `original` with etcd's revision or git's commit: "etcd:/fleet/app.yaml@4711" */
	const char *place;
};

/** Returns the name of the source in messages: `place`, or `name` if that is NULL. */
const char *source_shown(const struct source *source);

/**
 * Copies `source` and its strings into `arena`. A name or layer that is NULL becomes "". Returns 0
 * or -ENOMEM.
 */
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
	uint8_t mark;   /* free for the strategy that made the node; readers set 0 */

	/*
	 * Nodes in this tree, including this one; an alias counts like a copy. UINT32_MAX means
	 * that many or more. The readers and the functions below that change a node maintain it.
	 */
	uint32_t weight;

	const struct source *source; /* NULL: a merge made the node, without a place */
	uint32_t line;               /* starting at 1 */
	uint32_t column;             /* in characters, starting at 1 */
	const char *tag; /* "!aggr-map", "tag:yaml.org,2002:str"; NULL if none is written */

	union {
		struct {
			/* Scalar; NUL-terminated, but may also contain NUL bytes. */
			struct span text;
			const struct spelling *spelling; /* of a key; NULL: the same as the text */
		};
		struct {
			const struct node **items;
			uint32_t count;
			uint32_t capacity;
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

/* Returns where the value of pair `i` of a map, or item `i` of a list, is stored. */
static inline const struct node **node_entry(const struct node *node, uint32_t i)
{
	return node_is_map(node) ? &node->map.pairs[i].value : &node->seq.items[i];
}

/* Returns whether `root` is the root of a file of several documents; it may be NULL. */
static inline bool node_is_stream(const struct node *root)
{
	return root && node_is_sequence(root) && root->style == NODE_STREAM;
}

/* Returns the *count documents of a file whose root is *root: those of a stream, or *root alone. */
static inline const struct node *const *node_documents(
	const struct node *const *root, size_t *count)
{
	*count = node_is_stream(*root) ? (*root)->seq.count : 1;
	return node_is_stream(*root) ? (*root)->seq.items : root;
}

/* Adjusts the weight of the map or list `node`: an entry's weight changes from `from` to `to`. */
static inline void node_reweigh(struct node *node, uint32_t from, uint32_t to)
{
	uint64_t sum = (uint64_t)node->weight - from + to;

	if (node->weight != UINT32_MAX)
		node->weight = sum < UINT32_MAX ? (uint32_t)sum : UINT32_MAX;
}

/** Counts the weight of a map or list again, from its entries. */
void node_weigh(struct node *node);

/**
 * Sets the value of entry `i` in *copy. If *copy is NULL, it becomes a copy of `node` first.
 * Returns 0 or -ENOMEM.
 */
int node_change(struct arena *arena, const struct node *node, struct node **copy, uint32_t i,
	const struct node *value);

/**
 * Returns the tag of a map or list if the tag is part of the value. NULL: there is no tag, or it
 * only names the kind (!!map, !!seq), or it is "!".
 */
const char *node_foreign_tag(const struct node *node);

/** Returns "a map", "a list" or "a scalar", for messages. */
const char *node_kind_name(const struct node *node);

/**
 * Makes an empty map in `arena`. Style, tag and place are those of `like`. If `like` is NULL: block
 * style, no tag, no place. Returns NULL when there is no memory.
 */
struct node *node_new_map(struct arena *arena, const struct node *like);

/** As node_new_map(), for a list. */
struct node *node_new_sequence(struct arena *arena, const struct node *like);

/**
 * Makes a scalar with the text `text`, which must be NUL-terminated and live as long as the arena.
 * Returns NULL when there is no memory.
 */
struct node *node_new_scalar(struct arena *arena, struct span text, enum node_style style);

/** Copies one node. The copy may be changed; it shares the entries' nodes. NULL: no memory. */
struct node *node_copy(struct arena *arena, const struct node *node);

/** Copies a map or list with its first `count` entries. Returns NULL when there is no memory. */
struct node *node_copy_head(struct arena *arena, const struct node *node, uint32_t count);

/** Appends `item`. Returns 0 or -ENOMEM. */
int node_push(struct arena *arena, struct node *seq, const struct node *item);

/**
 * Sets `key` to `value`. A key that the map has keeps its place and its key node; a new key goes to
 * the end. Returns 0 or -ENOMEM.
 */
int node_put(
	struct arena *arena, struct node *map, const struct node *key, const struct node *value);

/** As node_put(), for the key and the value of `pair`, whose `hash` is set. */
int node_put_hashed(struct arena *arena, struct node *map, const struct pair *pair);

/** Appends a pair without a check whether the key is there already. Returns 0 or -ENOMEM. */
int node_append(struct arena *arena, struct node *map, const struct pair *pair);

/** Makes room for `count` pairs in all, those of the map included. Returns 0 or -ENOMEM. */
int node_reserve(struct arena *arena, struct node *map, uint32_t count);

/** Removes all pairs with that key. The others keep their order. Costs O(entries). */
void node_remove(struct node *map, const struct node *key);

/**
 * Returns the pair with that key, or NULL. The pair is valid until the map changes. If a key is
 * repeated, returns its last pair.
 */
const struct pair *node_find(const struct node *map, const struct node *key);

/** As node_find(), with the hash already computed. */
const struct pair *node_find_hashed(const struct node *map, const struct node *key, uint32_t hash);

/** As node_find_hashed(), with Python's equality of keys: 1, 1.0 and true are one key. */
const struct pair *node_find_as_python(
	const struct node *map, const struct node *key, uint32_t hash);

/**
 * Returns the pair by which an item of a list is matched. `by` is a key, or a list of keys that are
 * tried in their order. The first key at which the item has a scalar decides. A value that is not
 * written (`name:`) does not count as a scalar. A null or an empty text counts only at the last
 * key. If the item lacks a key that has dots, the key is a path in it: metadata.name. NULL:
 * the item is no map, or has no such scalar.
 */
const struct pair *node_match(const struct node *item, const struct node *by);

/** Returns the value of the string key `name`, or NULL. */
const struct node *node_get(const struct node *map, const char *name);

/**
 * Typed equality: 1 and true differ; 1 and 1.0 are equal. Maps are equal in any order of their
 * pairs, sequences only in the same order. A foreign tag is part of the value.
 */
bool node_equal(const struct node *a, const struct node *b);

/** Equal nodes have equal hashes. */
uint32_t node_hash(const struct node *node);
