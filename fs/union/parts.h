/*
 * Parts: the sources of one file at several paths, on their way into a lookup. For expand.c and
 * dropin.c.
 */
#pragma once

#include "union.h"

struct part {
	struct contributor contributor; /* its path is owned */
	size_t number;                  /* as parts.number was */
};

/* Before use, all members are zero but `settings` and `scratch`. */
struct parts {
	const struct settings *settings;
	struct union_lookup *scratch; /* from union_lookup_new() */
	struct part *items;
	size_t count;
	size_t capacity;
	size_t first;  /* the index of the first item that the functions compare with others */
	size_t number; /* of the next items: the first pattern, or name, has the lowest */
	struct contributor *left_out; /* their paths are owned */
	size_t left_out_count;
	size_t left_out_capacity;
};

void parts_fini(struct parts *parts);

/** Adds a source, unless there is one of its layer and `path` already. Returns 0 or -ENOMEM. */
int parts_add(struct parts *parts, const struct contributor *found, const char *path);

/** Adds all files of a lookup of `path`; with `why`, they are left out. Returns 0 or -ENOMEM. */
int parts_take(
	struct parts *parts, const struct union_lookup *lookup, const char *path, const char *why);

/**
 * Adds a link to /dev/null, which masks (dropin.h), and the files below it in `layers`: without
 * `follow`, the link hides them from a lookup. Returns 0 or -ENOMEM.
 */
int parts_add_link(struct parts *parts, layer_mask layers, unsigned layer, const char *path);

/**
 * Leaves out the files that a file of the same name, in a higher layer or a later directory,
 * replaces or masks (dropin.h). `replaced` is the reason if one is replaced. Returns 0 or -ENOMEM.
 */
int parts_mask(struct parts *parts, const char *replaced);

/**
 * Makes the sources, of which there must be one, the contributors of *ret, and behind them those
 * that are left out. With `by_name`, names decide before layers. Returns 0 or -ENOMEM.
 */
int parts_hand_over(struct parts *parts, bool by_name, struct union_lookup *ret);
