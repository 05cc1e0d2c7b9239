/*
 * A spelling: the written form of a key, if the program that reads the file accepts several forms
 * of one key.
 *
 *      Bind-Address = ::     text "bind_address", which identifies the key when layers merge
 *                            spelling "Bind-Address", which the merged file has
 *
 * A fold turns a spelling into the key's text. Folding twice is the same as folding once.
 */
#pragma once

#include "node.h"

enum {
	FOLD_CASE = 1,   /* capitals become small letters */
	FOLD_DASH = 2,   /* "-" becomes "_" */
	FOLD_HEAD = 4,   /* git's sections: [A "B"] becomes [a "B"], and [A.B] becomes [a "b"] */
	FOLD_PREFIX = 8, /* every "loose_" or "loose-" in front is dropped */
	FOLD_BLANKS = 16 /* blanks at the end are dropped */
};

/* Longest name, in bytes, that is folded for a comparison. A longer name is compared as it is. */
#define SPELLING_MAX 1024

struct fold {
	unsigned how; /* an OR of FOLD_…; 0: no key is folded */
	/* "A,B": a key that differs from A or B only in case becomes A or B. NULL: no names. */
	const char *names;
};

struct spelling {
	const struct fold *fold;
	char text[]; /* NUL-terminated */
};

/**
 * Folds the scalar `node`. Returns a copy in `arena`, which keeps the spelling, and borrows `fold`.
 * If fold->how is 0 or the text has a NUL byte, returns the node itself. Returns NULL when there is
 * no memory.
 */
const struct node *spelling_fold(
	const struct fold *fold, const struct node *node, struct arena *arena);

/** Returns whether `written` is a spelling of `text`, a key that is folded already. */
bool spelling_means(const struct fold *fold, struct span written, struct span text);

/** Returns the key's spelling if the key was folded by `fold`; otherwise the key's text. */
struct span spelling_of(const struct node *key, const struct fold *fold);

/** Returns whether `name` is a spelling of the key. Returns false if the key is no scalar. */
bool spelling_is(const struct node *key, struct span name);

/**
 * Folds sections' names in `root` by `sections`, and all other keys by `keys`. If two keys would
 * become one, the second is not folded. If the root is a map, *ret is a copy in `arena` that shares
 * all values except sections. Otherwise *ret is `root`, which may be NULL. Returns 0 or -ENOMEM.
 */
int spelling_fold_tree(const struct fold *sections, const struct fold *keys,
	const struct node *root, struct arena *arena, const struct node **ret);
