/*
 * Change hooks ("notices"): a command of on_change in plyfs.yaml runs once for each batch of
 * changes, after the batch is shown.
 *
 *      IDLE ──a path was published──▶ DUE ──end of the batch──▶ RUNNING ──it ended well──▶ IDLE, or
 *                                      ▲                         │ │      DUE, if more has changed
 *                                      └── it failed: later, by ─┘ │
 *                                          a pause that grows      └─▶ FAILED, after the last try
 *
 * When a batch begins, it has the events that are reported but not handled yet. It waits for their
 * looks, and for no later event. It does not wait for a large file, a check (gate.h) or a writer:
 * these come with the next batch.
 *
 * Changes during a run, or while a failed command waits, belong to its next run. A run after a
 * failure has the paths of the failed one, too. Each command is one notice, whatever rules name it.
 * All but notices_run() is under the view's lock. A directory with a file that has a hook stays in
 * memory, and watched, when the kernel forgets it (directory.pins).
 */
#pragma once

#include "view.h"

struct change;
struct directory;
struct entry;
struct look;

/** Counts a look of the publisher that begins and is not large. */
void notice_look_begins_locked(struct view *view, const struct look *look);

/** Counts it no more: it was decided on, or turned out to be large. */
void notice_look_ends_locked(struct view *view, const struct look *look);

/** Notes the paths of a change that was carried out, for their hooks. No lock. */
void notice_change(struct view *view, const struct change *change);

/** Notes the files of a directory that has appeared. No lock. */
void notice_directory(struct view *view, const char *path);

/** Notes the files of a directory that goes. */
void notice_gone_locked(struct view *view, const struct directory *directory);

/** Notes a path that has changed, or will when it is looked up. */
void notice_path_locked(struct view *view, const char *path);

/**
 * Keeps an entry that has a hook watched, even if the kernel forgets it, until
 * notice_unpin_locked().
 */
void notice_pin_locked(struct view *view, struct entry *entry);
void notice_unpin_locked(struct entry *entry);

/** Calls `each` for every path that waits for a run, or is part of one. */
void notice_each_path_locked(
	const struct view *view, void (*each)(void *context, const char *path), void *context);

/** Returns whether a command has ended since the last call. */
bool notices_have_ended(struct view *view);

/** Runs due commands. Returns the milliseconds to the next; -1: none. For one thread. */
int notices_run(struct view *view);

/** Frees the notices. Call it after the runner has stopped. */
void notices_free(struct view *view);
