/*
 * Notices: who has an on_change in plyfs.yaml is told what has changed, once for each batch, after
 * it is shown.
 *
 *      IDLE ──a path was published──▶ DUE ──end of the batch──▶ RUNNING ──it ended well──▶ IDLE, or
 *                                      ▲                         │ │      DUE, if more has changed
 *                                      └── it failed: later, by ─┘ │
 *                                          a pause that grows      └─▶ FAILED, after the last try
 *
 * A batch is what had been reported, and not yet been looked at, when the first of it was due: it
 * waits for the looks at that, and for nothing that is reported later. A large file, and what waits
 * to be judged (gate.h) or for its writer, is not waited for: it comes with the next one.
 *
 * What changes while a command runs, or while a failed one waits, is told by its next run. What was
 * told by a run that failed is told again. Each command is a notice of its own, whatever rules name
 * it; all but notices_run() is under the view's lock. A directory with a file that somebody is to
 * be told of stays in memory, watched, when the kernel forgets it (directory.pins).
 */
#pragma once

#include "view.h"

struct change;
struct directory;
struct entry;
struct look;

/** A look for the publisher begins, which is not large. */
void notice_look_begins_locked(struct view *view, const struct look *look);

/** It has been decided on, or turns out to be large. */
void notice_look_ends_locked(struct view *view, const struct look *look);

/** The change has been carried out: who is to be told of it, if it is shown, will be. No lock. */
void notice_change(struct view *view, const struct change *change);

/** A directory is there: who is to be told of files in it is told that they came. No lock. */
void notice_directory(struct view *view, const char *path);

/** It goes, with all that is in it and that somebody is to be told of. */
void notice_gone_locked(struct view *view, const struct directory *directory);

/** The path shows something else, or will when it is looked up. */
void notice_path_locked(struct view *view, const char *path);

/**
 * An entry is shown that somebody is to be told of: it is watched from now on, whether or not the
 * kernel remembers it. Until notice_unpin_locked().
 */
void notice_pin_locked(struct view *view, struct entry *entry);
void notice_unpin_locked(struct entry *entry);

/** Calls `each` for every path that somebody is still to be told of, or is just being told of. */
void notice_each_path_locked(
	const struct view *view, void (*each)(void *context, const char *path), void *context);

/** Whether a command has ended since this was asked last. */
bool notices_have_ended(struct view *view);

/** Runs what is due. Returns the milliseconds until more is; -1: nothing waits. By one thread. */
int notices_run(struct view *view);

/** After the runner has stopped. */
void notices_free(struct view *view);
