/*
 * A walk: the directories under a path, as the view shows them, top directories first and names in
 * byte order. Each is in use, and so watched, until walk_leave_locked().
 */
#pragma once

#include <stddef.h>

struct directory;
struct view;

struct walk {
	struct directory **items;
	size_t count;
	size_t capacity;
	/* in use where there is nothing to walk: it tells when that comes */
	struct directory *above;
};

/**
 * Walks the directories under `path`, itself first, level by level, down to `depth` below it (-1:
 * any), and lists each. The lock must not be held. Returns 0 or -errno; call walk_leave_locked() in
 * any case.
 */
int walk_under(struct view *view, const char *path, int depth, struct walk *walk);

/** Leaves the directories, and empties the walk. */
void walk_leave_locked(struct view *view, struct walk *walk);
