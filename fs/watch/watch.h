/*
 * The watches of the layers' directories, by inotify(7).
 *
 * One inotify descriptor watches every directory of the view, in every layer that shows it. The
 * same directory may be watched more than once: if two layers are the same directory, or if one
 * layer lies inside another.
 */
#pragma once

#include "inotify.h"

struct layer_watch;
struct watch;

/* One merged directory's watches. The owner, a larger struct, allocates and frees `items`. */
struct layer_watches {
	void *owner;                /* fixed */
	struct layer_watch **items; /* one for each layer; NULL: none */
	size_t count;               /* number of the mount's layers */
};

/* `owner` is NULL for IN_Q_OVERFLOW: events were lost. `name` NULL: the directory itself. */
typedef void watch_handler(
	void *context, void *owner, unsigned layer, uint32_t mask, const char *name);

/**
 * Makes the descriptor. `most`: how many inodes are watched at most; 0: half of the user's limit
 * (inotify_limit()). Returns 0 with *ret for watch_free(), or -errno (-EMFILE: too many inotify
 * instances).
 */
int watch_new(size_t most, struct watch **ret);
void watch_free(struct watch *watch);

/**
 * Returns the inotify descriptor. The watches of links and of other files share it: one queue keeps
 * the order of events.
 */
struct inotify *watch_inotify(const struct watch *watch);

/** Returns the descriptor to poll for POLLIN. */
int watch_fd(const struct watch *watch);

/** Returns the number of watches with a subscription (inotify_watch_count()). */
size_t watch_count(const struct watch *watch);

/**
 * Watches the directory open as `fd` (O_PATH is enough), in place of the former one of `layer`.
 * `fd` stays the caller's. Returns 0; or -errno as inotify_subscribe().
 */
int watch_add(struct watch *watch, struct layer_watches *watches, unsigned layer, int fd);

/**
 * Watch a directory that another process opens, and adds by inotify_add_watch(2) on watch_fd() with
 * watch_mask() and IN_MASK_ADD. First call watch_begin(), which returns 0 or -EDQUOT. After 0, call
 * watch_end() with the number of the new watch (negative: there is none). It returns 0; 1: events
 * may have been missed in between; or -errno.
 */
int watch_begin(struct watch *watch);
int watch_end(struct watch *watch, struct layer_watches *watches, unsigned layer, int wd);
uint32_t watch_mask(void);

/** Returns whether the directory of `layer` is watched. */
bool watch_has(const struct layer_watches *watches, unsigned layer);

/** Ends the directory's watches in all layers. */
void watch_remove(struct watch *watch, struct layer_watches *watches);

/**
 * Does watch_remove(), frees watches->items, and puts `items`, for `count` layers, in their place.
 */
void watch_renumber(struct watch *watch, struct layer_watches *watches, struct layer_watch **items,
	size_t count);

/** Ends one layer's watch, if it has one. */
void watch_remove_layer(struct watch *watch, struct layer_watches *watches, unsigned layer);

/**
 * Reads all queued events and calls `handler` for each event and directory. Never blocks.
 */
void watch_read(struct watch *watch, watch_handler *handler, void *context);
