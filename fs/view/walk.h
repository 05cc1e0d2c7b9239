/*
 * A walk: the directories under a path, as the view shows them. Upper directories come before lower
 * ones; those in the same directory are in the byte order of their names. Each directory is in use,
 * and so watched, until walk_leave().
 */
#pragma once

#include <stddef.h>

struct directory;
struct view;

struct walk {
	struct directory **items;
	size_t count;
	size_t capacity;
	/* If the path is missing: the nearest directory above it. Its watch reports the
	 * creation of the path's next part. */
	struct directory *above;
};

/**
 * Walks and lists the directories under `path`, level by level: first `path` itself, then down to
 * `depth` levels below it (-1: all). If `path` is missing, the walk is empty. May wait. Returns 0
 * or -errno; call walk_leave() in any case.
 */
int walk_under(struct view *view, const char *path, int depth, struct walk *walk);

/** Leaves the directories, and empties the walk. */
void walk_leave(struct view *view, struct walk *walk);
