/*
 * What waits for the publisher: names that are to be looked at, at once or when they have come to
 * rest, and directories that are to be listed.
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
 * When something began to wait: that of its cause, if something that waited leads to it, else a new
 * one. What waits has the ticket of all that must be published before it counts as done.
 */
uint64_t queue_ticket_locked(struct view *view);

/** The ticket of who is next; UINT64_MAX: nobody waits to be looked at. */
uint64_t queue_since_locked(const struct view *view);

/** Has the entry looked at: because it has changed, or what it is made of. */
void queue_entry_locked(struct view *view, struct entry *entry);

/** The directory itself has changed: its rights, or what it hides. */
void queue_directory_locked(struct view *view, struct directory *directory);

/** queue_entry_locked() with less of a reason. */
void queue_entry_scope_locked(struct view *view, struct entry *entry, enum entry_scope scope);

/** The next entry, which is pending no more, its directory still in use for it; NULL: none. */
struct entry *queue_take_locked(struct view *view);

/**
 * Has the entry looked at when nothing happened to it for `quiet_ms`. A writer (EVENTS_QUIET_MS or
 * more) is waited for longer than what comes in the place of a name that went.
 */
void queue_debounce_locked(struct view *view, struct entry *entry, int64_t quiet_ms);

/** The entry has come to rest: it waits no more. It must be in use, or its directory. */
void queue_rest_locked(struct view *view, struct entry *entry);

/* Where memory or descriptors are short, what is shown stays for so long. */
#define SHORTAGE_MS 500

/** Memory was short, and something may be lost by that: all is looked at again, in a while. */
void queue_shortage_locked(struct view *view);

/** Queues what has been quiet for long enough. Milliseconds until more is; -1: nothing waits. */
int64_t queue_due_locked(struct view *view, int64_t now_ms);

/** Has the directory listed. */
void queue_scan_locked(struct view *view, struct directory *directory, enum directory_scan scan);

/** The next directory to be listed, in use for it, with `scanning` set; NULL: none. */
struct directory *queue_take_scan_locked(struct view *view);

/** Adds to a list, in use for it. False: no memory. */
bool directory_list_add(struct directory_list *list, struct directory *directory);

/** Gives back what the queues hold. */
void queue_fini_locked(struct view *view);
