/*
 * A directory of the view, and its entries: what the kernel has been told, or may have been told,
 * about each name. The layers may have moved on meanwhile; the publisher brings the two together.
 *
 * A directory exists from the kernel's first lookup to its last forget, or as long as something in
 * it must be remembered: an entry whose last good version stands in for a broken source. Its path
 * never changes: a directory that is renamed in a layer is another directory.
 *
 * What becomes of a name after something has changed there:
 *
 *              a whole change, a dependency, a rescan
 *      IDLE ────────────────────────────────────────────▶ QUEUED ──▶ it is looked at, and
 *       │ ▲                                                ▲  │       published if it differs
 *       │ └─────────────── taken from the queue ───────────│──┘
 *       ├── it has gone, or is new ──▶ GONE ───────────────┤ after EVENTS_GONE_MS
 *       └── somebody writes ─────────▶ WRITING ────────────┘ closed, or after EVENTS_QUIET_MS
 *
 * Everything here is guarded by the view's lock, except the fields said to be fixed.
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
	PENDING_NONE,    /* nothing is known to have changed */
	PENDING_GONE,    /* what comes in its place is waited for */
	PENDING_WRITING, /* its writer is waited for */
	PENDING_QUEUED,  /* to be looked at, now or when the look under way has ended */
};

/* How closely a queued name is looked at. Of several reasons the highest counts. */
enum entry_scope {
	SCOPE_POLL,   /* first compared with its sources' stamps */
	SCOPE_RESCAN, /* something may have been missed: not if nobody has read it yet */
	SCOPE_FULL,   /* it has changed, or what it is made of */
};

struct checked;

struct entry {
	struct directory *parent; /* fixed */
	enum union_kind kind;     /* as shown: NONE also where a name was never looked up */
	uint64_t cookie;          /* place in the listing; 0: not listed */
	uint64_t place;           /* the cookie it had when it was listed last; 0: never */
	layer_mask layers;        /* that had it when it was listed (listing.h); 0: it was not */
	uint64_t ino;             /* that was shown for it, and the next object may take; 0: none */
	uint64_t print; /* of what had `ino`, and was forgotten; 0: any object may take it */
	struct version *version;     /* FILE, LINK: shown now; NULL: not made yet, or forgotten */
	struct directory *directory; /* DIRECTORY: shown now; NULL: likewise */
	struct trouble *trouble;     /* NULL: none */
	/* of what was shown last; of a directory, when it is forgotten */
	struct timespec shown_mtime;
	struct timespec shown_ctime;
	enum entry_pending pending;
	enum entry_scope scope; /* QUEUED */
	bool is_touched;        /* pending because of an event of its own, not for another's sake */
	bool takes_unfinished;  /* its writer was waited for long enough */
	bool is_pinned;         /* somebody is to be told of its changes (notice.h) */
	bool is_told;           /* … and was of one since the kernel has forgotten it */
	bool is_unannounced;    /* came after the listing, and nobody was told yet */
	bool is_absent;         /* NONE: a look has found nothing, or what was shown went */
	uint64_t pending_since; /* pending: in view->tickets */
	uint64_t used_since;    /* in use: of what is looked at, or published */
	bool has_slot;          /* stands in the queue, perhaps no more for a reason */
	uint64_t written;       /* the number of the last event of a write in place; 0: none */
	layer_mask writing;     /* where it was written, and no writer has closed it yet */
	layer_mask created;     /* where the name was made and no writer has closed it yet */
	size_t debounced_at;    /* GONE, WRITING: its place in view->debounced */
	int64_t due_ms;         /* GONE, WRITING: when to take it; CLOCK_MONOTONIC */
	int64_t restless_ms;    /* since when it has not come to rest; CLOCK_MONOTONIC; 0: it has */
	struct dependency *dependencies; /* what else it is made of (dependency.h) */
	struct checked *checked;         /* what its check said (gate.h); NULL: nothing */
	struct look *look;               /* under way, that others may wait for; NULL: none */
	struct promise *promise;         /* what the kernel has for it meanwhile; NULL: nothing */
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

/* What listing a directory is for. Of several reasons the highest counts. */
enum directory_scan {
	SCAN_NONE,
	SCAN_NAMES, /* its names are to be known */
	SCAN_POLL,  /* and those whose sources' stamps have changed looked at */
	SCAN_ALL,   /* and all of them looked at */
};

struct directory {
	struct inode inode;
	struct directory *parent;   /* fixed; NULL for the root; holds one of its `users` */
	char *path;                 /* fixed; relative to the root, "" for the root */
	layer_mask layers;          /* that show it */
	struct rights rights;       /* shown */
	struct rights found_rights; /* by the last look; what they give more is shown later */
	uint64_t opens_after;       /* then: the ticket that all before must have been published */
	struct timespec mtime;
	uint64_t described;  /* how often its attributes have changed since it was made */
	uint64_t told;       /* `described` when the kernel was last told to ask for them again */
	uint64_t narrowed;   /* `described` when they shut somebody out last; 0: never */
	uint64_t narrowings; /* how often the kernel was told of such */
	uint64_t generation; /* raised when it, or one of its entries, is taken up again */
	enum directory_names names;
	enum directory_scan scan;     /* waited for */
	enum directory_scan scanning; /* being done */
	uint64_t scan_ticket;         /* when that began, in view->tickets */
	unsigned listers;  /* at work on a listing: names that go meanwhile keep an entry */
	bool was_expanded; /* all names were known once: what others there are is news */
	bool has_absences; /* some name in it was answered as absent */
	bool has_unseen;   /* a layer let us not look at all that is in it */
	bool is_dead;      /* removed; the kernel may still hold it */
	unsigned users;    /* directories in it, and threads at work on it */
	unsigned pins;     /* entries that must be remembered */

	struct layer_watches watches;
	struct link_watch **links; /* of names in it (link_watch.h), sorted */
	size_t link_count;
	size_t unwatched_links;   /* of them: their names are polled */
	layer_mask joined;        /* that came to show it since it was last listed */
	layer_mask left;          /* that do no more, or by another directory, since then */
	layer_mask polled;        /* those whose changes inotify can't, or may not, tell */
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

/* Whether something in it has to be looked at again and again. */
static inline bool directory_is_polled(const struct directory *directory)
{
	return directory->polled || directory->unwatched_links;
}

/* Cookies of "." and ".."; names come after. */
#define DIRECTORY_COOKIE_FIRST 3

/**
 * A directory with no entries, not in any table. `layer_count` is the mount's. Returns 0 with *ret
 * for directory_free(), or -ENOMEM. `parent` may be NULL, and is not counted here.
 */
int directory_new(
	struct directory *parent, const char *name, size_t layer_count, struct directory **ret);

/** Frees it with its entries; the versions shown lose one reference each. */
void directory_free(struct directory *directory);

/** The entry that shows the directory in the one above, or did; NULL: the root, or none. */
struct entry *directory_own_entry(const struct directory *directory);

/** The entry, or NULL. */
struct entry *directory_find(const struct directory *directory, const char *name);

/** The entry, made when it is missing (kind NONE, not listed). NULL: no memory. */
struct entry *directory_entry(struct directory *directory, const char *name);

/** Takes the entry out and frees it when nothing needs it any more. */
void directory_tidy(struct directory *directory, struct entry *entry);

/**
 * Puts the entry into the listing, if it is not in it: at the place that it had, as long as there
 * is a gap there, so that who reads the listing in parts meets it once; else at the end. 0 or
 * -ENOMEM.
 */
int directory_list_entry(struct directory *directory, struct entry *entry);

/** Takes the entry out of the listing, if it is in it. */
void directory_unlist_entry(struct directory *directory, struct entry *entry);

/** The index in `order` of the first entry behind `cookie`. */
size_t directory_seek(const struct directory *directory, uint64_t cookie);

/** "PATH/NAME", relative to the root. Returns 0 with *ret for free(3), or -ENOMEM. */
int directory_join(const struct directory *directory, const char *name, char **ret);

/** What stat(2) shows. */
void directory_stat(const struct directory *directory, struct stat *ret);
