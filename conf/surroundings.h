/*
 * Surroundings: what settings lead to depends on where they are read. A field that is NULL stands
 * for what it is here and now, for this process.
 */
#pragma once

#include <stdbool.h>

#include "arena.h"

struct surroundings {
	/* Absolute; relative paths are taken from it, and told with it. */
	const char *directory;

	/* Of another machine, for what it would get: %H, %m and %u. */
	const char *host;
	const char *machine_id;
	const char *user; /* and %h is his home, as this machine knows it */

	/*
	 * A mount of ours lies on the directory `mountpoint` (absolute, with no links) and hides
	 * what is in it. `beneath` leads there all the same; NULL: nothing does.
	 */
	const char *mountpoint;
	const char *beneath;
};

/** A copy in `arena`. `around` may be NULL. Returns 0 or -ENOMEM. */
int surroundings_copy(
	const struct surroundings *around, struct arena *arena, struct surroundings *ret);

/**
 * `path` as people are told of it: with `directory` in front when it is relative. Returns 0 with
 * *ret in `arena`, or `path` or `directory` itself; or -ENOMEM.
 */
int surroundings_absolute(
	const struct surroundings *around, const char *path, struct arena *arena, const char **ret);

/**
 * Where `path` is, for open(2): as above, and by way of `beneath` when the mount
 * hides it.
 */
int surroundings_place(
	const struct surroundings *around, const char *path, struct arena *arena, const char **ret);

/** Whether they are another machine's or user's. */
bool surroundings_are_others(const struct surroundings *around);

/** Whether the mount hides what `path`, absolute or relative to the working directory, leads to. */
bool surroundings_hide(const struct surroundings *around, const char *path);
