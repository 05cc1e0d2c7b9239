/*
 * Names in directories, and whether anything has happened to one of them.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct name_watch;

/** Returns 0 with *ret for name_watch_free(), or -errno (-EMFILE: too many inotify instances). */
int name_watch_new(struct name_watch **ret);
void name_watch_free(struct name_watch *watch); /* NULL: nothing */

/** To be polled for POLLIN. */
int name_watch_fd(const struct name_watch *watch);

/**
 * Adds `name` in `directory`, a descriptor (O_PATH is enough) that stays the caller's, or with NULL all
 * that is in it. Returns 0, or -errno as inotify_add_watch(2).
 */
int name_watch_add(struct name_watch *watch, int directory, const char *name, uint32_t mask);

/**
 * Between the two, names are added that take the place of all there were; those are watched until
 * the second: of a directory that both lie in no event is lost that waits to be taken in.
 */
void name_watch_renew(struct name_watch *watch);
void name_watch_end_renewal(struct name_watch *watch);

/** Takes in all events, and whether there was one of a name, or events were lost. Never blocks. */
bool name_watch_has_event(struct name_watch *watch);
