/*
 * The view: one tree over all layers, as it has been shown, and the versions that it shows.
 *
 *      lookup, list, read   ─┐                      ┌─  watch: something changed at this name
 *      (request threads)     ├─▶ directory, entry ◀─┤
 *                            │   version            └─  refresher: look again, compose, and say
 *      forget               ─┘                           what is to be published (one thread)
 *
 * The view knows neither FUSE nor the mount. A request thread makes what was never looked at; what
 * has been shown is changed by view_apply() only, when the publisher's own system call has come
 * back to us through the kernel.
 *
 * One lock guards the tree. It is never held while a layer is looked at, a file is read or merged,
 * or anything is published.
 */
#pragma once

#include <pthread.h>

#include "compose.h"
#include "dependency.h"
#include "directory.h"
#include "inode.h"
#include "inode_memory.h"
#include "watch.h"

/* The root's inode number: FUSE_ROOT_ID. The numbers up to VIEW_INO_RESERVED belong to the driver.
 */
#define VIEW_INO_ROOT 1
#define VIEW_INO_RESERVED 15

/* Positive result of view_lookup(). */
#define VIEW_PASSING 1

/* Versions' bytes freed, after which the memory goes back to the system. */
#define VIEW_TRIM_BYTES (4u << 20)

struct view {
	struct source_cache *cache;
	struct finder finder; /* fixed */
	struct composer
		composer; /* lock; only the refresher changes it, and may read it unlocked */
	struct watch *watch;
	int wake_fd;                                  /* eventfd: the refresher has work; */
	void (*log)(void *context, const char *line); /* a line without newline; may be NULL */
	void *log_context;
	/*
	 * Has the kernel forget a directory's attributes. Called by any thread, with no lock held.
	 * 0, or -ENOENT where it does not know the inode, or not yet. NULL: there is no kernel.
	 */
	int (*tell)(void *context, uint64_t ino);
	void *tell_context;

	pthread_mutex_t lock;
	struct inode_table inodes; /* lock, as all that follows */
	struct directory *root;
	uint64_t era; /* raised when the settings are replaced: ranks and masks mean others then */
	pthread_t refresher; /* has_refresher: its thread, which need not be woken by itself */
	bool has_refresher;
	uint64_t writes;            /* events of writes in place, ever */
	uint64_t shown_directories; /* ever */
	struct inode_memory memory;
	uint64_t next_ino;
	struct dependency_indexes dependency_indexes;
	const struct change *publishing; /* what the publisher is about to do; NULL: nothing */
	bool is_published;               /* … and it was done */
	bool is_overtaken;               /* … and it must not be done any more */
	bool is_directory_taken; /* … and its directory is shown, and the change's no more */
	struct entry **queue;    /* names to refresh */
	size_t queue_first;
	size_t queue_count; /* end of the queue in `queue` */
	size_t queue_capacity;
	struct entry **settling;
	size_t settling_count;
	size_t settling_capacity;
	struct directory **scans; /* directories to list */
	size_t scan_count;
	size_t scan_capacity;
	bool is_root_changed;   /* the root itself must be looked at again */
	bool is_root_looked_at; /* … which is being done */
	int64_t root_looked_ms; /* when that was last said while it opens; CLOCK_MONOTONIC */
	bool is_overflowed;     /* changes were lost: everything must be looked at again */
	size_t version_count;   /* that are shown or held by the kernel */
	size_t version_bytes;   /* in memory */
	size_t freed_bytes;     /* since view_was_freed() said so last */
	size_t trouble_count;   /* entries with trouble */
	uint64_t compositions;  /* since the start */
	uint64_t overflows;
	int watch_error;     /* the first errno that a watch could not be set with; 0: none */
	bool is_polling;     /* some directory can't be watched, or not for all that changes it */
	unsigned idle_polls; /* since something was there to poll */
	int64_t polled_ms;   /* when last; CLOCK_MONOTONIC */
	bool is_remote;      /* … because of its file system */
};

/**
 * A view over the settings' layers, which it takes a reference to, and watches: view_next_change()
 * must be called when watch_fd() or wake_fd are readable.
 * Returns 0 with *ret for view_free(), -E2BIG for what view_check_settings() refuses, or -errno.
 */
int view_new(struct settings *settings, struct view **ret);
void view_free(struct view *view); /* NULL: nothing */
void view_freep(struct view **view);

/** Whether one view can have so many layers: 0 or PROBLEM. */
int view_check_settings(const struct settings *settings, struct problem *problem);

/**
 * Looks a name up, as the kernel's LOOKUP: what is found counts one more kernel reference, to be
 * given back by view_forget(). Only the publisher sees what it is about to take away.
 * Returns 0; VIEW_PASSING for what only the publisher may see, so that the name must be asked for
 * again; or -errno: -ENOENT for no such name.
 */
int view_lookup(
	struct view *view, uint64_t parent, const char *name, bool is_publisher, struct stat *ret);

void view_forget(struct view *view, uint64_t ino, uint64_t count);

/*
 * Who begins a lookup so long after the kernel was told that somebody is shut out was let in by
 * what it knows since; but he may have waited, and be let in by what it knew before, for another's
 * answer, which takes as long as the largest merge.
 */
#define VIEW_ON_THE_WAY_MS 1000
#define VIEW_WAITING_MS 60000

/**
 * Whether `parent`, or a directory above it, was closed to somebody since `since_ms` (clock_ms()).
 * When that is VIEW_WAITING_MS before the lookup began, who looks something up there must be asked
 * for by view_lets_in(); VIEW_ON_THE_WAY_MS, what he is told must not be cached for others.
 */
bool view_is_narrowed(struct view *view, uint64_t parent, int64_t since_ms);
bool view_lets_in(struct view *view, uint64_t parent, const struct user *user);

/** Whether VIEW_TRIM_BYTES or more were freed since it last returned true. */
bool view_was_freed(struct view *view);

/** stat(2) of an object that the kernel knows. 0 or -ESTALE. */
int view_stat(struct view *view, uint64_t ino, struct stat *ret);

/** The version with that number: 0 with *ret for version_unref(), -EISDIR or -ESTALE. */
int view_version(struct view *view, uint64_t ino, struct version **ret);

/**
 * Calls `each` for the names behind `cookie`, in the order of their cookies, until it returns
 * false. Cookies hold as long as a name does, so a listing in parts neither misses nor doubles it.
 * Returns 0 or -errno.
 */
int view_list(struct view *view, uint64_t ino, uint64_t cookie,
	bool (*each)(void *context, const char *name, uint64_t ino, mode_t type, uint64_t cookie),
	void *context);

/* What a version tells of itself, as the extended attributes have it. */
enum view_attribute {
	VIEW_LAYERS,       /* "vendor:site" */
	VIEW_SOURCES,      /* source_list.h */
	VIEW_STRATEGY,     /* its name */
	VIEW_ERROR,        /* trouble_text() */
	VIEW_PUBLIC_ERROR, /* … but for what it says of the sources */
};

/**
 * An attribute of the file that shows `ino`. Returns 0 with *ret for free(3), -ENODATA when it has
 * none, or -ENOMEM.
 */
int view_attribute(struct view *view, uint64_t ino, enum view_attribute attribute, char **ret);

/** Calls `each` for every path in trouble, in no order. Holds the lock meanwhile. */
void view_troubles(struct view *view,
	void (*each)(void *context, const char *path, const struct trouble *trouble),
	void *context);

/**
 * Shows a version that belongs to no path, under a new number and with one kernel reference.
 * Takes over the caller's reference.
 */
void view_adopt(struct view *view, struct version *version, struct stat *ret);
