/* A watch on names in directories: reports whether anything happened to one of them. */
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
 * Adds `name` (NULL: all names) in `directory`, a descriptor that stays the caller's (O_PATH is
 * enough). `mask` is as for inotify_add_watch(2). Returns 0 or -errno (-ENOSPC: no watch is left).
 */
int name_watch_add(struct name_watch *watch, int directory, const char *name, uint32_t mask);

/**
 * Adds `name` in a directory whose watch another process has added to our instance,
 * name_watch_fd(); `wd` is the number of that watch. Returns 0 or -ENOMEM.
 *
 * Call name_watch_expect() before that process adds watches, then name_watch_add_watched() for each
 * name in the watched directories, and then name_watch_expect_no_more(). After -EDQUOT of
 * name_watch_expect(), call neither of the others. If an event is read while its watch still has no
 * name, it is dropped; then the next name_watch_end_renewal() returns true.
 */
int name_watch_add_watched(struct name_watch *watch, int wd, const char *name, uint32_t mask);
int name_watch_expect(struct name_watch *watch);
void name_watch_expect_no_more(struct name_watch *watch);

/**
 * Replace all names. The names that are added between the two calls take the place of the old ones,
 * which stay watched until the second call. So a directory in both sets loses no queued event.
 *
 * The second call returns true if some new name was not watched before in the same directory. Such
 * a name may have changed without an event, so the caller reads the names once more.
 */
void name_watch_renew(struct name_watch *watch);
bool name_watch_end_renewal(struct name_watch *watch);

/** Reads all events. Returns whether a name had one, or events were lost. Never blocks. */
bool name_watch_has_event(struct name_watch *watch);
