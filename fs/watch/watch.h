/*
 * Watching layers' directories with inotify(7).
 *
 * One inotify descriptor watches every directory that the kernel knows, in every layer that shows
 * it. One directory may be watched more than once: the same given as two layers, or a layer inside
 * another.
 *
 * Lock order: the view's lock, then this one's. watch_add() is called with neither.
 */
#pragma once

#include "inotify.h"

struct layer_watch;
struct watch;

/* What watches one merged directory. Part of a struct of the owner's, who makes and frees `items`.
 */
struct layer_watches {
	void *owner;                /* fixed */
	struct layer_watch **items; /* each layer's; NULL: none */
	size_t count;               /* of the mount's layers */
};

/* `owner` is NULL for IN_Q_OVERFLOW, which concerns all. `name` is NULL for the directory. */
typedef void watch_handler(
	void *context, void *owner, unsigned layer, uint32_t mask, const char *name);

/** Returns 0 with *ret for watch_free(), or -errno (-EMFILE: too many inotify instances). */
int watch_new(struct watch **ret);
void watch_free(struct watch *watch);

/** What the watching of all else that is shown shares: the order of events is that of one queue. */
struct inotify *watch_inotify(const struct watch *watch);

/** To be polled for POLLIN. */
int watch_fd(const struct watch *watch);

/** Watches that the kernel keeps now. */
size_t watch_count(const struct watch *watch);

/**
 * Watches the directory open as `fd` (O_PATH is enough), as that of `layer`, in place of the one
 * that was there. Returns 0 or -errno (-ENOSPC: fs.inotify.max_user_watches).
 */
int watch_add(struct watch *watch, struct layer_watches *watches, unsigned layer, int fd);

/** Whether that layer's directory is watched. */
bool watch_has(struct watch *watch, const struct layer_watches *watches, unsigned layer);

/** Ends all of them. */
void watch_remove(struct watch *watch, struct layer_watches *watches);

/** Ends all of them, and has later ones noted in `items`, of `count` layers; the old are freed. */
void watch_renumber(struct watch *watch, struct layer_watches *watches, struct layer_watch **items,
	size_t count);

/** Ends one layer's watch, if there is one. */
void watch_remove_layer(struct watch *watch, struct layer_watches *watches, unsigned layer);

/**
 * Reads all that lies in the queue and calls `handler` for each event and directory. Never blocks.
 * The caller holds the view's lock.
 */
void watch_read(struct watch *watch, watch_handler *handler, void *context);
