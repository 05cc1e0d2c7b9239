/*
 * Events: reads the events of the layers' watches. Queues each changed name when its writer is done
 * (a close after writing, a rename, a removal), or after a time of quiet.
 */
#pragma once

#include "compose.h"
#include "directory.h"

struct look;
struct view;

/* The time of quiet, after the last write. */
#define EVENTS_QUIET_MS 50

/*
 * How long the old version of a removed name stays, as editors and git often make the name again at
 * once. A new name waits as long, unless a rename has made it: a new name is often temporary, and
 * is renamed or removed at once.
 */
#define EVENTS_GONE_MS 2

/* The longest such wait after the name's last event, while the publisher is busy. */
#define EVENTS_GONE_BUSY_MS 25

/** Handles an event of a name in a directory of `layer`; `mask` is that of inotify(7). */
void events_name(struct view *view, struct directory *directory, unsigned layer, uint32_t mask,
	const char *name);

/** Handles the events of all changes before the call. */
void events_take(struct view *view);

/**
 * Does events_take(). Returns whether a source of the look (look.h) is being written, or was
 * written after the look began to read: then the look may have half of a file. If
 * look->refresh.takes_unfinished is set, a source that a program has open for writing counts as
 * being written only if it has a new event.
 */
bool events_meet_writer(struct view *view, const struct look *look);
