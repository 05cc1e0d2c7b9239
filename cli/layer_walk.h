/* A walk through the directories of a layer, for plyfs doctor. */
#pragma once

#include <limits.h>
#include <stdint.h>

#include "layer.h"

struct layer_walk {
	size_t directories;
	size_t unreadable; /* files and directories that this user can't read */
	size_t writable;   /* those that every user can write to */
	char first_unreadable[PATH_MAX], first_writable[PATH_MAX];
	bool is_cut; /* the walk is incomplete: the time was up */
};

/** Walks through an open layer until clock_ms() is `end_ms`. *walk is zero before. */
void layer_walk(const struct layer *layer, int64_t end_ms, struct layer_walk *walk);
