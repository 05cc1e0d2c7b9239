/*
 * Populating: lists a directory, looks its names up, and writes its files. Once a name has been
 * looked up, the view publishes each change of it. Only the root coroutine (coroutine.h) populates.
 */
#pragma once

#include <stdint.h>

#include "manifest.h"
#include "problem.h"

struct render;

/** Writes everything in and below the directory. Reports failures, and retries them. */
void populate_directory(struct render *render, const char *path, uint64_t ino);

/**
 * Gives the directory the view's attributes, and populates it. If the directory can't be written,
 * its old contents stay, and a retry follows. Returns 0, also if a retry follows; or -errno if
 * memory or descriptors are short.
 */
int populate_put_directory(struct render *render, const char *path, uint64_t ino);

/**
 * Gives the directory the view's attributes. If `may_open` is false, an existing directory gets no
 * new rights yet: populate_remove_unseen() gives them. Returns as rendered_put_directory().
 */
int populate_dress(struct render *render, struct owned *owned, uint64_t ino, bool may_open,
	struct problem *problem);

/**
 * Handles a failed lookup or listing of `path`, which is the directory `ino` or a name in it. Files
 * that plyfs has written there stay. populate_again() lists the directory again, soon.
 */
void populate_miss(struct render *render, uint64_t ino, const char *path, int result);

/**
 * Returns whether a layer was replaced since it was opened. If so, fills *problem: plyfs may have
 * read a state that the layers never had. With --watch, returns false, as the view reads a replaced
 * layer again by itself.
 */
bool populate_was_replaced(const struct render *render, struct problem *problem);

/**
 * Stores `ino`, the view's inode number of the object at `owned`, and takes over the caller's
 * lookup reference. Drops the reference to the former object. Notes that the path was seen.
 */
void populate_note_number(struct render *render, struct owned *owned, uint64_t ino);

/**
 * Writes the path again if its last writing failed, or if another program has changed the object
 * there. While the publisher retries a change of the path, does not write it. Lists a directory
 * again if it was not listed completely. Calls populate_remove_unseen() if that function has not
 * done all of its work yet.
 */
void populate_again(struct render *render, const char *path);

/** Schedules populate_again() for all paths. */
void populate_all_again(struct render *render);

/**
 * Removes the files of an earlier run that no layer has any more, and gives the rights that
 * populate_dress() held back. If a listing was incomplete, does nothing: populate_again() calls
 * this function once more.
 */
void populate_remove_unseen(struct render *render);
