/*
 * Traversing: every name that a view shows, found without a kernel. For the command: nothing is kept
 * in the view, and nothing is watched or published.
 */
#pragma once

#include "view.h"

struct traversed {
	const char *path; /* relative to the root; "" is the root */
	enum union_kind kind;
	layer_mask layers; /* that show the directory that it is in */
	layer_mask own;    /* DIRECTORY: those that show it */
	int error;         /* DIRECTORY: the errno that kept us from listing it whole; 0: none */
};

/**
 * Calls `each` for `path` itself, relative to the root and with no "." or "..", and then for all
 * that lies below it: a directory before what is in it, names in byte order. Directories that are
 * one of those above them, by links, are left out. Stops at the first non-zero result, and returns
 * it. Else returns 0, or -errno: -ENOENT and -ENOTDIR when there is no such path.
 */
int traverse(struct view *view, const char *path,
	int (*each)(void *context, const struct traversed *found), void *context);

/** The order in which a traversal comes by two paths, as strcmp(3) tells it. */
int traverse_compare(const char *a, const char *b);
