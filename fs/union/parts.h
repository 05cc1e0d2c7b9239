/*
 * Parts: the sources of one file at several paths, on their way into a lookup. For expand.c and
 * dropin.c.
 */
#pragma once

#include "union.h"

struct part {
	struct contributor contributor; /* its path is owned */
	size_t number;                  /* parts.number when the part was added */
};

/* Before use, all members are zero but `settings` and `scratch`. */
struct parts {
	const struct settings *settings;
	struct union_lookup *scratch; /* from union_lookup_new() */
	struct part *items;
	size_t count;
	size_t capacity;
	size_t first;  /* parts_add() and parts_mask() compare only the items from this index on */
	size_t number; /* of the items added next; later patterns, or names, have greater ones */
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
 * Adds the link to /dev/null at `path` in `layer`, which masks (dropin.h), and the files at `path`
 * in those of `layers` that are lower than `layer`. If `layer` does not `follow` links, a lookup
 * does not find these files, as the link hides them. Returns 0 or -ENOMEM.
 */
int parts_add_link(struct parts *parts, layer_mask layers, unsigned layer, const char *path);

/**
 * Leaves out the files that a file of the same name, in a higher layer or a later directory,
 * replaces or masks (dropin.h). `replaced` is the reason if one is replaced. Returns 0 or -ENOMEM.
 */
int parts_mask(struct parts *parts, const char *replaced);

/**
 * Makes the sources, at least one, the contributors of *ret. The files that are left out follow
 * them. With `by_name`, names decide before layers. Returns 0 or -ENOMEM.
 */
int parts_hand_over(struct parts *parts, bool by_name, struct union_lookup *ret);
