/*
 * A node: one value of a document, with all that is needed to write it again as it was.
 *
 *      map ── pair ── key: scalar "port"
 *       │        └─── value: scalar "80"
 *       └──── pair ── key: scalar "hosts"
 *                └─── value: sequence ── scalar "a"
 *
 * A node carries its text exactly as written, its style and tag, and the place it was read from.
 * The nodes of a document that has been read are immutable and may be shared: by aliases, by the
 * results of many merges, and between threads. A merge makes new map and sequence nodes where two
 * values combine, and refers to its sources' nodes for everything else; the sources' arenas must
 * outlive the result.
 *
 * Maps keep insertion order. Keys are found by hash once a map has more than a few.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "span.h"

enum node_kind { NODE_SCALAR, NODE_SEQUENCE, NODE_MAP };

enum node_style {
	NODE_PLAIN,   /* scalar: bare text, whose type the schema decides */
	NODE_SINGLE,  /* scalar: 'text' */
	NODE_DOUBLE,  /* scalar: "text" */
	NODE_LITERAL, /* scalar: | */
	NODE_FOLDED,  /* scalar: > */
	NODE_BLOCK,   /* map or sequence, one entry a line */
	NODE_FLOW,    /* map or sequence, [a, b] or {a: b} */
	NODE_DOTTED,  /* map: each entry a line that names the map, too: map.key = 1 */
	NODE_HEADER,  /* map: as NODE_BLOCK, and named by a line of its own, whatever is in it: [map] */
};

/* How plain text gets its type. Set by the reader, for each node; see scalar.h. */
enum node_schema {
	NODE_YAML_1_1, /* as PyYAML's safe loader */
	NODE_YAML_1_2, /* the core schema of YAML 1.2.2, section 10.3 */
	NODE_SALT,     /* as 1.1, but zeros in front are no octal: Salt's yamlex; the last of YAML */
	NODE_JSON,     /* RFC 8259 */
	NODE_TOML,     /* TOML 1.0.0 */
	NODE_TEXT,     /* of formats that know nothing but text: always a string */
};

/* What a node was read from. Lives as long as the document's arena. */
struct source {
	const char *name;  /* as shown to people, if it is no copy: "site/app.yaml" */
	const char *layer; /* the layer's name; "" when there is none */
	unsigned rank;     /* 0 is the lowest precedence */

	/* Of a copy; NULL: it is none. */
	const char *original; /* what is to be edited: "etcd:/fleet/app.yaml" */
	const char *place;    /* and in which state it was read: "etcd:/fleet/app.yaml@4711" */
};

/** What messages call it. */
const char *source_shown(const struct source *source);

/** A copy of `source` and its strings, "" for those that are NULL, in `arena`. 0 or -ENOMEM. */
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
	uint8_t mark;   /* free for the strategy that made the node; 0 from a reader */

	/* Nodes in this tree, this one included and every alias counted as often as it is used;
	 * UINT32_MAX means that many or more. Kept by the readers and by *_put() and *_push(). */
	uint32_t weight;

	const struct source *source; /* NULL for a node made by a merge */
	uint32_t line;               /* starting at 1 */
	uint32_t column;             /* in characters, starting at 1 */
	const char *tag; /* "!aggr-map", "tag:yaml.org,2002:str"; NULL when none written */

	union {
		struct {
			struct span text; /* scalar; NUL-terminated, though NUL bytes may also
					     occur inside */
			const struct spelling *spelling; /* of a key; NULL: it is the text */
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

/* Pairs of a map, items of a list; 0 for a scalar. */
static inline uint32_t node_count(const struct node *node)
{
	if (node_is_scalar(node))
		return 0;
	return node_is_map(node) ? node->map.count : node->seq.count;
}

/* Where the value of pair `i` of a map, or item `i` of a list, stands. */
static inline const struct node **node_entry(const struct node *node, uint32_t i)
{
	return node_is_map(node) ? &node->map.pairs[i].value : &node->seq.items[i];
}

/* For a value of weight `from` in the collection stands one of weight `to`. */
static inline void node_reweigh(struct node *node, uint32_t from, uint32_t to)
{
	uint64_t sum = (uint64_t)node->weight - from + to;

	if (node->weight != UINT32_MAX)
		node->weight = sum < UINT32_MAX ? (uint32_t)sum : UINT32_MAX;
}

/** The weight of a map or list, counted anew from what is in it. */
void node_weigh(struct node *node);

/**
 * Sets the value of entry `i` in *copy, which is made of `node` when it is NULL. 0 or -ENOMEM.
 */
int node_change(struct arena *arena, const struct node *node, struct node **copy, uint32_t i,
	const struct node *value);

/** The tag of a map or list as far as it is part of its value; NULL: it has none that says more. */
const char *node_foreign_tag(const struct node *node);

/** "a map", "a list" or "a scalar", for messages. */
const char *node_kind_name(const struct node *node);

/**
 * New nodes, in `arena`, empty. Style, tag and place are those of `like` (which may be NULL: block
 * style, plain, no tag, no place). NULL when there is no memory.
 */
struct node *node_new_map(struct arena *arena, const struct node *like);
struct node *node_new_sequence(struct arena *arena, const struct node *like);

/** A scalar whose text is `text`, which must live as long as the arena and be NUL-terminated. */
struct node *node_new_scalar(struct arena *arena, struct span text, enum node_style style);

/** A copy of one node, its entries shared; the copy may be changed. NULL: no memory. */
struct node *node_copy(struct arena *arena, const struct node *node);

/** A map or list like `node` that begins with `count` of its entries. NULL: no memory. */
struct node *node_copy_head(struct arena *arena, const struct node *node, uint32_t count);

/** Puts `item` at the end. Returns 0 or -ENOMEM. */
int node_push(struct arena *arena, struct node *seq, const struct node *item);

/**
 * Sets key to value: in its old place where the map has the key (the old key node stays), at the
 * end otherwise. Returns 0 or -ENOMEM.
 */
int node_put(
	struct arena *arena, struct node *map, const struct node *key, const struct node *value);

/** As node_put(), with `hash` = node_hash(key) known already. */
int node_put_hashed(struct arena *arena, struct node *map, const struct pair *pair);

/** Appends without looking whether the key is there already. Returns 0 or -ENOMEM. */
int node_append(struct arena *arena, struct node *map, const struct pair *pair);

/** Room for `count` entries in all, so that they can be put without growing. 0 or -ENOMEM. */
int node_reserve(struct arena *arena, struct node *map, uint32_t count);

/** Removes the key, if it is there. The order of the others stays. Costs O(entries). */
void node_remove(struct node *map, const struct node *key);

/** The pair with that key, or NULL. Lives until the map is changed. With double keys: the last. */
const struct pair *node_find(const struct node *map, const struct node *key);

/** As node_find(), with the hash known already. */
const struct pair *node_find_hashed(const struct node *map, const struct node *key, uint32_t hash);

/** As node_find_hashed(), with the keys equal that are in Python: 1, 1.0 and true are one. */
const struct pair *node_find_as_python(
	const struct node *map, const struct node *key, uint32_t hash);

/**
 * The pair that an item of a list is matched by: `by` is a key, or a list of keys of which the first
 * counts that the item has; one with a null or an empty text is passed over if another key follows.
 * NULL: the item is no map, or has no scalar there.
 */
const struct pair *node_match(const struct node *item, const struct node *by);

/** The value of the string key `name`, or NULL. */
const struct node *node_get(const struct node *map, const char *name);

/**
 * Typed equality: 1 and true differ, 1 and 1.0 are equal, maps are equal
 * whatever their order, sequences in order. A foreign tag is part of the value.
 */
bool node_equal(const struct node *a, const struct node *b);

/** Equal nodes have equal hashes. */
uint32_t node_hash(const struct node *node);
