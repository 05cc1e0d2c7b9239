/* Attaching a directory to the layers that show it, with the watches of their directories. */
#pragma once

#include "directory.h"

struct settings_generation;
struct view;

/**
 * Makes the directory that `lookup` has found: watched, not shown yet. Until then it is a user of
 * its parent, and the caller one of it. Takes the lock. Returns 0 with *ret to be shown, or dropped
 * by attach_drop_locked(); or -errno.
 */
int attach_make(struct view *view, const struct settings_generation *generation,
	struct directory *parent, const char *name, const struct union_lookup *lookup,
	struct directory **ret);
void attach_drop_locked(struct view *view, struct directory *directory);

/** Begins polling, because a watch has failed (`error`, an errno) or does not report everything. */
void attach_poll_locked(struct view *view, int error, bool is_remote);

/**
 * Watches the directory in those `layers`, as `lookup` has found it. An earlier change has no
 * event: so the names are scanned afterwards, and the directory itself is queued. Takes the lock,
 * and drops it.
 */
void attach_watch(struct view *view, const struct settings *settings, struct directory *directory,
	const struct union_lookup *lookup, layer_mask layers);

/**
 * Notes that a layer refused us a part of the directory (EACCES, EIO), so events are missing. When
 * the attributes of any directory change, and with them perhaps our rights, it is scanned again.
 */
void attach_unseen_locked(struct view *view, struct directory *directory);

/**
 * Updates a shown directory that other layers, or other directories in them, may show now. A layer
 * that does not answer counts as before: `lookup` is changed to that. Takes the lock. Returns
 * whether the kernel must be notified of new attributes.
 */
bool attach_update(struct view *view, const struct settings *settings, struct directory *directory,
	struct union_lookup *lookup);
