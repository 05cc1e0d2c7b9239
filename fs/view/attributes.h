/*
 * The attributes of directories while rights change.
 *
 * The kernel checks users by a directory's mode and owner. It caches both until the daemon notifies
 * it of a change. The contract:
 *
 *   (a) A right is taken away, then content is written. A user without the right can't read that
 *       content by a path walk that begins after the write.
 *   (b) A file is removed, then a right is given. A user with the new right never sees the file.
 *
 * How the contract is kept:
 *
 *   (a) Before content is shown, attributes_settle_waits() drains the events. From the
 *       content's directory up to the root, it looks up each directory whose rights may have
 *       changed. It notifies the kernel of new rights. Then it waits until each path walk in the
 *       kernel's caches has ended. A walk that waits for a lock or a LOOKUP may go on later with
 *       the old rights. So once a right to a directory was taken away, the kernel must not cache
 *       names in it: each walk then sends a LOOKUP, and the driver checks the user again
 *       (view_lets_in()).
 *   (b) A directory that gets wider rights gets a revision (queue.h). The directory shows the
 *       rights when no change in it, or below it, waits with a smaller revision.
 */
#pragma once

#include "directory.h"

struct view;

/**
 * Sets mode, owner, time and layers from the lookup. A shown directory gets wider rights later (b).
 * Its time never goes back.
 */
void attributes_describe(
	struct view *view, struct directory *directory, const struct union_lookup *lookup);

/** Returns whether the attributes have changed since the kernel was last notified of them. */
bool attributes_are_unnotified(const struct directory *directory);

/**
 * Does what (a) requires. The caller has `directory` in use, has read content in it, and is about
 * to show the content. Returns 0; or -errno: the content must not be shown.
 */
int attributes_settle_waits(struct view *view, struct directory *directory);

/**
 * Notifies the kernel of new attributes of `directory` and the directories above it. The caller
 * must have `directory` in use (directory.h).
 */
void attributes_notify_waits(struct view *view, struct directory *directory);

/**
 * Returns how often a right to the directory, or to one above it, was taken away. If the result is
 * not 0, the kernel must not cache names in the directory (a).
 */
uint64_t attributes_narrowings(const struct directory *directory);

/**
 * Shows one directory's wider rights (b), if due. Returns the directory for directory_leave();
 * NULL: none is due.
 */
struct directory *attributes_open(struct view *view);
