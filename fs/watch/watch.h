/*
 * The watches of the layers' directories, by inotify(7).
 *
 * One inotify descriptor watches every directory of the view, in every layer that shows it. If two
 * layers are the same directory, or one lies inside another, one directory on disk can have several
 * watches.
 */
#pragma once

#include "inotify.h"

struct layer_watch;
struct watch;

/* The watches of one merged directory. The owner allocates the array `items`, and frees it at the
 * end. If watch_renumber() replaces the array, it frees the old one. */
struct layer_watches {
	void *owner;                /* for the watch_handler; fixed */
	struct layer_watch **items; /* one for each layer, by rank (layer.h); NULL: no watch */
	size_t count;               /* number of the mount's layers */
};

/*
 * Handles one event. `owner` is the owner of the directory's watches, and `layer` the rank. `name`
 * NULL: an event of the directory itself. If events were lost, `mask` is IN_Q_OVERFLOW, and `owner`
 * and `name` are NULL.
 */
typedef void watch_handler(
	void *context, void *owner, unsigned layer, uint32_t mask, const char *name);

/**
 * Makes the descriptor, with at most `most` watched inodes (inotify_limit()). Returns 0 with *ret
 * for watch_free(), or -errno (-EMFILE: too many inotify instances).
 */
int watch_new(size_t most, struct watch **ret);

/** All watches must have been removed. NULL: does nothing. */
void watch_free(struct watch *watch);

/**
 * Returns the struct inotify, for further watches. The events of all its watches arrive in the
 * order in which they happened.
 */
struct inotify *watch_inotify(const struct watch *watch);

/** Returns the descriptor to poll for POLLIN. */
int watch_fd(const struct watch *watch);

/** Returns inotify_watch_count(). */
size_t watch_count(const struct watch *watch);

/**
 * Watches `fd` (O_PATH is enough), the directory in `layer`, in place of the watch that `layer`
 * had. `fd` stays the caller's. If there is no such layer any more, does nothing. Returns as
 * inotify_subscribe().
 */
int watch_add(struct watch *watch, struct layer_watches *watches, unsigned layer, int fd);

/**
 * Watch a directory that another process opens. First call watch_begin(), which returns 0 or
 * -EDQUOT. After 0, the other process calls inotify_add_watch(2) on watch_fd() with watch_mask()
 * and IN_MASK_ADD. Then call watch_end() with the number of the new watch (negative: none).
 * watch_end() returns 0; 1: events may have been missed in between; or -errno.
 */
int watch_begin(struct watch *watch);
int watch_end(struct watch *watch, struct layer_watches *watches, unsigned layer, int wd);
uint32_t watch_mask(void);

/** Returns whether the directory in `layer` is watched. */
bool watch_has(const struct layer_watches *watches, unsigned layer);

/** Ends the directory's watches in all layers. */
void watch_remove(struct watch *watch, struct layer_watches *watches);

/** Does watch_remove(). Then replaces watches->items by the array `items` for `count` layers. */
void watch_renumber(struct watch *watch, struct layer_watches *watches, struct layer_watch **items,
	size_t count);

/** Ends one layer's watch, if it has one. */
void watch_remove_layer(struct watch *watch, struct layer_watches *watches, unsigned layer);

/** Does inotify_read(). Calls `handler` for each event, once for each watch of its directory. */
void watch_read(struct watch *watch, watch_handler *handler, void *context);
