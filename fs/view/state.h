/*
 * The state of a view, for the files of fs/view alone; all others use view.h.
 *
 * A function whose name ends in _waits may wait (coroutine.h): for a layer, a worker or a process.
 * Values that its caller read before may be different afterwards.
 */
#pragma once

#include "compose.h"
#include "dependency.h"
#include "directory.h"
#include "inode.h"
#include "inode_memory.h"
#include "pool.h"
#include "queue.h"
#include "view.h"
#include "watch.h"

struct last_good;
struct look;
struct change_hook;

/* The state of the change that the publisher makes. */
enum publishing {
	PUBLISHING_BEGUN,
	PUBLISHING_DONE,      /* the change is made */
	PUBLISHING_OVERTAKEN, /* a newer version is shown: the change must not be made any more */
};

/* A source with several hard links, and an entry that is made of it (other_names.h). */
struct source_name {
	dev_t dev;
	ino_t ino;
	struct entry *entry; /* in use */
	bool is_shared;      /* another item has the same source and another entry */
};

struct other_names {
	struct source_name *items;
	size_t count;
	size_t capacity;
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
	bool is_stopped;
};

/* The changes that change hooks are run for (change_hook.h). */
struct batch {
	bool is_ending;    /* hooks are due, and wait for the rest of the batch */
	uint64_t revision; /* the last one of the batch */
	unsigned awaited;  /* the batch's looks that are under way */
};

struct view {
	struct source_cache *cache;
	struct finder finder;            /* fixed */
	struct view_callbacks callbacks; /* fixed */
	bool is_strict;                  /* fixed: a change of it takes effect at the next mount */
	struct last_good *last_good; /* the last-good store; NULL: none, also after view_stop() */
	struct pool *pool;
	struct workers *workers; /* NULL: this process merges. Fixed */
	struct watch *watch;
	int wake_fd;            /* eventfd: the publisher has work */
	atomic_bool is_stopped; /* no file is composed any more */

	struct composer composer; /* only the publisher changes it */

	struct inode_table inodes;
	struct inode_memory memory;
	uint64_t next_ino;
	struct directory *root;
	uint64_t shown_directories; /* number of directories shown so far */
	bool has_unseen;            /* some directory has `has_unseen` */
	struct dependency_indexes dependency_indexes;

	/*
	 * Raised by each event and each item that is queued. An object has the revision of its last
	 * change, and a look the one at which it began: so a look is outdated if an object that it
	 * asked has a higher one.
	 */
	uint64_t revision;
	uint64_t cause; /* the revision of what the publisher handles now; 0: none */
	struct entry_queue queue;
	struct debounced debounced;
	struct directory_list scans; /* to be listed */
	/* Directories that get wider rights when earlier changes are published. */
	struct directory_list openings;
	struct other_names other_names;
	struct look *done; /* looks that the publisher is to decide on; the oldest first */
	struct look **done_end;
	unsigned looks;           /* the publisher's, under way or in `done`, without large ones */
	int64_t looked_ms;        /* when the last look was decided on; CLOCK_MONOTONIC */
	bool is_root_changed;     /* the root itself must be looked up again */
	bool is_root_looked_at;   /* the root is being looked up */
	bool is_overflowed;       /* events were lost: everything must be looked up again */
	int64_t rescan_ms;        /* when to set is_overflowed; CLOCK_MONOTONIC; 0: never */
	uint64_t link_watches;    /* number of link watches begun so far (link_watch.h) */
	size_t link_count;        /* link watches of all directories now */
	struct link_watch *links; /* the list of these */
	struct gate gate;
	struct batch batch;
	struct change_hook *change_hooks;  /* the change hooks (change_hook.h) */
	unsigned change_hooks_running;     /* those whose command runs */
	bool change_hooks_are_held;        /* no command starts: the changes are not visible yet */
	bool has_change_hook_ended;        /* since the last change_hooks_have_ended() */
	const struct coroutine *publisher; /* NULL: none has asked for events yet */

	const struct change *change; /* NULL: nothing is being published */
	enum publishing publishing;
	bool is_directory_taken; /* the tree owns the directory of the change now */

	bool is_polling;     /* a directory must be polled: no watch sees all of its changes */
	bool is_remote;      /* … as one of its layers lies on a remote file system */
	int watch_error;     /* the last errno with which a watch failed; 0: none */
	unsigned idle_polls; /* polls in a row that found no directory to poll */
	int64_t polled_ms;   /* the last poll; CLOCK_MONOTONIC */

	struct view_counts counts;
	size_t freed_bytes; /* since view_was_freed() last returned true */
};

/** Logs a line. `problem`: the problem that the line reports; NULL: none. */
void view_log(struct view *view, const char *line, const struct problem *problem);

bool view_is_strict(const struct view *view);

/** Returns whether slow files get placeholders. In a strict mount requests wait instead. */
bool view_has_placeholders(const struct view *view);

void view_wake(struct view *view);
