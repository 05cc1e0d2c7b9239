/* A traversal: visits every name that the layers show, one after the other. */
#pragma once

#include "finder.h"

struct traversed {
	const char *path; /* relative to the root; "" is the root */
	enum union_kind kind;
	layer_mask layers; /* the layers that show the parent directory of `path` */
	layer_mask own;    /* of a directory: the layers that show the directory itself */
	int error;         /* of a directory: the errno if its listing is incomplete; else 0 */
};

struct traversal {
	const struct settings *settings;
	/* NULL: virtual files and drop-ins are not expanded, and PLYFS_NAME is not left out */
	const struct finder *finder;
	int depth; /* number of levels of directories to visit below the path; -1: all */
	int (*each)(void *context, const struct traversed *found);
	void *context;
};

/**
 * Calls `each` for `path`, relative to the root and with no "." or "..", and then for all that lies
 * below it. A directory comes before its names, which come in byte order. A link to a directory
 * above itself is left out. Stops at the first non-zero result of `each`, and returns it. Otherwise
 * returns 0; -ENOENT or -ENOTDIR if there is no such path; or another -errno.
 */
int traverse(const struct traversal *traversal, const char *path);

/**
 * Finds the layers that show the directory that `path` is in; `each` is not called. Returns 0,
 * -ENOENT, -ENOTDIR or another -errno.
 */
int traverse_enter(const struct traversal *traversal, const char *path, layer_mask *ret);

/** Compares two paths, as strcmp(3) does, by the order in which a traversal visits them. */
int traverse_compare(const char *a, const char *b);
