/*
 * Events: what the watch tells, and when a name that has changed may be looked at.
 *
 * A name is refreshed when its writer is done: on a close after writing, a rename, a removal; or
 * after a time of quiet. Everything here wants the view's lock held.
 */
#pragma once

#include "view.h"

/* A file that is being written is taken after this long without another write. */
#define EVENTS_QUIET_MS 50

/*
 * A name that disappears is often about to come back: editors move the old file away before they
 * write the new one, git unlinks before it creates. Until then the old version stays. And a name
 * that appears is often about to go: what is written under a temporary name is then renamed.
 */
#define EVENTS_GONE_MS 2

/** Has the entry refreshed when nothing happened to it for `quiet_ms`. */
void events_settle(struct view *view, struct entry *entry, int64_t quiet_ms);

/** Takes in all events there are. Whatever was changed before the call has its event by now. */
void events_take(struct view *view);

/**
 * Takes in all events there are, and says whether a source of what was just looked at (`asked` may
 * be NULL) is being written, or was since view->writes was `since`: what was read of it may be half
 * of it. A write before the look has its event in the queue by now.
 */
bool events_meet_writer(struct view *view, const struct directory *parent, const char *name,
	const struct union_lookup *lookup, const struct dependencies *asked, uint64_t since);
