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

#include "directory.h"
#include "inotify.h"

struct watch;

/* `directory` is NULL for IN_Q_OVERFLOW, which concerns all. `name` is NULL for the directory. */
typedef void watch_handler(void *context, struct directory *directory, unsigned layer,
	uint32_t mask, const char *name);

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
 * Watches the directory open as `fd` (O_PATH is enough), as that of `layer` in `directory`, and
 * notes it in directory->watches in place of the one that was there. Returns 0 or -errno (-ENOSPC:
 * fs.inotify.max_user_watches).
 */
int watch_add(struct watch *watch, struct directory *directory, unsigned layer, int fd);

/** Whether that layer's directory is watched. */
bool watch_has(struct watch *watch, const struct directory *directory, unsigned layer);

/** Ends all watches of `directory`. */
void watch_remove(struct watch *watch, struct directory *directory);

/**
 * Ends all watches of `directory`, and has it note later ones in `watches`, of `layer_count`
 * layers; the old array is freed.
 */
void watch_renumber(struct watch *watch, struct directory *directory, struct layer_watch **watches,
	size_t layer_count);

/** Ends one layer's watch of `directory`, if there is one. */
void watch_remove_layer(struct watch *watch, struct directory *directory, unsigned layer);

/**
 * Reads all that lies in the queue and calls `handler` for each event and directory. Never blocks.
 * The caller holds the view's lock.
 */
void watch_read(struct watch *watch, watch_handler *handler, void *context);
