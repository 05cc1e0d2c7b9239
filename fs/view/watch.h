/*
 * Watching layers' directories with inotify(7).
 *
 * One inotify descriptor watches every directory that the kernel knows, in every layer that shows
 * it. Two slots may lie on one directory (the same directory given as two layers, or a layer inside
 * another), and inotify gives one watch descriptor for both: so a descriptor leads to a list.
 *
 * Lock order: the view's lock, then this one's. watch_add() is called with neither.
 */
#pragma once

#include <stdint.h>
#include <sys/inotify.h>

#include "directory.h"

struct watch;

/* `directory` is NULL for IN_Q_OVERFLOW, which concerns all. `name` is NULL for the directory. */
typedef void watch_handler(void *context, struct directory *directory, unsigned layer,
	uint32_t mask, const char *name);

/** Returns 0 with *ret for watch_free(), or -errno (-EMFILE: too many inotify instances). */
int watch_new(struct watch **ret);
void watch_free(struct watch *watch);

/** To be polled for POLLIN. */
int watch_fd(const struct watch *watch);

/** Directories watched now. */
size_t watch_count(struct watch *watch);

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
void watch_renumber(
	struct watch *watch, struct directory *directory, int *watches, size_t layer_count);

/** Ends one layer's watch of `directory`, if there is one. */
void watch_remove_layer(struct watch *watch, struct directory *directory, unsigned layer);

/**
 * Reads all that lies in the queue and calls `handler` for each event and slot. Never blocks. The
 * caller holds the view's lock. Returns the number of events read.
 */
size_t watch_read(struct watch *watch, watch_handler *handler, void *context);
