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

struct watch {
	/* The caller's. The events of all its watches come in the order in which they happened. */
	struct inotify *inotify;
	watch_handler *handler; /* private, and so is `context`: set while watch_read() reads */
	void *context;
};

/**
 * Watches `fd` (O_PATH is enough), the directory in `layer`, in place of the watch that `layer`
 * had. `fd` stays the caller's. If there is no such layer any more, does nothing. Returns as
 * inotify_subscribe().
 */
int watch_add(const struct watch *watch, struct layer_watches *watches, unsigned layer, int fd);

/**
 * Watches a directory that another process opens. First call inotify_expect(). After 0, the other
 * process calls inotify_add_watch(2) with WATCH_MASK and IN_MASK_ADD. Then call watch_end() with
 * the number of the new watch (negative: none). watch_end() returns 0; 1: events may have been
 * missed in between; or -errno.
 */
int watch_end(const struct watch *watch, struct layer_watches *watches, unsigned layer, int wd);

#define WATCH_MASK                                                                                 \
	(IN_CLOSE_WRITE | IN_MODIFY | IN_MOVED_FROM | IN_MOVED_TO | IN_CREATE | IN_DELETE |        \
		IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)

bool watch_has(const struct layer_watches *watches, unsigned layer);

/** Ends the directory's watches in all layers. */
void watch_remove(const struct watch *watch, struct layer_watches *watches);

/** Does watch_remove(). Then replaces watches->items by the array `items` for `count` layers. */
void watch_renumber(const struct watch *watch, struct layer_watches *watches,
	struct layer_watch **items, size_t count);

/** Ends one layer's watch, if it has one. */
void watch_remove_layer(const struct watch *watch, struct layer_watches *watches, unsigned layer);

/** Does inotify_read(). Calls `handler` for each event, once for each watch of its directory. */
void watch_read(struct watch *watch, watch_handler *handler, void *context);
