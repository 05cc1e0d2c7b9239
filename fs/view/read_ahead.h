/*
 * Reading ahead: a program that looks up the files of a directory in the order of the listing, as
 * `ls -l` and `grep -r` do, gets the next files without waiting for a worker.
 *
 * When a program has looked up two files in a row, and asks for the next one, the view begins looks
 * (look.h) with the purpose LOOK_AHEAD at the files that follow. Such a look has no caller, and
 * shows nothing. When it has ended, it is kept for the first caller.
 *
 * Contract: a caller gets what a look of its own would find. A kept look answers if its file
 * depends only on its watched sources, and no event of its name or directory was reported since the
 * look began. The view reads all events before it judges this. Any other kept look is dropped, and
 * the caller gets a look of its own.
 */
#pragma once

#include "look.h"

/**
 * Begins looks at the names after `name` in the listing, if the two before `name` are shown files.
 * Call it when a request has looked up `name`. The directory must be in use.
 */
void read_ahead_begin(struct view *view, struct directory *directory, const char *name);

/** Takes a LOOK_AHEAD that has ended: keeps it, or frees it. */
void read_ahead_end(struct look *look);

/**
 * Lets a caller join the entry's LOOK_AHEAD. Returns true if the caller has joined: the look is a
 * LOOK_FIRST from now on, and answers the caller, perhaps before this function returns. Returns
 * false if the look takes no more callers, or was out of date and is freed.
 */
bool read_ahead_join(struct view *view, struct entry *entry, struct view_caller *caller);

/** Frees the look at the entry if it is a kept one. */
void read_ahead_drop(struct view *view, struct entry *entry);

/** Frees all kept looks. */
void read_ahead_drop_all(struct view *view);
