/* A watch on names in directories: reports whether any of these names had an event. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct name_watch;

/** Returns 0 with *ret for name_watch_free(), or -errno (-EMFILE: too many inotify instances). */
int name_watch_new(struct name_watch **ret);
void name_watch_free(struct name_watch *watch); /* NULL: does nothing */

/** Returns the descriptor to poll for POLLIN. */
int name_watch_fd(const struct name_watch *watch);

/**
 * Watches `name` in the directory of watch number `wd`. Another process, which has a copy of
 * name_watch_fd(), has added that watch; `mask` is its mask for inotify_add_watch(2). Call this
 * function before the next name_watch_has_event(), which would end a watch without a name. Returns
 * 0 or -ENOMEM.
 */
int name_watch_add(struct name_watch *watch, int wd, const char *name, uint32_t mask);

/**
 * Replace all names: call name_watch_renew(), add the new names, and call name_watch_end_renewal().
 * The old names stay watched until the last call. It returns true if a new name was not watched
 * before in the same directory: then read the named files once more.
 */
void name_watch_renew(struct name_watch *watch);
bool name_watch_end_renewal(struct name_watch *watch);

/** Reads all events. Returns whether a name had one, or events were lost. Never blocks. */
bool name_watch_has_event(struct name_watch *watch);
