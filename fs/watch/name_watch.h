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
 * Watches `name` (NULL: all names) in `directory`, a descriptor that stays the caller's (O_PATH is
 * enough). `mask` is as for inotify_add_watch(2). Returns 0 or -errno (-ENOSPC: no watch is left).
 */
int name_watch_add(struct name_watch *watch, int directory, const char *name, uint32_t mask);

/**
 * Take over watches that another process adds to name_watch_fd(). Before it adds them, call
 * name_watch_expect(), which returns 0, or -EDQUOT at the limit of inotify_limit() (inotify.h).
 * After -EDQUOT call neither of the others. When the process has added its watches, call
 * name_watch_add_watched() for each name, with the number `wd` of its directory's watch. It returns
 * 0 or -ENOMEM. At the end call name_watch_expect_no_more().
 *
 * An event that is read before its watch has a name is dropped. Then the next
 * name_watch_end_renewal() returns true.
 */
int name_watch_expect(struct name_watch *watch);
int name_watch_add_watched(struct name_watch *watch, int wd, const char *name, uint32_t mask);
void name_watch_expect_no_more(struct name_watch *watch);

/**
 * Replace all names: after name_watch_renew() add the new ones. The old names stay watched until
 * name_watch_end_renewal(). So if a directory has both old and new names, its queued events are not
 * lost.
 *
 * name_watch_end_renewal() returns true if an event was dropped, or if some new name was not
 * watched before in the same directory. Such a name may have changed without an event, so the
 * caller must read the named files once more.
 */
void name_watch_renew(struct name_watch *watch);
bool name_watch_end_renewal(struct name_watch *watch);

/** Reads all events. Returns whether a name had one, or events were lost. Never blocks. */
bool name_watch_has_event(struct name_watch *watch);
