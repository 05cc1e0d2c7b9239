/*
 * The publisher's queue: names that are to be looked up, at once or after a time of quiet, and
 * directories that are to be listed.
 */
#pragma once

#include "directory.h"

struct view;

/* Entries that wait for a time; in no order. */
struct debounced {
	struct entry **items;
	size_t count;
	size_t capacity;
};

/* First in, first out. */
struct entry_queue {
	struct entry **items;
	size_t first;
	size_t count; /* the end */
	size_t capacity;
};

struct directory_list {
	struct directory **items;
	size_t count;
	size_t capacity;
};

/**
 * Returns a ticket, a waiting entry's sequence number: that of its cause, else a new one. A cause
 * is dealt with when no entry waits with its ticket.
 */
uint64_t queue_ticket_locked(struct view *view);

/** Returns the ticket of the next entry; UINT64_MAX: none waits. */
uint64_t queue_since_locked(const struct view *view);

/** Queues an entry that has changed, or whose sources or dependencies have. */
void queue_entry_locked(struct view *view, struct entry *entry);

/** Queues a directory whose own rights or whiteouts have changed. */
void queue_directory_locked(struct view *view, struct directory *directory);

/** Like queue_entry_locked(), with a weaker reason. */
void queue_entry_scope_locked(struct view *view, struct entry *entry, enum entry_scope scope);

/** Takes the next entry, then no longer pending; its directory stays in use. NULL: none. */
struct entry *queue_take_locked(struct view *view);

/**
 * Queues the entry after `quiet_ms` without an event. EVENTS_QUIET_MS or more: waits for a writer,
 * which may take longer than the replacement of a removed name.
 */
void queue_debounce_locked(struct view *view, struct entry *entry, int64_t quiet_ms);

/** Ends the entry's wait for quiet. The entry, or its directory, must be in use. */
void queue_rest_locked(struct view *view, struct entry *entry);

/* After a shortage of memory or descriptors, milliseconds until the next attempt. */
#define SHORTAGE_MS 500

/** Has everything looked up again later: an event may be lost for lack of memory. */
void queue_shortage_locked(struct view *view);

/** Queues entries that were quiet long enough. Returns the milliseconds to the next; -1: none. */
int64_t queue_due_locked(struct view *view, int64_t now_ms);

/** Queues the directory to be listed. */
void queue_scan_locked(struct view *view, struct directory *directory, enum directory_scan scan);

/** The next directory to be listed, in use for it, with `scanning` set; NULL: none. */
struct directory *queue_take_scan_locked(struct view *view);

/** Adds to a list, in use for it. False: no memory. */
bool directory_list_add(struct directory_list *list, struct directory *directory);

/** Releases the entries and directories in the queues. */
void queue_fini_locked(struct view *view);
