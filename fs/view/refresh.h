/*
 * Refreshing: what the layers have become, against what is shown; and so, what is to be published.
 *
 *      queue ──▶ look, in the pool ──▶ done ──▶ decide: a change, or nothing
 *
 * The publisher calls all of this. Everything that lies in the inotify queue is taken in before the
 * first name is looked at, so that many events are one change.
 */
#pragma once

#include "change.h"

/**
 * Takes in what the watch has to say, without waiting. Returns the milliseconds until a name must
 * be taken that is being written now; -1: none, wait for the watch or view->wake_fd.
 */
int view_take_events(struct view *view);

/** Whether there is something to be decided now. */
bool view_has_work(struct view *view);

/**
 * The next change to be published. Returns 0 with *ret for view_end_change(), or 1: none now; when
 * the pool has more, view->wake_fd tells.
 */
int view_next_change(struct view *view, struct change *ret);

/**
 * Whether all that the layers have been seen to say is what is shown: nothing waits or is under
 * way. With `is_patient` also nothing that somebody may be writing still.
 */
bool view_is_settled(struct view *view, bool is_patient);
