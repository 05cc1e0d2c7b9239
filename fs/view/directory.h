/*
 * A directory of the view, and its entries: what the kernel knows, or may know, of each name.
 *
 * A directory exists while the kernel knows it, while it is in use (counted in `users`), or while a
 * name in it has a fault or a change hook (counted in `keep_alive_count`). Its path never changes:
 * a directory that is renamed in a layer is another directory.
 *
 * The states of a name after a change (EVENTS_…: events.h):
 *
 *              a finished change, a dependency, a rescan
 *      NONE ────────────────────────────────────────────▶ QUEUED ──▶ it is looked at, and
 *       │ ▲                                                ▲  │       published if it differs
 *       │ └─────────────── taken from the queue ───────────│──┘
 *       ├── it has gone, or is new ──▶ GONE ───────────────┤ after EVENTS_GONE_MS
 *       └── a program writes it ─────▶ WRITING ────────────┘ closed, or after EVENTS_QUIET_MS
 *
 * A field marked "fixed" never changes. Any other may change while a coroutine waits (coroutine.h).
 */
#pragma once

#include <assert.h>
#include <stdbool.h>
#include <time.h>

#include "fault.h"
#include "inode.h"
#include "rights.h"
#include "union.h"
#include "version.h"
#include "watch.h"

enum pending_state {
	PENDING_NONE,    /* no change is known */
	PENDING_GONE,    /* the name has gone, or is new; another event may follow at once */
	PENDING_WRITING, /* a program writes the file; the name waits until it is done */
	PENDING_QUEUED,  /* the name must be looked up, now or after the look (look.h) under way */
};

/* How thoroughly a queued name is looked up. Of several scopes, the highest counts. */
enum entry_scope {
	SCOPE_POLL,   /* if the sources' stamps (version.h) are unchanged, nothing is composed */
	SCOPE_RESCAN, /* an event may have been lost; files that no program has read are skipped */
	SCOPE_FULL,   /* the name, a source or a dependency has changed */
};

/*
 * The state of a name for the programs that use the mount:
 *
 *      a look finds nothing, or the object is removed ──────────────▶ ABSENT
 *      it is listed or looked up ───────────────────────────────────▶ SHOWN
 *      it is listed, and the kernel may cache its absence ──────────▶ UNANNOUNCED
 *      it is looked up, but programs may know another object there ─▶ UNANNOUNCED
 *      it was listed or shown, and a lookup answers that it is gone ─▶ MISSED
 *      the publisher publishes it ──────────────────────────────────▶ SHOWN
 *
 * If the view has answered a program that a name is absent, the publisher publishes whatever the
 * name shows next.
 */
enum entry_known {
	KNOWN_NOTHING,     /* kind NONE: no program has asked for it */
	KNOWN_ABSENT,      /* kind NONE: the kernel may cache that it is absent */
	KNOWN_SHOWN,       /* any other kind: programs know no object but the shown one */
	KNOWN_UNANNOUNCED, /* any other kind: the object that is shown is not published yet */
	/* As UNANNOUNCED, but a lookup has answered that the name is gone. A lookup shows a
	 * directory of this state only after it is published. */
	KNOWN_MISSED,
	KNOWN_TOUCHED, /* as SHOWN; but a strict lookup has shown a time that is not announced */
} __attribute__((packed));

/* A kind of news about a name. OBJECT implies TIME, and TIME implies FOUND. */
enum entry_news {
	NEWS_FOUND,  /* a strict lookup has found that the layers have what is shown */
	NEWS_TIME,   /* another time is shown, or, once more, the object that the kernel forgot */
	NEWS_OBJECT, /* the name shows another object, or none */
	NEWS_COUNT
};

/* Whether a change hook is run for the changes of a name (change_hook.h). */
enum entry_hook {
	HOOK_NONE,
	HOOK_PINNED, /* the name has a change hook, so the name's directory must stay */
	HOOK_NOTED, /* as PINNED; a change was noted for the hook, and no version was shown since */
};

/* How the publisher's next look (look.h) at a name goes. */
struct look_plan {
	enum entry_scope scope; /* of a QUEUED name */
	bool is_event;          /* the name had an event of its own */
	bool takes_unfinished;  /* the look does not wait for a writer */
	bool is_patient;        /* a layer was late (LAYER_LATE): the look waits longer */
	uint64_t since; /* queue_revision() when the name's state ceased to be PENDING_NONE */
};

/* The events of a name that no look has handled yet. */
struct pending {
	enum pending_state state;
	struct look_plan plan;
	/* The next entry in view->queue; in the last one: the entry itself; NULL: the entry is not
	 * in the queue. `state` may have changed since the entry was queued. */
	struct entry *next;
	layer_mask writing;  /* layers where a program has written the file and not closed it */
	layer_mask created;  /* layers where a program has made the file and not closed it */
	size_t debounced_at; /* GONE, WRITING: its place in view->queue.debounced */
	int64_t due_ms;      /* GONE, WRITING: when to queue it; CLOCK_MONOTONIC */
	int64_t event_ms;    /* GONE, WRITING: when its last event came; CLOCK_MONOTONIC */
	int64_t restless_ms; /* when its present run of events began; CLOCK_MONOTONIC; 0: none */
};

struct checked;

/* The part of an entry that is made when the name is first looked up or queued. */
struct entry_use {
	/*
	 * The object shown last (inode.h). Once the kernel has forgotten it, last.fingerprint is
	 * its fingerprint; otherwise last.fingerprint is 0. The next object gets a forgotten
	 * object's number if their fingerprints are equal, or if both are directories. The
	 * last.mtime of a directory is set when the kernel forgets it.
	 */
	struct last_inode last;
	uint64_t ino;                /* its inode number; 0: the one computed from its path */
	struct version *version;     /* FILE, LINK: shown now; NULL: not made yet, or forgotten */
	struct directory *directory; /* DIRECTORY: shown now; NULL: not made yet, or forgotten */
	struct fault *fault;         /* its fault; NULL: none */
	struct pending *pending;     /* events that no look has handled yet; NULL: none */
	/* If `users` > 0: the revision at which the use began; or, if it is older, look_plan.since
	 * of a look that began during the use. */
	uint64_t used_since;
	/* If `users` > 0: view->revision when such news last came. 0: none came during the use. */
	uint64_t news[NEWS_COUNT];
	uint64_t written;                /* revision of the last write in place; 0: none */
	struct dependency *dependencies; /* besides its sources (dependency.h) */
	struct checked *checked;         /* its check's verdicts (gate.h); NULL: none */
	struct look *look;               /* its look under way, for lookups to share; NULL: none */
	struct look *looks;              /* all its looks under way; NULL: none */
	struct placeholder *placeholder; /* its placeholder inode; NULL: none */
	unsigned users; /* number of looks, changes, checks, placeholders, notes (other_names.h) */
	enum entry_hook hook;
};

/* The `use` of all entries that have none of their own: all zero. */
extern const struct entry_use entry_unused;

/* There may be millions of entries: members that few of them need are in struct entry_use. */
struct entry {
	struct directory *parent;    /* fixed */
	struct entry *next;          /* in the hash bucket */
	const struct entry_use *use; /* &entry_unused, or its own: see entry_use() */
	uint64_t place;              /* its last cookie in the listing; 0: it was never listed */
	layer_mask layers;           /* those that had the name when they were listed; 0: unknown */
	enum union_kind kind;        /* as shown; NONE also if it was never looked up or listed */
	enum entry_known known;
	bool is_listed;
	char name[]; /* fixed */
};

/**
 * Returns the entry's own `use`. If the entry has none, makes one that is all zero. NULL: no
 * memory. If the `use` is all zero again, directory_tidy() frees it.
 */
struct entry_use *entry_use(struct entry *entry);

/** Returns the entry's own `use`, which it must have. */
static inline struct entry_use *entry_used(struct entry *entry)
{
	assert(entry->use != &entry_unused);
	return (struct entry_use *)(uintptr_t)entry->use;
}

static inline enum pending_state entry_pending(const struct entry *entry)
{
	return entry->use->pending ? entry->use->pending->state : PENDING_NONE;
}

/** Returns whether the object that the entry shows, or is to show, is not published yet. */
static inline bool entry_is_unannounced(const struct entry *entry)
{
	return entry->known == KNOWN_UNANNOUNCED || entry->known == KNOWN_MISSED;
}

/** Returns whether the entry shows an object that is made. */
static inline bool entry_is_shown(const struct entry *entry)
{
	return entry->use->version || entry->use->directory;
}

/** Returns whether there were such news since the revision `began`. The entry must be in use. */
static inline bool entry_has_news(const struct entry *entry, enum entry_news news, uint64_t began)
{
	return entry->use->news[news] > began;
}

/** Returns whether the entry waits for quiet. */
static inline bool entry_is_debounced(const struct entry *entry)
{
	return entry_pending(entry) == PENDING_GONE || entry_pending(entry) == PENDING_WRITING;
}

/* Which names of a directory have entries. */
enum directory_names {
	NAMES_SOME,     /* those that were asked for */
	NAMES_LISTED,   /* as SOME, and all that the layers have */
	NAMES_EXPANDED, /* as LISTED, and those that expanding shows (expand.h) */
};

/* Why a directory is listed. The highest of several reasons counts. */
enum directory_scan {
	SCAN_NONE,
	SCAN_NAMES, /* to learn its names */
	SCAN_POLL,  /* to learn its names, and to queue them all with SCOPE_POLL */
	SCAN_ALL,   /* to learn its names, and to queue them all with SCOPE_RESCAN */
};

/* A directory's attributes (attributes.h). */
struct directory_attributes {
	struct rights rights;  /* shown */
	struct rights found;   /* in the layers; if wider than `rights`, they will be shown later */
	uint64_t grants_after; /* revision of wider rights not shown yet (attributes.h); 0: none */
	struct timespec mtime;
	uint64_t described;   /* how often the attributes have changed */
	uint64_t notified;    /* `described` when the kernel was last notified */
	uint64_t revoked;     /* `described` when a right was last taken away; 0: never */
	uint64_t revocations; /* how often a right was taken away */
};

/* How a directory is scanned. */
enum scan_pace {
	SCAN_HURRIED, /* by the publisher, which does not wait long for a layer */
	SCAN_LATE,    /* by a job of the pool: a layer was late (LAYER_LATE) */
	SCAN_IN_POOL, /* such a job is under way */
};

/* Why and when a directory is scanned (queue.h). */
struct directory_scans {
	enum directory_scan due;
	enum directory_scan running;
	enum scan_pace pace;
	uint64_t since; /* its queue_revision() when `due` was set */
};

/* A directory's links (link_watch.h). */
struct directory_links {
	struct link_watch **items; /* of names in it, sorted */
	size_t count;
	size_t unwatched; /* number of links whose watches fail or may miss changes */
};

/* A directory's entries, by name. */
struct directory_entries {
	struct entry **buckets;
	size_t bucket_count; /* a power of two */
	size_t count;
};

/* The order in which a directory is listed. */
struct directory_order {
	uintptr_t *slots; /* by cookie: an entry; a gap has the cookie of the removed entry */
	size_t count;
	size_t capacity;
	uint64_t next; /* the next cookie */
};

struct directory {
	struct inode inode;       /* must be first */
	struct directory *parent; /* fixed; this directory is one of its users; NULL: the root */
	char *path;               /* fixed; relative to the root, "" for the root */
	layer_mask layers;        /* that show it */
	struct directory_attributes attributes;
	/*
	 * The value of view->revision at the later of these two: the last attach_update()
	 * (attach.h) of the directory; the beginning of the last look at a queued name in it.
	 */
	uint64_t changed;
	enum directory_names names;
	struct directory_scans scans;
	unsigned listers; /* number of listings under way; while there are any, no entry is freed */
	/* `names` was NAMES_EXPANDED once: if a listing finds a name that shows nothing yet, it is
	 * new to programs. */
	bool was_expanded;
	bool has_absences; /* the kernel may cache some name in it as absent */
	bool has_unseen;   /* a layer refused us a part of it (EACCES) */
	bool has_failed;   /* a file system has failed at a part of it (layer_has_failed()) */
	unsigned users;    /* directories in it, and all else that has it in use */
	/* names in it with a fault or change hook: the directory must stay */
	unsigned keep_alive_count;

	struct layer_watches watches;
	struct directory_links links;
	layer_mask joined; /* layers that have begun to show it since it was last listed */
	/* layers whose directory was removed or replaced since it was last listed */
	layer_mask left;
	layer_mask polled;        /* layers for which inotify fails or may miss changes */
	struct stamp *identities; /* the stamp of each layer's directory; watches.count of them */

	struct directory_entries entries;
	struct directory_order order;
};

/* Returns whether a part of the directory must be polled. */
static inline bool directory_is_polled(const struct directory *directory)
{
	return directory->polled || directory->links.unwatched || directory->has_failed;
}

/* The first cookie of a name; those of "." and ".." are smaller. */
#define DIRECTORY_COOKIE_FIRST 3

/* A cookie is an offset of READDIR, so it has 63 bits. */
#define DIRECTORY_COOKIE_MAX ((uint64_t)INT64_MAX)

/**
 * Makes a directory without entries, which is in no inode table. The caller counts it in
 * parent->users (`parent` NULL: the root). `layer_count` is the number of layers in the settings.
 * Returns 0 with *ret for directory_free(), or -ENOMEM.
 */
int directory_new(
	struct directory *parent, const char *name, size_t layer_count, struct directory **ret);

/** Frees the directory with its entries. Each version that it shows loses one reference. */
void directory_free(struct directory *directory);

/** Returns the entry of the directory in its parent. NULL: the root, or there is none. */
struct entry *directory_own_entry(const struct directory *directory);

/** Returns the entry after `entry` (NULL: the first), or NULL. Add no entry during the walk. */
struct entry *directory_next(const struct directory *directory, const struct entry *entry);

/** Returns the entry, or NULL. */
struct entry *directory_find(const struct directory *directory, const char *name);

/** Returns the entry; a missing one is made (kind NONE, not listed). NULL: no memory. */
struct entry *directory_entry(struct directory *directory, const char *name);

/** Frees entry->use->pending if it has no event, and frees the entry if nothing needs it. */
void directory_tidy(struct directory *directory, struct entry *entry);

/**
 * Puts the entry into the listing: at its former place if there is a gap, else at the end. Does
 * nothing if the entry is in the listing already. Returns 0 or -ENOMEM.
 */
int directory_list_entry(struct directory *directory, struct entry *entry);

/** Takes the entry out of the listing, if the listing has it. */
void directory_unlist_entry(struct directory *directory, struct entry *entry);

/** Returns the entry at an index of `order`; NULL: there is a gap. */
static inline struct entry *directory_listed(const struct directory *directory, size_t i)
{
	return directory->order.slots[i] & 1 ? NULL : (struct entry *)directory->order.slots[i];
}

/**
 * Makes `order` out of `count` entries. The caller has sorted them by their places. Returns 0 or
 * -ENOMEM.
 */
int directory_order(struct directory *directory, struct entry *const *entries, size_t count);

/** Returns the index in `order` of the first entry with a greater cookie. */
size_t directory_seek(const struct directory *directory, uint64_t cookie);

/**
 * Returns whether, in every layer that shows the directory, a link makes the directory the same as
 * one of those above it. Two such links in one directory would make an endless tree, twice as wide
 * with each level.
 */
bool directory_is_in_itself(const struct directory *directory);

/**
 * Returns whether the name `found` in `directory` is a directory, and in each layer a link
 * (traverse.h) leads from this name to `directory` itself or to a directory above it.
 */
bool directory_would_hold_itself(
	const struct directory *directory, const struct union_lookup *found);

/** Makes "PATH/NAME", relative to the root. Returns 0 with *ret for free(3), or -ENOMEM. */
int directory_join(const struct directory *directory, const char *name, char **ret);

/**
 * Restricts `version`, which is not shown yet, to users who may search the directory and all
 * directories above it. Call it for a version that outlives its sources.
 */
void directory_restrict(
	const struct directory *directory, struct version *version, const struct mounter *mounter);

/** Fills in the directory's attributes, as stat(2) does. */
void directory_stat(const struct directory *directory, struct stat *ret);
