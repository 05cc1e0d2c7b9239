/*
 * Populating: lists a directory, looks its names up and writes them, so that the view knows that
 * they are shown. Either the one thread that renders does it, or the publisher's, never both.
 */
#pragma once

#include <stdint.h>

#include "manifest.h"

struct render;

/** Writes everything in the directory and below. Failures are reported, and retried. */
void populate_directory(struct render *render, const char *path, uint64_t ino);

/**
 * Writes the directory's attributes as they are now, as it may have lost rights since its lookup;
 * then populates it. Returns 0, or a shortage as -errno: then nothing is known of its contents.
 */
int populate_put_directory(struct render *render, const char *path, uint64_t ino);

/** Notes that the path in that directory, or the directory itself, could not be looked up. */
void populate_miss(struct render *render, uint64_t ino, const char *path, int result);

/**
 * Stores the view's number of the object that is shown, and releases the number before. The caller
 * holds the mutex `files`.
 */
void populate_note_number(struct render *render, struct owned *owned, uint64_t ino);

/** Writes the path again, if it failed or has drifted; or all paths. */
void populate_again(struct render *render, const char *path);
void populate_all_again(struct render *render);

/**
 * Removes what an earlier run has written and the layers no longer have, once the whole tree is
 * known.
 */
void populate_remove_unseen(struct render *render);
