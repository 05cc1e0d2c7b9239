/*
 * Refreshing: compares the layers with the shown tree, and so finds the next change to publish.
 *
 *      queue ──▶ look (look.h), in the pool ──▶ done ──▶ decide: a change, or nothing
 *
 * Only the coroutine that publishes calls these functions. It reads all queued inotify events
 * before it looks up the first name.
 */
#pragma once

#include "change.h"

/**
 * Queues the names that are due, without waiting. Returns the milliseconds until the next deadline
 * (of a poll, a check, or a debounced name); -1: none, wait for the watch or view->waker.
 */
int view_take_due(struct view *view);

/** Handles the queued events, and does what view_take_due() does. */
int view_take_events(struct view *view);

/** Returns whether view_next_change() has anything to do now. */
bool view_has_work(struct view *view);

/**
 * Finds the next change to publish. May wait. Returns 0 with *ret for view_end_change(); or 1: no
 * change is ready. The end of each job in the pool wakes view->waker.
 */
int view_next_change(struct view *view, struct change *ret);

/**
 * Returns whether no name is queued and no look is under way, so that all known changes are shown.
 * With `is_patient`, a debounced name, such as one that is being written, counts as queued.
 */
bool view_is_settled(struct view *view, bool is_patient);

/**
 * Gives the view new settings, and queues everything that is shown. Jobs under way end with the old
 * settings, and are then repeated. Takes a reference to `settings`. May wait. Returns 0; or -errno,
 * with nothing changed.
 */
int view_reload(struct view *view, struct settings *settings);
