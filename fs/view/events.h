/*
 * Events: reads the events of the layers' watches. Queues a changed name after an event that ends
 * the change (a close after writing, a rename, a removal), or after a time of quiet.
 */
#pragma once

#include "compose.h"
#include "directory.h"

struct look;
struct view;

/* The time of quiet, after the last write. */
#define EVENTS_QUIET_MS 50

/*
 * How long a removed name still shows its old version, as editors and git often make the name again
 * at once. A new name waits for the same time, as it is often temporary, and renamed or removed at
 * once. A name that a rename has made does not wait.
 */
#define EVENTS_GONE_MS 2

/* The longest such wait while the publisher is busy, counted from the name's last event. */
#define EVENTS_GONE_BUSY_MS 25

/** Handles an event of a name in a directory of `layer`; `mask` is that of inotify(7). */
void events_name(struct view *view, struct directory *directory, unsigned layer, uint32_t mask,
	const char *name);

/** Handles the events of all changes before the call. */
void events_take(struct view *view);

/**
 * Does events_take(). Returns true if the look (look.h) may have read half of a file: a source is
 * being written, or was written after the look began to read. With refresh.plan.takes_unfinished,
 * a source that a program has open for writing counts only if the source has a new event.
 */
bool events_meet_writer(struct view *view, const struct look *look);
