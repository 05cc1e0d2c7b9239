/*
 * Change hooks: each command of `on_change` in plyfs.yaml runs once for a batch of changes, after
 * plyfs has shown the batch.
 *
 *      IDLE ──a path was published──▶ DUE ──end of the batch──▶ RUNNING ──it ended well──▶ IDLE, or
 *                                      ▲                         │ │      DUE, if more has changed
 *                                      └── it failed: after a ───┘ │
 *                                          pause, which grows      └─▶ FAILED, after the last try
 *
 * A batch has the events that were reported before a hook became due. The hook waits for the looks
 * (look.h) of these events. It does not wait for a large file, a check (gate.h) or a file that is
 * being written: their changes come with the next batch.
 *
 * Changes during a run belong to the next run. A change during the pause after a failure ends the
 * pause. A run after a failure has the paths of the failed run, too. If several rules name the same
 * command, they share one hook. If plyfs.yaml now names another command for a path that waits, the
 * path goes to the hook of that command.
 */
#pragma once

#include "view.h"

struct change;
struct directory;
struct entry;
struct look;

/** Counts a look of the publisher, if it belongs to the batch. */
void change_hook_look_begins(struct view *view, const struct look *look);

/** Stops counting the look. Call it when the look ends, or the look's sources prove to be large. */
void change_hook_look_ends(struct view *view, const struct look *look);

/** Notes a published change; for a new directory, all files below it. May wait (coroutine.h). */
void change_hook_change(struct view *view, const struct change *change);

/** Notes all files below a directory that has appeared. May wait (coroutine.h). */
void change_hook_directory(struct view *view, const char *path);

/** Notes all files below a directory that has gone. */
void change_hook_gone(struct view *view, const struct directory *directory);

/** If the entry's path has a hook, keeps the path's directory watched until change_hook_unpin(). */
void change_hook_pin(struct view *view, struct entry *entry);
void change_hook_unpin(struct entry *entry);

/** Calls `each` for every path of each hook's present run and next run. */
void change_hook_each_path(
	const struct view *view, void (*each)(void *context, const char *path), void *context);

/** Returns whether a command has ended since the last call. */
bool change_hooks_have_ended(struct view *view);

/**
 * Passes each path that waits for a command to the command that the present settings name for the
 * path. Call it after a change of the settings.
 */
void change_hooks_route(struct view *view);

/** Starts due commands. Returns the milliseconds until another is due; -1: unknown. */
int change_hooks_run(struct view *view);

/** Frees all change hooks. Call it after runner_stop() (runner.h). */
void change_hooks_free(struct view *view);
