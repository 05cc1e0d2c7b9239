/*
 * Other names: a look (look.h) may find a source with several hard links. Then the view queues all
 * other entries that have this file, by any of its names, as a source. The looks at these entries
 * watch the file's inode (link_watch.h).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct look;
struct view;

/**
 * Notes those sources of the look that have several hard links. The publisher calls
 * other_names_queue() for them when it has nothing else to do. To do so, a sleeping publisher
 * wakes at once, or after the time of other_names_rest().
 */
void other_names_note(struct view *view, const struct look *look);

/** Queues the other entries made of the noted sources. Returns whether any source was noted. */
bool other_names_queue(struct view *view);

/** Returns the ms until a new note may wake the publisher; at most 0: a new note wakes it. */
int64_t other_names_rest(const struct view *view, int64_t now_ms);

void other_names_fini(struct view *view);
