/*
 * Refreshing: compares the layers with the shown tree, and so finds the next change to publish.
 *
 *      queue ──▶ look, in the pool ──▶ done ──▶ decide: a change, or nothing
 *
 * For the publisher alone. It reads all queued inotify events before it looks up the first name, so
 * that many events make one change.
 */
#pragma once

#include "change.h"

/**
 * Handles the queued events, without waiting. Returns the milliseconds until a name that is being
 * written must be taken; -1: none, wait for the watch or view->wake_fd.
 */
int view_take_events(struct view *view);

/** Returns whether a decision is due now. */
bool view_has_work(struct view *view);

/**
 * Finds the next change to publish. Returns 0 with *ret for view_end_change(), or 1: none now; the
 * pool reports more by view->wake_fd.
 */
int view_next_change(struct view *view, struct change *ret);

/**
 * Returns whether no name waits and no job is under way, so that all known changes are shown; with
 * `is_patient` also no name that a writer may have open.
 */
bool view_is_settled(struct view *view, bool is_patient);
