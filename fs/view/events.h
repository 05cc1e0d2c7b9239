/*
 * Events: takes the watch's events, and decides when a changed name is queued: when its writer is
 * done (a close after writing, a rename, a removal), or after a time of quiet.
 */
#pragma once

#include "compose.h"
#include "directory.h"

struct look;
struct view;

/* A file that is being written is taken after this long without another write. */
#define EVENTS_QUIET_MS 50

/*
 * A name that disappears often comes back at once: editors move the old file away before they write
 * the new one, and git unlinks before it creates. For so long the old version stays. And a name
 * that appears often goes at once: a temporary file is renamed.
 */
#define EVENTS_GONE_MS 2

/*
 * The same while the queue is long: the daemon's own work may keep such a program from the
 * processor.
 */
#define EVENTS_GONE_BUSY_MS 25

/** Handles an event of a name in a directory of `layer`; `mask` is that of inotify(7). */
void events_name_locked(struct view *view, struct directory *directory, unsigned layer,
	uint32_t mask, const char *name);

/** Handles all queued events. Every change before the call has its event in the queue. */
void events_take_locked(struct view *view);

/**
 * Handles all queued events. Returns whether a source of the look is being written, or was since
 * the look began to read it, so that half of it may have been read. If the look has waited for its
 * writers for long enough, only writers with new events count.
 */
bool events_meet_writer_locked(struct view *view, const struct look *look);
