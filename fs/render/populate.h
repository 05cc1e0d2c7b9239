/*
 * Populating: all that is in a directory is listed, looked up and put, so that the view knows that it
 * is shown. By the one thread that renders, or by the publisher's: never by both.
 */
#pragma once

#include <stdint.h>

#include "manifest.h"

struct render;

/** Puts all that is in the directory and below. What fails is told, and tried again. */
void populate_directory(struct render *render, const char *path, uint64_t ino);

/**
 * Makes the directory what it is by now: since it was looked up, something may have been taken away
 * from it; and walks it. Returns 0, or what is lacking to do it: then nothing is known of what is
 * in it.
 */
int populate_put_directory(struct render *render, const char *path, uint64_t ino);

/** The path in that directory, or the directory itself, could not be looked up. */
void populate_miss(struct render *render, uint64_t ino, const char *path, int result);

/**
 * The view's number of what is shown there now. What was looked up before is given back. Under the
 * lock of the files.
 */
void populate_note_number(struct render *render, struct owned *owned, uint64_t ino);

/** Puts the path again, if something is wrong with it; or all of them. */
void populate_again(struct render *render, const char *path);
void populate_all_again(struct render *render);

/** Removes what another run has made and nobody shows any more, when all is known that is shown. */
void populate_remove_unseen(struct render *render);
