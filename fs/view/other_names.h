/*
 * Other names: a source that was found to have more of them (a hard link) may be a source by those,
 * too. Whatever shows it is looked at again, and then watches the file itself (link_watch.h).
 *
 * Many may be found at once, where all files of a layer get a second name; so they are collected,
 * and one walk over what is shown finds the names of all.
 */
#pragma once

#include <stdbool.h>

struct look;
struct view;

/** Notes the sources that a look has found, of a name that something was reported of. */
void other_names_note_locked(struct view *view, const struct look *look);

/** Queues what shows them besides. Returns whether anything was noted. */
bool other_names_queue_locked(struct view *view);

/** Nothing will be queued any more. */
void other_names_fini_locked(struct view *view);
