/*
 * A KEY: the place of a value in a tree, in the form that people read and write.
 *
 *      server.hosts[0]         an item of a list, counted from 0
 *      "a.b".c  'a.b'.c        a key with a dot in it; "…" may have JSON's escapes, '…' has none
 *      ["odd key"][0]          keys and items, as programs write them
 *      hosts[name=web].port    the item with this key and value
 *      ports[port=53,protocol=UDP].name    the item with these keys and values; if an item
 *                                          has the port "53,protocol=UDP", that item
 *      .                       the whole file
 *      [kind=A,name=web].port  a key of a document, if the file has several (stream.h)
 *
 * Where a KEY is matched against a tree (key_match.h), dots and brackets may be part of a key's
 * name, and the KEY may have another tool's notation, such as /a/0/b (JSON Pointer).
 *
 * A word without quotes finds a key of any type by its text (`80` may be a number), and prefers a
 * key that is written without quotes. A word in quotes prefers a key that is written in quotes. A
 * KEY that plyfs prints leads to the same value again, unless a key on the way is a list, a map, or
 * what a schema calls a secret: plyfs prints such a key as `[?]`.
 */
#pragma once

#include "limit.h"
#include "node.h"
#include "problem.h"

/* Greatest number of parts of one KEY. No tree is deeper. */
#define KEY_PARTS_MAX LIMIT_DEPTH_MAX

struct key_part {
	struct span name;  /* a key's name; if it is a number, perhaps the index of an item */
	struct span value; /* of [name=value]; `data` NULL: a part of another form */
	bool is_quoted;
	bool is_value_quoted;
	bool is_bracket; /* the part stands in brackets */
	size_t end;      /* offset of the part's end in the KEY */
};

/* In key.document: the KEY names no document. */
#define KEY_ANY_DOCUMENT SIZE_MAX

struct key {
	const char *text;
	struct key_part *parts;
	size_t count; /* 0: the whole file */

	/* key_match() (key_match.h) sets these; after key_parse(): KEY_ANY_DOCUMENT, NULL and 0 */
	size_t document;          /* index of the document; a new one gets the next free index */
	const struct node *named; /* the name of a new document; else NULL */
	size_t start;             /* length of the document's name in `text`; 0: none */
};

/* A condition in a document's name: the document has `value` at `key`. */
struct key_condition {
	struct key key;
	const struct node *value; /* a scalar */
};

/**
 * Reads `text`, which *ret borrows. Returns 0 with the parts in `arena`; PROBLEM with the column at
 * which `text` can't be read; or -ENOMEM.
 */
int key_parse(const char *text, struct arena *arena, struct key *ret, struct problem *problem);

/** As key_parse(), from text[start] on. `start` is 0, or the end of a document's name. */
int key_parse_from(const char *text, size_t start, struct arena *arena, struct key *ret,
	struct problem *problem);

/**
 * Reads a document's name, such as [kind=Service,name=web], at text[at]. Returns 0 with *count
 * conditions at *ret, in `arena`, and *end, the offset behind the name; PROBLEM: text[at] begins no
 * such name; or -ENOMEM.
 */
int key_parse_conditions(const char *text, size_t at, struct arena *arena,
	struct key_condition **ret, size_t *count, size_t *end);

/** Sets *ret to an upper bound of the parts' number. Returns 0; or PROBLEM above KEY_PARTS_MAX. */
int key_count_parts(const char *text, size_t *ret, struct problem *problem);

/** Reads the part at text[at], which may begin with a dot. Returns 0, PROBLEM or -ENOMEM. */
int key_parse_part(const char *text, size_t at, struct arena *arena, struct key_part *part,
	struct problem *problem);

/* The value that a part leads to, and its key in a map or its index in a list. */
struct key_step {
	const struct node *value;
	const struct node *key; /* NULL: an item of a list */
	uint32_t index;
};

/**
 * Takes the next condition of a part such as [a=1,b=2]: *ret becomes the part [a=1], in the next
 * call [b=2]. The caller sets *at to 0 before the first call. Returns false if no condition is
 * left. A value in quotes is never divided.
 */
bool key_next_condition(const struct key_part *part, size_t *at, struct key_part *ret);

/** Finds the entry of `in` that `part` names. Returns false if there is none. */
bool key_find(const struct node *in, const struct key_part *part, struct key_step *ret);

/** Returns the value in `root` that the parts from `first` on lead to, or NULL. */
const struct node *key_follow(const struct key *key, size_t first, const struct node *root);

/**
 * Returns whether `part` names the removed value `lost`. `key` is the key of `lost` in its map. But
 * if `is_item`, `lost` was an item of a list, and `key` is the value by which it was matched.
 */
bool key_names(
	const struct key_part *part, const struct node *key, const struct node *lost, bool is_item);

/* A KEY that grows and shrinks during a walk through a tree. All zero: the whole file. */
struct key_text {
	char *data; /* NUL-terminated; NULL: nothing was put yet */
	size_t len;
	size_t capacity;
	bool has_failed; /* an allocation failed; later text is dropped */
};

/** Appends the part for a key of a map. */
void key_text_put(struct key_text *text, const struct node *key);

/** Appends text that already has the form of a printed KEY, or of a part of one. */
void key_text_put_text(struct key_text *text, struct span key);

/** Appends [INDEX]. */
void key_text_put_index(struct key_text *text, uint32_t index);

/**
 * Appends the part for the list item `value`. `key` is the value by which the item is matched. The
 * part is [NAME=TEXT] if the item is a map that has `key` at NAME; otherwise [TEXT].
 */
void key_text_put_item(struct key_text *text, const struct node *key, const struct node *value);

/** Appends "=VALUE", the end of a condition in a document's name. */
void key_text_put_condition(struct key_text *text, const struct node *value);

/** Cuts the text back to a length that it had before. */
void key_text_cut(struct key_text *text, size_t len);

/** Returns the KEY in its printed form; "." if it is empty. Valid until the text changes. */
struct span key_text_span(const struct key_text *text);

void key_text_fini(struct key_text *text);
