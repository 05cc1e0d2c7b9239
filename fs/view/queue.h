/*
 * The publisher's queue: names that it must look up, at once or after a time of quiet, and
 * directories that it must list.
 */
#pragma once

#include "directory.h"

struct view;

/* Entries that wait for quiet, in no order. */
struct debounced {
	struct entry **items;
	size_t count;
	size_t capacity;
};

/* First in, first out. */
struct entry_queue {
	struct entry **items;
	size_t first;
	size_t count; /* index after the last item */
	size_t capacity;
};

struct directory_list {
	struct directory **items;
	size_t count;
	size_t capacity;
};

struct view_queue {
	struct entry_queue entries;
	struct debounced debounced;
	struct directory_list scans; /* to be listed */
	struct directory_list late;  /* those that queue_put_off_scan() has put off */
	struct directory_list
		openings;       /* to get wider rights, once all earlier changes are shown */
	uint64_t cause;         /* the revision of the item that the publisher handles; 0: none */
	bool is_root_changed;   /* the root itself must be looked up again */
	bool is_root_looked_at; /* the root is being looked up */
	bool is_overflowed;     /* events were lost: everything must be looked up again */
	int64_t rescan_ms;      /* when to set is_overflowed; CLOCK_MONOTONIC; 0: never */
};

/**
 * Returns the revision for an item that is queued now. If the publisher is handling an item, the
 * new item results from that one, and gets the same revision (view->queue.cause). Otherwise it gets
 * a new revision. So if nothing with an item's revision waits, the item and all that it has caused
 * are shown.
 */
uint64_t queue_revision(struct view *view);

/** Returns the revision of the next entry; UINT64_MAX: none waits. */
uint64_t queue_since(const struct view *view);

/**
 * Returns entry->use->pending, which is made if it is missing. It lives until directory_tidy().
 * NULL: no memory; then everything is looked up again after SHORTAGE_MS.
 */
struct pending *queue_pending(struct view *view, struct entry *entry);

/**
 * Notes an event of the entry itself. After the entry's next look (look.h), the names that depend
 * on it are queued.
 */
void queue_touch(struct view *view, struct entry *entry);

/** Queues an entry that has changed, or whose sources or dependencies have changed. */
void queue_entry(struct view *view, struct entry *entry);

/** Queues a directory whose own rights or whiteouts have changed. */
void queue_directory(struct view *view, struct directory *directory);

/** Queues an entry with `scope`, unless it waits for quiet. queue_entry() uses SCOPE_FULL. */
void queue_entry_scope(struct view *view, struct entry *entry, enum entry_scope scope);

/**
 * Takes the next entry out of the queue, and sets its state to PENDING_NONE. The caller must
 * release the entry's directory with directory_leave(). Returns NULL if the queue is empty.
 */
struct entry *queue_take(struct view *view);

/**
 * Queues the entry when it has had no event for `quiet_ms`, or 1 s after the first event if that is
 * earlier. If `quiet_ms` is at least EVENTS_QUIET_MS (events.h), the state becomes PENDING_WRITING.
 * In that state, calls with a smaller `quiet_ms` are ignored.
 */
void queue_debounce(struct view *view, struct entry *entry, int64_t quiet_ms);

/** As queue_debounce(), but the 1 s begins now and not at the first event. */
void queue_later(struct view *view, struct entry *entry, int64_t after_ms);

/**
 * Ends the entry's wait for quiet, without queueing the entry. The caller must have the entry or
 * its directory in use.
 */
void queue_rest(struct view *view, struct entry *entry);

/* After a shortage of memory or descriptors, milliseconds until the next attempt. */
#define SHORTAGE_MS 500

/** Schedules a lookup of everything after SHORTAGE_MS, as a shortage may have lost an event. */
void queue_shortage(struct view *view);

/** Queues entries that were quiet long enough. Returns the ms until the next is due; -1: none. */
int64_t queue_due(struct view *view, int64_t now_ms);

/** Queues the directory to be listed. */
void queue_scan(struct view *view, struct directory *directory, enum directory_scan scan);

/** Takes the next directory to be listed. Release it with directory_leave(). NULL: none. */
struct directory *queue_take_scan(struct view *view);

/** Puts off a due scan until fewer than PATIENT_MAX (state.h) jobs wait for late layers. */
void queue_put_off_scan(struct view *view, struct directory *directory);

/** Adds a directory, which the list then has in use. False: no memory. */
bool directory_list_add(struct directory_list *list, struct directory *directory);

/** Releases the directories, and empties the list. */
void directory_list_leave(struct view *view, struct directory_list *list);

/** Releases the entries and directories in the queues. */
void queue_fini(struct view *view);
