/*
 * The directories that the view knows to be shown, by its numbers, and what somebody does in them.
 * Under the lock of the files.
 */
#pragma once

#include "inotify.h"

struct publisher_hook;
struct render;

struct shown_directory {
	struct subscription subscription; /* first */
	struct render *render;
	uint64_t ino;
	bool is_incomplete; /* a name could not be looked up: it is walked again */
	char *path;
};

/** NULL: it is not shown. */
struct shown_directory *shown_find(const struct render *render, uint64_t ino);

/** 0, also if it is there already; or -ENOMEM. */
int shown_add(struct render *render, uint64_t ino, const char *path);
void shown_drop(struct render *render, uint64_t ino);
void shown_drop_all(struct render *render);

/** From now on it is noticed when somebody changes something in it. */
void shown_watch(struct shown_directory *shown);

/** The same of all of them, or of none. */
void shown_watch_all(struct render *render, bool is_watched);

/** The same of all of a generation, and of what stands beside it: once, when the first is made. */
void shown_watch_beside(struct render *render);

/** The publisher's: inotify's descriptor can be read. */
bool shown_take_events(void *context, struct publisher_hook *hook);
