/*
 * A directory of the view, and its entries: what the kernel knows, or may know, of each name. The
 * layers may be newer; the publisher closes the gap.
 *
 * A directory exists from the kernel's first lookup to its last forget, or as long as it has
 * entries that must be remembered (last good versions, change hooks). Its path never changes: a
 * directory that is renamed in a layer is another directory.
 *
 * The states of a name after a change:
 *
 *              a whole change, a dependency, a rescan
 *      IDLE ────────────────────────────────────────────▶ QUEUED ──▶ it is looked at, and
 *       │ ▲                                                ▲  │       published if it differs
 *       │ └─────────────── taken from the queue ───────────│──┘
 *       ├── it has gone, or is new ──▶ GONE ───────────────┤ after EVENTS_GONE_MS
 *       └── somebody writes ─────────▶ WRITING ────────────┘ closed, or after EVENTS_QUIET_MS
 *
 * The view's lock guards all fields but the fixed ones.
 */
#pragma once

#include <stdbool.h>
#include <time.h>

#include "inode.h"
#include "rights.h"
#include "trouble.h"
#include "union.h"
#include "version.h"
#include "watch.h"

enum entry_pending {
	PENDING_NONE,    /* no change is known */
	PENDING_GONE,    /* it waits for a replacement */
	PENDING_WRITING, /* it waits for its writer */
	PENDING_QUEUED,  /* to be looked up, now or after the look under way */
};

/* How thoroughly a queued name is looked up. The highest of several reasons counts. */
enum entry_scope {
	SCOPE_POLL,   /* first compared with its sources' stamps */
	SCOPE_RESCAN, /* an event may be missing: skipped if no program has read it */
	SCOPE_FULL,   /* it has changed, or a source or dependency */
};

struct checked;

struct entry {
	struct directory *parent; /* fixed */
	enum union_kind kind;     /* as shown; NONE also if it was never looked up */
	uint64_t cookie;          /* place in the listing; 0: not listed */
	uint64_t place;           /* its last cookie; 0: it was never listed */
	layer_mask layers;        /* that had it when it was listed (listing.h); 0: it was not */
	uint64_t ino;             /* shown last; the next object may take it; 0: none */
	uint64_t print; /* fingerprint of the forgotten owner of `ino`; 0: any object may take it */
	struct version *version;     /* FILE, LINK: shown now; NULL: not made yet, or forgotten */
	struct directory *directory; /* DIRECTORY: shown now; NULL: likewise */
	struct trouble *trouble;     /* NULL: none */
	/* of the object shown last; of a directory, when it is forgotten */
	struct timespec shown_mtime;
	struct timespec shown_ctime;
	enum entry_pending pending;
	enum entry_scope scope; /* QUEUED */
	bool is_touched;        /* pending because of an event of its own */
	bool takes_unfinished;  /* its writer was waited for long enough */
	bool is_pinned;         /* a command of on_change needs its changes (notice.h) */
	bool is_told;           /* … and has had one since the kernel forgot it */
	bool is_unannounced;    /* new since the listing, and not announced yet */
	bool is_absent;         /* NONE: a look has found nothing, or the object was removed */
	uint64_t pending_since; /* pending: in view->tickets */
	uint64_t used_since;    /* in use: the ticket of its look or change */
	bool has_slot;          /* stands in the queue, perhaps without a reason by now */
	uint64_t written;       /* the number of the last event of a write in place; 0: none */
	layer_mask writing;     /* layers where it was written, and is not closed yet */
	layer_mask created;     /* layers where it was made, and is not closed yet */
	size_t debounced_at;    /* GONE, WRITING: its place in view->debounced */
	int64_t due_ms;         /* GONE, WRITING: when to take it; CLOCK_MONOTONIC */
	int64_t restless_ms;    /* begin of its events without a pause; CLOCK_MONOTONIC; 0: none */
	struct dependency *dependencies; /* besides its sources (dependency.h) */
	struct checked *checked;         /* its check's verdicts (gate.h); NULL: none */
	struct look *look;               /* under way; others may wait for it; NULL: none */
	struct promise *promise;         /* its placeholder inode; NULL: none */
	unsigned users;                  /* looks at it, and changes of it */
	struct entry *next;              /* in the hash bucket */
	char name[];                     /* fixed */
};

/* Which names of a directory have entries. */
enum directory_names {
	NAMES_SOME,     /* those that were asked for */
	NAMES_LISTED,   /* and all that the layers have */
	NAMES_EXPANDED, /* and those that expanding shows (expand.h) */
};

/* The reasons for which a directory is listed. The highest of several counts. */
enum directory_scan {
	SCAN_NONE,
	SCAN_NAMES, /* for its names */
	SCAN_POLL,  /* and to queue names whose sources' stamps have changed */
	SCAN_ALL,   /* and to queue all names */
};

struct directory {
	struct inode inode;
	struct directory *parent;   /* fixed; NULL for the root; holds one of its `users` */
	char *path;                 /* fixed; relative to the root, "" for the root */
	layer_mask layers;          /* that show it */
	struct rights rights;       /* shown */
	struct rights found_rights; /* by the last look; additional rights are shown later */
	uint64_t opens_after;       /* then: all earlier tickets must be published first */
	struct timespec mtime;
	uint64_t described;  /* how often its attributes have changed since it was made */
	uint64_t told;       /* `described` when the kernel was last notified */
	uint64_t narrowed;   /* `described` when a right was last taken away; 0: never */
	uint64_t narrowings; /* how often the kernel was notified of that */
	uint64_t generation; /* raised when it, or one of its entries, is reused */
	enum directory_names names;
	enum directory_scan scan;     /* waited for */
	enum directory_scan scanning; /* being done */
	uint64_t scan_ticket;         /* when that began, in view->tickets */
	unsigned listers;             /* listings under way: removed names keep an entry */
	bool was_expanded;            /* all names were known once: any other name is new */
	bool has_absences;            /* some name in it was answered as absent */
	bool has_unseen;              /* a layer refused us a part of it (EACCES, EIO) */
	bool is_dead;                 /* removed; the kernel may still hold it */
	unsigned users;               /* directories in it, and threads at work on it */
	unsigned pins;                /* entries that must be remembered */

	struct layer_watches watches;
	struct link_watch **links; /* of names in it (link_watch.h), sorted */
	size_t link_count;
	size_t unwatched_links;   /* of them: their names are polled */
	layer_mask joined;        /* that came to show it since it was last listed */
	layer_mask left;          /* that show it no longer, or by another directory, since then */
	layer_mask polled;        /* those whose changes inotify can't, or may not, report */
	struct stamp *identities; /* dev and ino of each layer's directory, as many as watches */

	struct entry **buckets;
	size_t bucket_count; /* a power of two */
	size_t entry_count;
	struct entry **order; /* by cookie; NULL where an entry went away */
	uint64_t *cookies;    /* of `order`, also of those that went away */
	size_t order_count;
	size_t order_capacity;
	uint64_t next_cookie;
};

/* Returns whether a part of it must be polled. */
static inline bool directory_is_polled(const struct directory *directory)
{
	return directory->polled || directory->unwatched_links;
}

/* Cookies of "." and ".."; names come after. */
#define DIRECTORY_COOKIE_FIRST 3

/**
 * Makes a directory with no entries, in no table. `layer_count` is the mount's. `parent` may be
 * NULL, and gets no user. Returns 0 with *ret for directory_free(), or -ENOMEM.
 */
int directory_new(
	struct directory *parent, const char *name, size_t layer_count, struct directory **ret);

/** Frees it with its entries; the versions shown lose one reference each. */
void directory_free(struct directory *directory);

/** Returns the entry of the directory in its parent; NULL: the root, or none. */
struct entry *directory_own_entry(const struct directory *directory);

/** Returns the entry, or NULL. */
struct entry *directory_find(const struct directory *directory, const char *name);

/** Returns the entry; a missing one is made (kind NONE, not listed). NULL: no memory. */
struct entry *directory_entry(struct directory *directory, const char *name);

/** Removes and frees the entry if nothing needs it any more. */
void directory_tidy(struct directory *directory, struct entry *entry);

/**
 * Puts the entry into the listing, unless it is there: at its former place if that is free, so that
 * a reader of the listing in parts gets it once; else at the end. Returns 0 or -ENOMEM.
 */
int directory_list_entry(struct directory *directory, struct entry *entry);

/** Takes the entry out of the listing, if it is in it. */
void directory_unlist_entry(struct directory *directory, struct entry *entry);

/** Returns the index in `order` of the first entry behind `cookie`. */
size_t directory_seek(const struct directory *directory, uint64_t cookie);

/** Makes "PATH/NAME", relative to the root. Returns 0 with *ret for free(3), or -ENOMEM. */
int directory_join(const struct directory *directory, const char *name, char **ret);

/** Fills in the attributes, as of stat(2). */
void directory_stat(const struct directory *directory, struct stat *ret);
