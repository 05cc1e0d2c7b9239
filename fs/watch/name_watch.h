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
 * Watches `name` (NULL: all names) in `directory`, a descriptor of the caller (O_PATH is enough).
 * `mask` is that of inotify_add_watch(2). Returns 0 or -errno (-ENOSPC: no watch is left).
 */
int name_watch_add(struct name_watch *watch, int directory, const char *name, uint32_t mask);

/**
 * Another process may add watches to name_watch_fd(), of which it has a copy. To use these:
 *
 * 1. Before the process adds them, call name_watch_expect(). It returns 0, or -EDQUOT at the limit
 *    of inotify_limit() (inotify.h): then stop here.
 * 2. When the process has added them, call name_watch_add_watched() for each name, with the number
 *    `wd` of the watch of the name's directory. It returns 0 or -ENOMEM.
 * 3. Call name_watch_expect_no_more().
 *
 * An event of a watch that has no name yet is dropped. name_watch_end_renewal() reports that, so
 * call these functions within a renewal (below).
 */
int name_watch_expect(struct name_watch *watch);
int name_watch_add_watched(struct name_watch *watch, int wd, const char *name, uint32_t mask);
void name_watch_expect_no_more(struct name_watch *watch);

/**
 * Replace all names: call name_watch_renew(), add the new names, and call name_watch_end_renewal().
 * The old names stay watched until the last call. It returns true if an event was dropped, or a new
 * name was not watched before in the same directory: then read the named files once more.
 */
void name_watch_renew(struct name_watch *watch);
bool name_watch_end_renewal(struct name_watch *watch);

/** Reads all events. Returns whether a name had one, or events were lost. Never blocks. */
bool name_watch_has_event(struct name_watch *watch);
