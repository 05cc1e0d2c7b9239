/* The rendered directories that the view shows, and the watch for other programs' changes. */
#pragma once

#include "inotify.h"

struct publisher_hook;
struct render;

/*
 * The result of listing a directory and looking up its names. Unless the result is SHOWN_WHOLE, the
 * directory must be listed again.
 */
enum shown_state {
	SHOWN_WHOLE,
	SHOWN_MISSED,  /* lookups of some names failed; the rendered files of these names stay */
	SHOWN_UNKNOWN, /* memory or descriptors were short; nothing may be removed */
};

struct shown_directory {
	struct subscription subscription; /* must be first */
	struct render *render;
	uint64_t ino; /* the directory's inode number in the view */
	enum shown_state state;
	char *path;
};

/** Returns the directory with the inode number `ino`; NULL: it is not shown. */
struct shown_directory *shown_find(const struct render *render, uint64_t ino);

/** Adds the directory, unless it was added already. Returns 0 or -ENOMEM. */
int shown_add(struct render *render, uint64_t ino, const char *path);

/** Frees the struct of the directory `ino`, if there is one, and ends its watch. */
void shown_drop(struct render *render, uint64_t ino);
void shown_drop_all(struct render *render);

/** Begins to watch the directory for changes of other programs. */
void shown_watch(struct shown_directory *shown);

/** Begins to watch all directories; if `is_watched` is false, ends their watches. */
void shown_watch_all(struct render *render, bool is_watched);

/**
 * Begins to watch all directories of the first generation, and the directory that contains the
 * generations and the links to them. Call it once, and only with --atomic.
 */
void shown_watch_beside(struct render *render);

/**
 * For publisher_hook.handle (publisher.h): schedules the examination of the paths that inotify
 * reports. Returns false.
 */
bool shown_take_events(void *context, struct publisher_hook *hook);
