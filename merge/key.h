/*
 * A KEY: the place of a value in a tree, in the form that people read and write.
 *
 *      server.hosts[0]         an item of a list, counted from 0
 *      "a.b".c  'a.b'.c        a key with a dot in it; as in JSON, or without escapes
 *      ["odd key"][0]          keys and items, as programs write them
 *      hosts[name=web].port    the item that has that key and value
 *      .                       the whole file
 *      [kind=A,name=web].port  a key of a document, if the file has several (stream.h)
 *
 * A KEY is read in this way if there is no tree to compare it with. If there is a tree, dots and
 * brackets may be part of a key's name, and the paths of other tools are understood: key_match.h.
 *
 * A word without quotes finds a key of any type by its text (`80` may be a number), and prefers a
 * key that is written without quotes. A word in quotes prefers a key that is written in quotes. A
 * KEY that plyfs prints finds its value again, except for keys that are lists or maps: those are
 * printed as `[?]`.
 */
#pragma once

#include "node.h"
#include "problem.h"

/* Greatest number of parts of one KEY. No mount allows deeper trees. */
#define KEY_PARTS_MAX 1024

struct key_part {
	struct span name;  /* of the key; digits may also be the index of an item */
	struct span value; /* of [name=value]; `data` is NULL in any other part */
	bool is_quoted;
	bool is_value_quoted;
	bool is_bracket; /* the part stands in brackets */
	size_t end;      /* bytes of the KEY up to and including this part */
};

/* In key.document: the KEY names no document. */
#define KEY_ANY_DOCUMENT SIZE_MAX

struct key {
	const char *text;
	struct key_part *parts;
	size_t count; /* 0: the whole file */

	/* Set by key_match() (key_match.h); key_parse() leaves KEY_ANY_DOCUMENT, NULL and 0. */
	size_t document;          /* index; KEY_ANY_DOCUMENT; the number of documents: a new one */
	const struct node *named; /* of a new document: its name */
	size_t start;             /* bytes of the text that name the document */
};

/* A condition of a document's name: the value at `key` is `value`. */
struct key_condition {
	struct key key;
	struct span value;
	bool is_value_quoted;
};

/**
 * Reads `text`, which the key borrows. Returns 0 with *ret in `arena`, PROBLEM with the column (in
 * bytes) of the text that can't be read, or -ENOMEM.
 */
int key_parse(const char *text, struct arena *arena, struct key *ret, struct problem *problem);

/** Does the same from text[start] on, behind the name of a document. */
int key_parse_from(const char *text, size_t start, struct arena *arena, struct key *ret,
	struct problem *problem);

/**
 * Reads the name of a document at text[at]: [kind=Service,metadata.name=web]. Returns 0 with *ret
 * in `arena`, and *end after the bracket; PROBLEM if there is no such name; or -ENOMEM.
 */
int key_parse_conditions(const char *text, size_t at, struct arena *arena,
	struct key_condition **ret, size_t *count, size_t *end);

/** Finds an upper bound of the text's parts. Returns 0, or PROBLEM if it is too large. */
int key_count_parts(const char *text, size_t *ret, struct problem *problem);

/** Reads the part at text[at], which may begin with a dot, as key_parse() does. */
int key_parse_part(const char *text, size_t at, struct arena *arena, struct key_part *part,
	struct problem *problem);

/* The value that a part leads to. In a map `key` is set; in a list `index` is valid. */
struct key_step {
	const struct node *value;
	const struct node *key; /* NULL: an item of a list */
	uint32_t index;
};

/** Finds the entry of `in` that `part` names. Returns false if there is none, as in a scalar. */
bool key_find(const struct node *in, const struct key_part *part, struct key_step *ret);

/** Returns the value in `root` that the parts from `first` on lead to, or NULL. */
const struct node *key_follow(const struct key *key, size_t first, const struct node *root);

/**
 * Returns whether `part` names the removed value `lost`. In a map, `key` is the key that it had.
 * With `is_item`, it was an item of a list, and `key` is the value by which it was matched.
 */
bool key_names(
	const struct key_part *part, const struct node *key, const struct node *lost, bool is_item);

/* A KEY that grows and shrinks while a tree is walked. All zero: the whole file. */
struct key_text {
	char *data; /* NUL-terminated; NULL: nothing was put yet */
	size_t len;
	size_t capacity;
	bool has_failed; /* an allocation failed; all later text is dropped */
};

void key_text_put(struct key_text *text, const struct node *key);

/** Appends a KEY, or a part of one, that is in its printed form already. */
void key_text_put_text(struct key_text *text, struct span key);

void key_text_put_index(struct key_text *text, uint32_t index);

/**
 * Appends [TEXT] for the item of a list that equals `key`; or [NAME=TEXT], if the item `value` is a
 * map that has `key` at NAME.
 */
void key_text_put_item(struct key_text *text, const struct node *key, const struct node *value);

/** Appends "=VALUE" of a document's name. */
void key_text_put_condition(struct key_text *text, const struct node *value);

/** Cuts the text back to a length that it had before. */
void key_text_cut(struct key_text *text, size_t len);

/** Returns the KEY in its printed form. */
struct span key_text_span(const struct key_text *text);

void key_text_fini(struct key_text *text);
