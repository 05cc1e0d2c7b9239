/*
 * Populating: lists a directory, looks its names up, and writes its files. Once a name has been
 * looked up, the view publishes each change of it. Only the root coroutine (coroutine.h) populates:
 * first in render_all(), later in render_watch(), where it is the publisher.
 */
#pragma once

#include <stdint.h>

#include "manifest.h"
#include "problem.h"

struct render;

/** Writes everything in and below the directory. Reports failures, and retries them. */
void populate_directory(struct render *render, const char *path, uint64_t ino);

/**
 * Gives the directory the attributes that the view has for it now, and then populates it. If the
 * directory can't be written, its old contents stay, and a retry follows. Returns 0, also if a
 * retry follows. Returns -errno if memory or descriptors are short: then the contents of the
 * directory are unknown.
 */
int populate_put_directory(struct render *render, const char *path, uint64_t ino);

/**
 * Gives the directory the attributes that the view has for it now. If the directory was there
 * before and `may_open` is false, no user gets a new right to it yet. populate_remove_unseen()
 * gives the new rights when all in the directory is as the layers have it. Returns as
 * rendered_put_directory().
 */
int populate_dress(struct render *render, struct owned *owned, uint64_t ino, bool may_open,
	struct problem *problem);

/**
 * Handles a failed lookup or listing of `path`, which is the directory `ino` or a name in it. Files
 * that plyfs wrote there before stay. populate_again() lists the directory again, soon.
 */
void populate_miss(struct render *render, uint64_t ino, const char *path, int result);

/**
 * Stores `ino`, the view's inode number of the object at the name `owned`. Takes over the caller's
 * lookup reference to `ino`, and drops the reference to the former object. Notes that the path was
 * seen.
 */
void populate_note_number(struct render *render, struct owned *owned, uint64_t ino);

/**
 * Writes the path again if its last writing failed, or if another program has changed it, even if
 * plyfs has left that change in place before. Leaves the path alone while the publisher retries a
 * change of it. If the path is a directory that was not listed completely, lists it again. If
 * populate_remove_unseen() left files for later, tries again to remove them.
 */
void populate_again(struct render *render, const char *path);

/** Schedules populate_again() for all paths. */
void populate_all_again(struct render *render);

/**
 * Removes the files of an earlier run that no layer has any more, and opens the directories that
 * populate_dress() left closed. If a directory of the tree could not be listed completely, does
 * nothing yet, and populate_again() tries again later.
 */
void populate_remove_unseen(struct render *render);
