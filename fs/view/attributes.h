/*
 * The attributes of directories while rights change.
 *
 * The kernel caches a directory's mode and owner until it is notified, and checks users by them.
 * The contract:
 *
 *   (a) Content that was written after a right was taken away is not readable, by a walk that
 *   begins
 *       after that, by those whom it shuts out.
 *   (b) What was removed before a right was given is gone before the right shows.
 *
 * How it is kept:
 *
 *   (a) Before what was read is shown, the events are drained, the directories above of which
 *       something was reported are looked at, the kernel is told, and the walks end that it let in.
 *       A walk may have been let in before that and be asleep, for the directory's lock or
 *       another's lookup, for however long that takes. So in a directory that was ever closed to
 *       somebody, as long as the kernel knows it, no answer is cached: each walk comes with a
 *       lookup of its own, and who looks something up is asked for once more (view_lets_in()).
 *   (b) A directory whose rights grow gets a ticket, as all that waits to be published has one. It
 *       opens when nothing in it, or below, waits with an earlier one.
 */
#pragma once

#include "directory.h"

struct view;

/** Sets mode, owner, time and layers from the lookup; the time never goes back. */
void attributes_describe_locked(
	struct view *view, struct directory *directory, const struct union_lookup *lookup);

/** Returns whether the kernel is not yet notified of new attributes. */
bool attributes_are_untold_locked(const struct directory *directory);

/**
 * Does the first half of (a), before anything that was read in `directory` is shown. `directory` is
 * in use. Returns 0; or -errno: nothing may be shown.
 */
int attributes_settle_locked_unlocks(struct view *view, struct directory *directory);

/** Does only its last step: notifies the kernel of new attributes, of those above, too. */
void attributes_tell_locked_unlocks(struct view *view, struct directory *directory);

/**
 * Returns how often a right to the directory, or to one above, was taken away. If ever, no name in
 * it may be cached: a path walk that was let in earlier may still be on its way.
 */
uint64_t attributes_narrowings_locked(const struct directory *directory);

/** Returns a directory, in use, that may now show wider rights; NULL: none. */
struct directory *attributes_open_locked(struct view *view);
