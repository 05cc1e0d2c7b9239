/* The publisher's queue: names to look up, some after a time of quiet, and directories to list. */
#pragma once

#include "directory.h"

struct view;

/* Entries that wait for quiet, in no order. */
struct debounced {
	struct entry **items;
	size_t count;
	size_t capacity;
};

struct directory_list {
	struct directory **items;
	size_t count;
	size_t capacity;
};

/* The root, which has no entry that could be queued. */
enum queued_root {
	ROOT_RESTS,
	ROOT_LOOKED_AT, /* it is being looked up */
	ROOT_CHANGED,   /* it must be looked up again, also if a lookup is under way */
};

struct view_queue {
	struct entry *first; /* of the queued entries, which pending->next links */
	struct entry *last;
	struct debounced debounced;
	struct directory_list scans; /* to be listed */
	struct directory_list late;  /* scans that queue_put_off_scan() has put off */
	struct directory_list
		pending_grants; /* they get wider rights once all earlier changes are shown */
	uint64_t cause;         /* the revision of the item that the publisher handles; 0: none */
	enum queued_root root;
	bool is_overflowed; /* events were lost: everything must be looked up again */
	int64_t rescan_ms;  /* when to set is_overflowed; CLOCK_MONOTONIC; 0: never */
};

/**
 * Returns the revision for an item that is queued now. While the publisher handles an item, this is
 * the handled item's revision (view->queue.cause); at any other time, it is a new revision. When
 * nothing with an item's revision waits any more, the item and all that it has caused are shown.
 */
uint64_t queue_revision(struct view *view);

/** Returns the revision of the next entry; UINT64_MAX: none waits. */
uint64_t queue_since(const struct view *view);

/**
 * Returns entry->use->pending, and makes it if it is missing. The result lives until
 * directory_tidy(). NULL: no memory; queue_shortage() was called.
 */
struct pending *queue_pending(struct view *view, struct entry *entry);

/** Notes an event of the entry. Its next look (look.h) queues the names that depend on it. */
void queue_touch(struct view *view, struct entry *entry);

/** Queues an entry that has changed, or whose sources or dependencies have changed. */
void queue_entry(struct view *view, struct entry *entry);

/** Queues a directory whose own rights or whiteouts have changed. */
void queue_directory(struct view *view, struct directory *directory);

/** Queues an entry with `scope`, unless it waits for quiet. queue_entry() uses SCOPE_FULL. */
void queue_entry_scope(struct view *view, struct entry *entry, enum entry_scope scope);

/**
 * Takes the next entry out of the queue, and sets its state to PENDING_NONE. Release the entry's
 * directory with directory_leave(). NULL: the queue is empty.
 */
struct entry *queue_take(struct view *view);

/**
 * Queues the entry after `quiet_ms` without an event, but at most 1 s after the first event. If
 * `quiet_ms` is at least EVENTS_QUIET_MS (events.h), sets the state to PENDING_WRITING. In this
 * state, ignores calls whose `quiet_ms` is below EVENTS_QUIET_MS.
 */
void queue_debounce(struct view *view, struct entry *entry, int64_t quiet_ms);

/**
 * Returns whether the entry shows nothing, and its present run of events began at least 1 s ago.
 * In the first second, a new name is queued EVENTS_GONE_MS after its last event; later, at each
 * event.
 */
bool queue_is_overdue(const struct entry *entry);

/** Does queue_debounce(), but the limit of 1 s begins now. */
void queue_later(struct view *view, struct entry *entry, int64_t after_ms);

/** Ends the entry's wait without queueing it. The entry or its directory must be in use. */
void queue_rest(struct view *view, struct entry *entry);

/* After a shortage of memory or descriptors, milliseconds until the next attempt. */
#define SHORTAGE_MS 500

/** Schedules a lookup of everything after SHORTAGE_MS, as an event may be lost. */
void queue_shortage(struct view *view);

/** Queues entries that were quiet long enough. Returns the ms until the next is due; -1: none. */
int64_t queue_due(struct view *view, int64_t now_ms);

/** Queues the directory to be listed. */
void queue_scan(struct view *view, struct directory *directory, enum directory_scan scan);

/** Takes the next directory to be listed. Release it with directory_leave(). NULL: none. */
struct directory *queue_take_scan(struct view *view);

/**
 * Puts off a due scan until fewer than PATIENT_MAX (state.h) jobs wait for layers that do not
 * answer in time (LAYER_LATE in layer.h).
 */
void queue_put_off_scan(struct view *view, struct directory *directory);

/** Adds a directory, and keeps it in use. Returns false if there is no memory. */
bool directory_list_add(struct directory_list *list, struct directory *directory);

/** Releases the directories, and empties the list. */
void directory_list_leave(struct view *view, struct directory_list *list);

void queue_fini(struct view *view);
