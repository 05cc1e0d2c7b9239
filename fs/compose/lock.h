/*
 * Locks with ranks. A thread takes a lock only if all locks that it holds have lower ranks, so no
 * two threads can wait for each other. Builds with sanitizers assert that at each lock.
 */
#pragma once

#include <stdbool.h>

/* The locks in the order in which a thread takes them; beside each, what it guards. */
enum lock_rank {
	LOCK_DRIVER,  /* fs/driver: the directories of .plyfs/origins; unanswered requests */
	LOCK_FILES,   /* fs/render: the files of the rendered tree */
	LOCK_VIEW,    /* struct view */
	LOCK_WATCH,   /* fs/watch: the watched directories */
	LOCK_INOTIFY, /* fs/watch: the watches of the inotify descriptor */
	LOCK_RUN,     /* fs/run: the commands that run */
	LOCK_POOL,    /* the pool's queues */
	LOCK_WORKERS, /* fs/worker: the worker processes */
	LOCK_KEEP,    /* fs/keep: the last-good store */
	LOCK_SOURCES, /* the source cache; the names that a command found below a directory */
	LOCK_LOOKS,   /* fs/render: whether the lookups that rendering waits for were answered */
	LOCK_AGENDA,  /* fs/render: deferred work */
};

struct lock {
	enum lock_rank rank;
	bool is_held;
};

void lock_init(struct lock *lock, enum lock_rank rank);
void lock_fini(struct lock *lock);

void lock_take(struct lock *lock);
void lock_release(struct lock *lock);
