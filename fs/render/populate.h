/*
 * Populating: lists a directory, looks its names up and writes them. The lookups make the view
 * publish later changes. Only the root populates: in render_all(), then as the publisher.
 */
#pragma once

#include <stdint.h>

#include "manifest.h"

struct render;

/** Writes everything in the directory and below. Failures are reported, and retried. */
void populate_directory(struct render *render, const char *path, uint64_t ino);

/**
 * Gives the directory its present attributes, because it may have lost rights since its lookup.
 * Then populates it. Returns 0; or -errno if memory or descriptors are short: then its contents are
 * unknown.
 */
int populate_put_directory(struct render *render, const char *path, uint64_t ino);

/** Notes that `path` could not be looked up: the directory `ino`, or a name in it. */
void populate_miss(struct render *render, uint64_t ino, const char *path, int result);

/** Stores the view's number of the object that is shown, and releases the former number. */
void populate_note_number(struct render *render, struct owned *owned, uint64_t ino);

/** Writes the path again, if writing it failed or it has drifted. */
void populate_again(struct render *render, const char *path);

/** Schedules that for all paths. */
void populate_all_again(struct render *render);

/** When the whole tree is known, removes the files of an earlier run that no layer has any more. */
void populate_remove_unseen(struct render *render);
