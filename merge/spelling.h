/*
 * A spelling: the written form of a key, in files whose program accepts several forms of one key.
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

/* Longest name, in bytes, that spelling_means() folds. A longer name is compared as it is. */
#define SPELLING_MAX 1024

struct fold {
	unsigned how; /* an OR of FOLD_…; 0: no key is folded */
	/* "A,B": a key that differs from A or B in case alone becomes A or B. NULL: no names. */
	const char *names;
};

struct spelling {
	const struct fold *fold;
	char text[]; /* the spelling; NUL-terminated */
};

/**
 * Folds the scalar `node`. Returns a copy of it in `arena`; the copy keeps the spelling, and
 * borrows `fold`. Returns `node` itself if fold->how is 0 or the text has a NUL byte. NULL: no
 * memory.
 */
const struct node *spelling_fold(
	const struct fold *fold, const struct node *node, struct arena *arena);

/** Returns whether `written` is a spelling of `text`, a key that is folded already. */
bool spelling_means(const struct fold *fold, struct span written, struct span text);

/** Returns the key's spelling if the key was folded by `fold`; otherwise the key's text. */
struct span spelling_of(const struct node *key, const struct fold *fold);

/** Returns whether the key is a scalar, and `name` is a spelling of it. */
bool spelling_is(const struct node *key, struct span name);

/**
 * Folds the names of sections in `root` by `sections`, and all other keys by `keys`. If two keys
 * would become one, the second is not folded. *ret is a copy in `arena` that shares all values
 * except sections. If `root` is NULL or not a map, *ret is `root`. Returns 0 or -ENOMEM.
 */
int spelling_fold_tree(const struct fold *sections, const struct fold *keys,
	const struct node *root, struct arena *arena, const struct node **ret);
