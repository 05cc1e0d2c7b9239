/*
 * How a directory hangs on the layers: what shows it, and how its changes are noticed.
 */
#pragma once

#include "directory.h"

struct settings_generation;
struct view;

/**
 * Makes the directory that `lookup` shows, watched but not shown. It counts as one of the parent's
 * users, and the caller as one of its own, until it is shown. Takes the lock. Returns 0 with *ret
 * to be shown, or dropped by attach_drop_locked(); or -errno.
 */
int attach_make(struct view *view, const struct settings_generation *generation,
	struct directory *parent, const char *name, const struct union_lookup *lookup,
	struct directory **ret);
void attach_drop_locked(struct view *view, struct directory *directory);

/**
 * Something can't be watched (`error`, an errno), or not for all that changes it: polling begins.
 */
void attach_poll_locked(struct view *view, int error, bool is_remote);

/**
 * Watches the directory in those `layers` of what `lookup` has found. What has changed in one
 * since has no event: its names are scanned behind this, and the directory itself is looked at
 * again. Takes the lock, and drops it.
 */
void attach_watch(struct view *view, const struct settings *settings, struct directory *directory,
	const struct union_lookup *lookup, layer_mask layers);

/**
 * Of what is in the directory a layer let us not look at all. What changes there meanwhile is not
 * found by its event: all is looked at again when the attributes of some directory, and so perhaps
 * the right to look, have changed.
 */
void attach_unseen_locked(struct view *view, struct directory *directory);

/**
 * A directory that is shown is one still; but other layers may show it, or other directories in the
 * same layers. A layer that is silent shows it if it did before: `lookup` is changed to that. Takes
 * the lock. Returns whether the kernel has yet to be told of other attributes.
 */
bool attach_update(struct view *view, const struct settings *settings, struct directory *directory,
	struct union_lookup *lookup);
