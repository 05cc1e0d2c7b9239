/*
 * The state of a view, for the files of fs/view alone; all others use view.h.
 *
 * A function whose name ends in _waits may wait (coroutine.h). Values that its caller read before
 * may be different afterwards.
 */
#pragma once

#include "change.h"
#include "compose.h"
#include "coroutine.h"
#include "dependency.h"
#include "directory.h"
#include "inode.h"
#include "pool.h"
#include "queue.h"
#include "view.h"
#include "watch.h"

struct last_good;
struct look;
struct change_hook;

/* A source with several hard links, and an entry that has this source (other_names.h). */
struct source_name {
	dev_t dev;
	ino_t ino;
	struct entry *entry; /* this item counts as one of the entry's users (directory.h) */
	bool is_shared;      /* another item has the same source and another entry */
};

struct other_names {
	struct source_name *items;
	size_t count;
	size_t capacity;
	int64_t passed_ms; /* when the last pass over the versions ended; CLOCK_MONOTONIC */
};

struct checked;
struct runner;

/* The gate of checks (gate.h). */
struct gate {
	struct runner *runner; /* fixed; NULL: there is no plyfs.yaml */
	struct checked *queue; /* paths with a candidate; the oldest first */
	struct checked **queue_end;
	unsigned running;             /* checks under way */
	struct checked *retries;      /* paths whose check could not run, in no order */
	struct gate_missing *missing; /* programs that have been missing at any time */
};

/* The changes after which change hooks run (change_hook.h). */
struct batch {
	uint64_t revision; /* the highest in the batch; 0: no hook waits for the end of a batch */
	unsigned awaited;  /* the batch's looks (look.h) under way */
};

/* The change hooks (change_hook.h). */
struct hooks {
	struct change_hook *first;
	struct batch batch;
	unsigned running; /* those whose command runs */
	bool are_held;    /* no command may start: changes are not visible yet */
	bool has_ended;   /* a command has ended since the last call of change_hooks_have_ended() */
};

/* The objects that the kernel knows, and the numbers of those that it has forgotten (entry.h). */
struct inodes {
	struct inode_table table;
	struct inode_memory memory;
	uint64_t next;
	size_t freed_bytes; /* since view_was_freed() last returned true */
};

/* Maximum number of kept looks (read_ahead.h). */
#define AHEAD_MAX 8

/* Maximum number of jobs that wait for late layers (LAYER_LATE). Each may occupy a worker. */
#define PATIENT_MAX 4

/*
 * The publisher's looks (refresh.c), and those made ahead (read_ahead.h). A scan is a listing of a
 * directory for the publisher (enum directory_scan).
 */
struct looks {
	struct look *done; /* looks that wait for the publisher's decision; the oldest first */
	struct look **done_end;
	/* scans in the pool, and looks without a decision; looks at large files do not count */
	unsigned under_way;
	unsigned scans;                /* of `under_way`: scans in the pool */
	unsigned patient;              /* number of looks and scans that wait for a late layer */
	int64_t last_ms;               /* of the last decision; CLOCK_MONOTONIC */
	struct look *ahead[AHEAD_MAX]; /* kept for their callers, in no order; NULL: none */
	unsigned ahead_next;           /* number of looks kept so far */
};

/* The link watches of all directories (link_watch.h). */
struct links {
	struct link_watch *first;
	size_t count;
	uint64_t begun; /* number of link watches begun so far */
};

/* The change that is being published (change.h). */
struct publication {
	struct change *change;     /* NULL: nothing */
	const struct change *done; /* the same, once it is made; else NULL */
};

/* Directories whose changes no event reports. */
struct polling {
	enum view_polling need;
	int error;         /* the last errno with which a watch failed; 0: none */
	bool is_under_way; /* a poll has begun, and its looks have not all ended */
	unsigned idle;     /* polls in a row that found no directory to poll */
	int64_t last_ms;   /* the last poll; CLOCK_MONOTONIC */
	bool has_unseen;   /* directory->has_unseen is set in some directory */
};

/* Wakes the publisher from any other coroutine. */
struct waker {
	struct coroutine_queue queue;      /* the publisher, while it waits for work */
	const struct coroutine *publisher; /* NULL: the publisher has not looked for work yet */
	unsigned count;                    /* number of wakes since the last search for work */
};

struct view {
	struct source_cache *cache;
	struct finder finder;            /* fixed */
	struct view_callbacks callbacks; /* fixed */
	struct last_good *last_good;     /* NULL: none, or view_stop() was called */
	struct pool *pool;
	struct workers *workers; /* NULL: this process merges. Fixed */
	struct watch watch;
	struct waker waker;
	atomic_bool is_stopped; /* no file is composed any more */

	struct composer composer; /* only the publisher changes it */

	/*
	 * Raised by each event and each queued item. An object has the revision of its last change.
	 * A look has the revision of its beginning. If an object that the look has used has a
	 * higher revision than the look, the look is outdated.
	 */
	uint64_t revision;

	struct inodes inodes;
	struct directory *root;
	uint64_t shown_directories; /* number of directories shown so far */
	struct dependency_indexes dependency_indexes;
	struct other_names other_names;
	struct links links;

	struct view_queue queue;
	struct polling polling;
	struct looks looks;
	struct gate gate;
	struct hooks hooks;
	struct publication publication;
	struct view_counts counts;
};

/** Logs a line. `problem` is the problem that the line reports; NULL: it reports none. */
void view_log(struct view *view, const char *line, const struct problem *problem);

/** Returns whether slow files get placeholders: not in a strict mount. */
static inline bool view_has_placeholders(const struct view *view)
{
	return view->callbacks.use == VIEW_MOUNTED;
}

static inline bool view_is_strict(const struct view *view)
{
	return view->callbacks.use == VIEW_STRICT;
}

/**
 * Wakes the publisher, which looks for work as soon as the caller waits. If the caller is the
 * publisher, does nothing.
 */
void view_wake(struct view *view);
