/*
 * Events: what the watch tells, and when a name that has changed may be looked at.
 *
 * A name is looked at when its writer is done: on a close after writing, a rename, a removal; or
 * after a time of quiet.
 */
#pragma once

#include "compose.h"
#include "directory.h"

struct look;
struct view;

/* A file that is being written is taken after this long without another write. */
#define EVENTS_QUIET_MS 50

/*
 * A name that disappears is often about to come back: editors move the old file away before they
 * write the new one, git unlinks before it creates. Until then the old version stays. And a name
 * that appears is often about to go: what is written under a temporary name is then renamed.
 */
#define EVENTS_GONE_MS 2

/* Whoever does it may be kept from his processor by all else that we have to look at: then for so
 * long. */
#define EVENTS_GONE_BUSY_MS 25

/** Something happened to a name in a directory of `layer`: `mask` as inotify(7) has it. */
void events_name_locked(struct view *view, struct directory *directory, unsigned layer,
	uint32_t mask, const char *name);

/** Takes in all events there are. Whatever was changed before the call has its event by now. */
void events_take_locked(struct view *view);

/**
 * Takes in all events there are, and says whether a source of what was just looked at is being
 * written, or was since the look began to read: what was read of it may be half of it. A write
 * before the look has its event in the queue by now. When writers were waited for long enough, only
 * those count of whom something is reported still.
 */
bool events_meet_writer_locked(struct view *view, const struct look *look);
