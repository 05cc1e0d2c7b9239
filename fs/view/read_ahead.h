/*
 * Reading ahead: when a program looks up the files of a directory in the order of the listing, as
 * `ls -l` and `grep -r` do, the view begins looks (look.h) at the next files, with the purpose
 * LOOK_AHEAD. Such a look shows nothing. When it has ended, it is kept for its first caller.
 *
 * Contract: a caller gets the result that a new look would have. A look is kept only if the watches
 * of the file's directory see every change of the file's sources. A kept look answers only if no
 * event of its name or directory was reported since the look began. Any event may drop kept looks.
 */
#pragma once

#include "look.h"

/**
 * Begins looks at the names after `name` in the listing, if the two names before `name` show files.
 * Call it when a request has looked up `name`. The caller must have the directory in use
 * (directory.h).
 */
void read_ahead_begin(struct view *view, struct directory *directory, const char *name);

/** Takes a LOOK_AHEAD that has ended: keeps it, or frees it. */
void read_ahead_end(struct look *look);

/**
 * Lets a caller join the LOOK_AHEAD that the entry has. True: the look is a LOOK_FIRST from now on,
 * and answers the caller, perhaps before this function returns. False: the look takes no callers
 * any more, or was outdated and is freed now.
 */
bool read_ahead_join(struct view *view, struct entry *entry, struct view_caller *caller);

/** Frees the kept look at the entry, if there is one. */
void read_ahead_drop(struct view *view, struct entry *entry);

void read_ahead_drop_all(struct view *view);
