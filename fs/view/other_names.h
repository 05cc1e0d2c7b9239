/*
 * Other names: if a source turns out to have several hard links, the entries of its other names are
 * queued, and then watch the file itself (link_watch.h).
 *
 * All files of a layer may get a second name at once. So they are collected, and one walk over the
 * entries finds the names of all.
 */
#pragma once

#include <stdbool.h>

struct look;
struct view;

/** Notes the sources of a look at a name that had an event. */
void other_names_note_locked(struct view *view, const struct look *look);

/** Queues the other entries with these sources. Returns whether any were noted. */
bool other_names_queue_locked(struct view *view);

/** Frees the notes. */
void other_names_fini_locked(struct view *view);
