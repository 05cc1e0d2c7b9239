/* Attaching a directory of the view to the layers that show it, and watching it in these layers. */
#pragma once

#include "directory.h"

struct settings;
struct view;

/**
 * Makes the directory that `lookup` has found, and watches it. The directory counts as a user of
 * `parent` (directory.h); NULL: the directory is the root. May wait. Returns 0 with *ret, which the
 * caller must show or attach_drop(); or -ENOMEM.
 */
int attach_make(struct view *view, const struct settings *settings, struct directory *parent,
	const char *name, const struct union_lookup *lookup, struct directory **ret);
void attach_drop(struct view *view, struct directory *directory);

/**
 * Makes the publisher poll the directories that need it (directory_is_polled()). `error`: the
 * errno with which a watch has failed, or 0. `is_remote`: a layer lies on a remote file system.
 */
void attach_poll(struct view *view, int error, bool is_remote);

/**
 * Watches the directory in `layers`, and queues it if a layer has changed it since `lookup`. The
 * caller must scan the names afterwards, as a change before the watch has no event. May wait.
 */
void attach_watch(struct view *view, const struct settings *settings, struct directory *directory,
	const struct union_lookup *lookup, layer_mask layers);

/**
 * Notes that a layer refused us a part of the directory (EACCES). When the attributes of any
 * directory change, all noted directories are scanned again.
 */
void attach_unseen(struct view *view, struct directory *directory);

/** Polls the directory until a scan of it meets no failure (layer_has_failed()). */
void attach_failed(struct view *view, struct directory *directory);

/**
 * If a layer's file system has failed, and the layer had no directory at the entry's path when the
 * kernel forgot the path, and has got none since: removes the layer from `lookup`, and does
 * attach_failed() for the parent.
 */
void attach_leave_out_failed(
	struct view *view, const struct entry *entry, struct union_lookup *lookup);

/**
 * Updates a shown directory after a new `lookup`. If a layer does not answer, and has not shown the
 * directory so far, removes the layer from lookup->layers. Does nothing if `settings` are no longer
 * in force. May wait. Returns whether the kernel must be notified of new attributes.
 */
bool attach_update(struct view *view, const struct settings *settings, struct directory *directory,
	struct union_lookup *lookup);
