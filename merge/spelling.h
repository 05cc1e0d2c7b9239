/*
 * A spelling: how a key is written, where its program takes several spellings for one key.
 *
 *      Bind-Address = ::     text "bind_address", which is what the key is: layers meet there
 *                            spelling "Bind-Address", which is what is written again
 *
 * A fold is what turns a spelling into the text. Folding twice is folding once.
 */
#pragma once

#include "node.h"

enum {
	FOLD_CASE = 1,   /* capitals are small letters */
	FOLD_DASH = 2,   /* "-" is "_" */
	FOLD_HEAD = 4,   /* git's sections: FOLD_CASE up to the quote, [a.B] is [a "b"] */
	FOLD_PREFIX = 8, /* "loose_" in front says nothing */
	FOLD_BLANKS = 16 /* blanks at the end, too */
};

/* Bytes of a name that is compared by its fold: longer ones must be equal. */
#define SPELLING_MAX 1024

struct fold {
	unsigned how;
	const char *names; /* "A,B": keys that have this spelling if they differ in case alone; or NULL */
};

struct spelling {
	const struct fold *fold;
	char text[]; /* NUL-terminated */
};

/**
 * The key that `node`, a scalar, is by `fold`: node itself, or a copy in `arena` with its spelling.
 * NULL: no memory.
 */
const struct node *spelling_fold(
	const struct fold *fold, const struct node *node, struct arena *arena);

/** Whether what is written so is the key `text`, which is folded. */
bool spelling_means(const struct fold *fold, struct span written, struct span text);

/** How the key is written to a program of that fold. */
struct span spelling_of(const struct node *key, const struct fold *fold);

/** Whether the key, which may be no scalar, has that name in one of its spellings. */
bool spelling_is(const struct node *key, struct span name);

/**
 * `root`, which may be NULL, with the keys that it means to a program that folds `sections` and the
 * `keys` in them: itself, or a copy of its maps in `arena`. Of two keys that are one, the second
 * stays as it is. Returns 0 with *ret, or -ENOMEM.
 */
int spelling_fold_tree(const struct fold *sections, const struct fold *keys,
	const struct node *root, struct arena *arena, const struct node **ret);
