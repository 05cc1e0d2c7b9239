/*
 * A KEY: where a value stands in a tree, as people read and write it.
 *
 *      server.hosts[0]         an item of a list, counted from 0
 *      "a.b".c  'a.b'.c        a key with a dot in it; as in JSON, or all as it stands
 *      ["odd key"][0]          the same, as programs write it
 *      hosts[name=web].port    the item that has that key and value
 *      .                       the whole file
 *
 * So it is read where nothing is known of the tree. Of a tree that is there, the dots and brackets
 * may be part of a key's name, and other tools' paths are understood: key_match.h.
 *
 * A word without quotes finds a key of any type by its text (`80` may be a number), before one that
 * is written in quotes; a word in quotes finds a text first. What is printed is found again, but
 * for keys that are lists or maps: they stand as `[?]`.
 */
#pragma once

#include "node.h"
#include "problem.h"

/* Parts of one KEY; more than any tree is deep. */
#define KEY_PARTS_MAX 1024

struct key_part {
	struct span name;  /* of the key; digits also count items of a list */
	struct span value; /* [name=value]; `data` is NULL: not such a part */
	bool is_quoted;
	bool is_value_quoted;
	bool is_bracket; /* it stands in brackets */
	size_t end; /* bytes of the KEY up to here, this part included */
};

struct key {
	const char *text;
	struct key_part *parts;
	size_t count; /* 0: the whole file */
};

/**
 * Reads `text`, which is borrowed. Returns 0 with *ret in `arena`, PROBLEM with the column (in
 * bytes) of what can't be read, or -ENOMEM.
 */
int key_parse(const char *text, struct arena *arena, struct key *ret, struct problem *problem);

/** Counts the parts that the text may have at most. Returns 0, or PROBLEM: they are too many. */
int key_count_parts(const char *text, size_t *ret, struct problem *problem);

/** Reads the part at text[at], which may have a dot in front, as key_parse() does. */
int key_parse_part(const char *text, size_t at, struct arena *arena, struct key_part *part,
	struct problem *problem);

/* What a part leads to: of a map `key` is set, of a list `index` counts. */
struct key_step {
	const struct node *value;
	const struct node *key; /* NULL: an item of a list */
	uint32_t index;
};

/** Whether the map or list `in` has what `part` says; false too for a scalar. */
bool key_find(const struct node *in, const struct key_part *part, struct key_step *ret);

/** What the parts from `first` on lead to in `root`; NULL: nothing. */
const struct node *key_follow(const struct key *key, size_t first, const struct node *root);

/**
 * Whether `part` names `lost`, which `key` stood for in a map or, with is_item, was matched by in a
 * list.
 */
bool key_names(
	const struct key_part *part, const struct node *key, const struct node *lost, bool is_item);

/* A KEY that is made while a tree is walked. All zero is the whole file. */
struct key_text {
	char *data; /* NUL-terminated, unless nothing was ever put */
	size_t len;
	size_t capacity;
	bool has_failed; /* for lack of memory; what is put then is lost */
};

void key_text_put(struct key_text *text, const struct node *key);

/** A KEY as it was printed, to begin with. */
void key_text_put_text(struct key_text *text, struct span key);

void key_text_put_index(struct key_text *text, uint32_t index);

/** An item that was `value`, found by `key`, which is one of its values if it is a map. */
void key_text_put_item(struct key_text *text, const struct node *key, const struct node *value);

/** Back to the length it had. */
void key_text_cut(struct key_text *text, size_t len);

/** As it is printed. */
struct span key_text_span(const struct key_text *text);

void key_text_fini(struct key_text *text);
