/* Attaching a directory of the view to the layers that show it, and watching it in these layers. */
#pragma once

#include "directory.h"

struct settings;
struct view;

/**
 * Makes and watches the directory that `lookup` has found, without showing it. The new directory
 * counts as a user of `parent`. If `parent` is NULL, the new directory is the root. May wait.
 * Returns 0 with *ret, which the caller either shows or drops by attach_drop(); or -ENOMEM.
 */
int attach_make(struct view *view, const struct settings *settings, struct directory *parent,
	const char *name, const struct union_lookup *lookup, struct directory **ret);
void attach_drop(struct view *view, struct directory *directory);

/**
 * Makes the publisher poll the directories that need it (directory_is_polled()). `error`: the
 * errno with which a watch has failed; 0: none has. `is_remote`: a layer lies on a remote file
 * system, for which inotify does not report everything.
 */
void attach_poll(struct view *view, int error, bool is_remote);

/**
 * Watches the directory in `layers`, and queues it if it has changed there since `lookup`. Always
 * scan the names afterwards, as a change before the watch has no event. May wait.
 */
void attach_watch(struct view *view, const struct settings *settings, struct directory *directory,
	const struct union_lookup *lookup, layer_mask layers);

/**
 * Notes that a layer refused us a part of the directory (EACCES), so events may be missing.
 * If the attributes of any directory change later, our rights may have changed: then the noted
 * directories are scanned again.
 */
void attach_unseen(struct view *view, struct directory *directory);

/**
 * Notes that a file system has failed at a part of the directory (layer_has_failed()). The
 * directory is polled until a scan of it meets no failure, as no event reports that the file system
 * works again.
 */
void attach_failed(struct view *view, struct directory *directory);

/**
 * Updates a shown directory after a new `lookup`. A layer that does not answer is taken out of
 * lookup->layers, unless the layer has shown the directory so far. Does nothing if `settings` are
 * no longer in force. May wait. Returns whether the kernel must be notified of new attributes.
 */
bool attach_update(struct view *view, const struct settings *settings, struct directory *directory,
	struct union_lookup *lookup);
