/* A walk through the directories of a layer, for plyfs doctor. */
#pragma once

#include <limits.h>
#include <stdint.h>

#include "layer.h"

/* Files and directories that have the same fault. */
struct walk_fault {
	size_t count;
	size_t linked;        /* number of those that lie behind a link (`follow`) */
	char first[PATH_MAX]; /* the path of one of them */
};

struct layer_walk {
	size_t directories;
	struct walk_fault unreadable; /* this process can't read them */
	struct walk_fault writable;   /* every user can reach them, and write to them */
};

/**
 * Walks through an open layer, until clock_ms() is `end_ms` at the latest. Leaves out /proc, /sys,
 * /dev and the like. *walk must be zero. Returns false if the time was up before the end.
 */
bool layer_walk(const struct layer *layer, int64_t end_ms, struct layer_walk *walk);
