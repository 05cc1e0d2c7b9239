/*
 * Events: reads the events of the layers' watches, and queues each changed name when its writer is
 * done (a close after writing, a rename, a removal), or after a time of quiet.
 */
#pragma once

#include "compose.h"
#include "directory.h"

struct look;
struct view;

/* A file that is being written is looked up after this long without another write. */
#define EVENTS_QUIET_MS 50

/*
 * Often a name that disappears comes back at once: editors move the old file away before they write
 * the new one, and git unlinks before it creates. The old version stays for this long. A new name
 * waits as long: it is often a temporary file, and renamed at once.
 */
#define EVENTS_GONE_MS 2

/* With a busy publisher, editors and git may be slower. Both waits then last up to this long. */
#define EVENTS_GONE_BUSY_MS 25

/** Handles an event of a name in a directory of `layer`; `mask` is that of inotify(7). */
void events_name(struct view *view, struct directory *directory, unsigned layer, uint32_t mask,
	const char *name);

/** Handles all queued events. They include the events of all changes before the call. */
void events_take(struct view *view);

/**
 * Handles all queued events. Returns whether a source of the look (look.h) is being written, or was
 * written after the look began to read: then the look may have half of a file. If the look has
 * already waited long enough for writers (look->refresh.takes_unfinished), only writers with new
 * events count.
 */
bool events_meet_writer(struct view *view, const struct look *look);
