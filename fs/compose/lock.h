/*
 * Locks with ranks. A thread takes a lock only while all that it holds have lower ranks, so no two
 * threads can wait for each other. Builds with sanitizers assert it at each lock.
 */
#pragma once

#include <pthread.h>

/* In the order in which they may be taken. */
enum lock_rank {
	LOCK_DRIVER,  /* the driver's: the directories of .plyfs/origins */
	LOCK_FILES,   /* a rendering's: what it has made, and shows */
	LOCK_VIEW,    /* what is shown */
	LOCK_WATCH,   /* which directories are watched */
	LOCK_INOTIFY, /* what inotify watches */
	LOCK_RUN,     /* programs that run */
	LOCK_POOL,    /* what waits for a thread that composes */
	LOCK_WORKERS, /* processes that read sources */
	LOCK_KEEP,    /* last good versions */
	LOCK_SOURCES, /* parsed sources; what was found below a directory */
	LOCK_LOOKS,   /* a rendering's: whether what it waits for was answered */
	LOCK_AGENDA,  /* … and what it is to do later */
};

struct lock {
	pthread_mutex_t mutex;
	enum lock_rank rank;
};

void lock_init(struct lock *lock, enum lock_rank rank);
void lock_fini(struct lock *lock);

void lock_take(struct lock *lock);
void lock_release(struct lock *lock);

/** pthread_cond_wait(3), or with `until` (CLOCK_MONOTONIC, NULL: for ever) its timed twin. */
void lock_wait(struct lock *lock, pthread_cond_t *condition, const struct timespec *until);
