/*
 * The rendered directories that the view shows, found by their inode numbers in the view; and the
 * watch for changes that other programs make in these directories, by inotify(7).
 */
#pragma once

#include "inotify.h"

struct publisher_hook;
struct render;

/* Whether all names of a directory could be listed and looked up. If not, it is listed again. */
enum shown_state {
	SHOWN_WHOLE,
	SHOWN_MISSED,  /* some could not; what is rendered of these stays */
	SHOWN_UNKNOWN, /* memory or descriptors were short; nothing may be removed */
};

struct shown_directory {
	struct subscription subscription; /* must be first */
	struct render *render;
	uint64_t ino;
	enum shown_state state;
	char *path;
};

/** Returns the directory with the inode number `ino`; NULL: it is not shown. */
struct shown_directory *shown_find(const struct render *render, uint64_t ino);

/** Adds the directory, unless it was added already. Returns 0 or -ENOMEM. */
int shown_add(struct render *render, uint64_t ino, const char *path);

/** Ends the watch of the directory, and frees its struct, if there is one. */
void shown_drop(struct render *render, uint64_t ino);
void shown_drop_all(struct render *render);

/** Begins to watch the directory for changes of other programs. */
void shown_watch(struct shown_directory *shown);

/** Begins or ends watching all directories. */
void shown_watch_all(struct render *render, bool is_watched);

/**
 * Called once with --atomic, when the first generation is made. Begins to watch all directories of
 * the generation, and the rendered directory, which has the generations and the links to them.
 */
void shown_watch_beside(struct render *render);

/**
 * Reads inotify's events, and schedules the examination of the changed paths. This function is a
 * publisher_hook.handle (publisher.h). Returns false.
 */
bool shown_take_events(void *context, struct publisher_hook *hook);
