/*
 * Traversing: every name that the layers show, one after the other. Nothing is kept.
 */
#pragma once

#include "finder.h"

struct traversed {
	const char *path; /* relative to the root; "" is the root */
	enum union_kind kind;
	layer_mask layers; /* that show the directory that it is in */
	layer_mask own;    /* DIRECTORY: those that show it */
	int error;         /* DIRECTORY: the errno that kept us from listing it whole; 0: none */
};

struct traversal {
	const struct settings *settings;
	const struct finder *finder; /* NULL: only what the layers themselves have is shown */
	int depth;                   /* of directories below the path; -1: any */
	int (*each)(void *context, const struct traversed *found);
	void *context;
};

/**
 * Calls `each` for `path` itself, relative to the root and with no "." or "..", and then for all
 * that lies below it: a directory before what is in it, names in byte order. Directories that are
 * one of those above them, by links, are left out. Stops at the first non-zero result, and returns
 * it. Else returns 0, or -errno: -ENOENT and -ENOTDIR when there is no such path.
 */
int traverse(const struct traversal *traversal, const char *path);

/** The order in which a traversal comes by two paths, as strcmp(3) tells it. */
int traverse_compare(const char *a, const char *b);
