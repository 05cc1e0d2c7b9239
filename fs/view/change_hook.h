/*
 * Change hooks: a command of on_change in plyfs.yaml runs once for each batch of changes, after the
 * batch is shown.
 *
 *      IDLE ──a path was published──▶ DUE ──end of the batch──▶ RUNNING ──it ended well──▶ IDLE, or
 *                                      ▲                         │ │      DUE, if more has changed
 *                                      └── it failed: after a ───┘ │
 *                                          pause, which grows      └─▶ FAILED, after the last try
 *
 * A batch has the events that were reported before a hook became due. The hook waits for the looks
 * (look.h) of these events, and for no later event. Nor does it wait for a large file, a check
 * (gate.h) or a file that is being written: their changes come with the next batch.
 *
 * Changes during a run, or during the pause after a failure, belong to the command's next run. A
 * run after a failure has the paths of the failed run, too. Each command is one hook, even if
 * several rules name the command.
 */
#pragma once

#include "view.h"

struct change;
struct directory;
struct entry;
struct look;

/** Counts a look that the publisher begins, if the batch must wait for that look. */
void change_hook_look_begins(struct view *view, const struct look *look);

/** Stops counting the look: it has ended, or its sources have turned out to be large. */
void change_hook_look_ends(struct view *view, const struct look *look);

/**
 * Notes the path of a change that has been published. If the change makes a directory, does
 * change_hook_directory(). May wait (coroutine.h).
 */
void change_hook_change(struct view *view, const struct change *change);

/** Notes the files at any depth below a directory that has appeared. May wait (coroutine.h). */
void change_hook_directory(struct view *view, const char *path);

/** Notes the files at any depth below a directory that has gone. */
void change_hook_gone(struct view *view, const struct directory *directory);

/** If the entry's path has a hook, keeps its directory watched until change_hook_unpin(). */
void change_hook_pin(struct view *view, struct entry *entry);
void change_hook_unpin(struct entry *entry);

/** Calls `each` for every path that waits for a run, or whose run is under way. */
void change_hook_each_path(
	const struct view *view, void (*each)(void *context, const char *path), void *context);

/** Returns whether a command has ended since the last call. */
bool change_hooks_have_ended(struct view *view);

/** Starts due commands. Returns the milliseconds until the next is due; -1: no time is known. */
int change_hooks_run(struct view *view);

/** Frees all change hooks. Call it after runner_stop() (runner.h). */
void change_hooks_free(struct view *view);
