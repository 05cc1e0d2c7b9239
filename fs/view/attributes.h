/*
 * The attributes of directories while rights change.
 *
 * The kernel checks users by a directory's mode and owner. It caches both until the daemon notifies
 * it of a change. The contract:
 *
 *   (a) If a right is taken away before content is written, a user without the right can't read
 *       the content by a path walk that begins after the write.
 *   (b) If a file is removed before a right is given, users with the new right never see the file.
 *
 * How the contract is kept:
 *
 *   (a) Before content is shown, attributes_settle_waits() drains the events. From the content's
 *       directory up to the root, it looks up each directory whose rights may have changed. It
 *       notifies the kernel of new rights. If a right was taken away, it waits until the path walks
 *       under way have ended, except those that wait for a lock or for the daemon's answer to a
 *       request: LOOKUP, GETATTR or GETXATTR. Such a walk may go on later with the old rights. So
 *       once a right to a directory was taken away, the kernel must not cache names in that
 *       directory, not even from the answer to the publisher's LOOKUP or MKDIR: each walk then
 *       sends a LOOKUP, and the driver checks the user again (view_lets_in()).
 *   (b) If a directory gets wider rights, they get a revision (queue.h). The directory shows them
 *       once no change with a smaller revision, of the directory itself or of anything below it,
 *       waits to be shown. A change of the directory itself counts, as it may have taken the
 *       rights away again.
 */
#pragma once

#include "directory.h"

struct view;

/**
 * Sets mode, owner, time and layers from the lookup. A shown directory gets wider rights later (b).
 * The time of a shown directory never goes back.
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
uint64_t attributes_revocations(const struct directory *directory);

/** Returns whether wider rights (b) may wait until the entry, which is in use, is out of use. */
bool attributes_await(const struct view *view, const struct entry *entry);

/**
 * Finds a directory whose wider rights may be shown now (b), and shows them. Returns the directory
 * for directory_leave(); NULL: there is none.
 */
struct directory *attributes_open(struct view *view);
