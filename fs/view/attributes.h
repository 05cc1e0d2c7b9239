/*
 * The attributes of directories, in time: who may read what while rights change.
 *
 * The kernel remembers a directory's mode and owner until it is told to ask again, and decides by
 * them who may reach what lies in it. The contract:
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

/** Mode, owner, time and layers from what was found; the time does not go back. */
void attributes_describe_locked(
	struct view *view, struct directory *directory, const struct union_lookup *lookup);

/** Whether the kernel has yet to be told of other attributes. */
bool attributes_are_untold_locked(const struct directory *directory);

/**
 * Before anything that was read in `directory`, which is in use, is shown: the first half of (a).
 * Returns 0 or -errno, and then nothing may be shown.
 */
int attributes_settle_locked_unlocks(struct view *view, struct directory *directory);

/** The last step of it alone: tells what is known and untold, of the directory and those above. */
void attributes_tell_locked_unlocks(struct view *view, struct directory *directory);

/**
 * How often the kernel was told that somebody is shut out of the directory, or of one above, or is
 * to be. If ever, no answer about a name in it may be cached: another walk, let in before, may be
 * on its way to it.
 */
uint64_t attributes_narrowings_locked(const struct directory *directory);

/** A directory that opens now, in use, and is to be told of; NULL: none. For the publisher. */
struct directory *attributes_open_locked(struct view *view);
