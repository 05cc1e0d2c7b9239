#include "queue.h"

#include <stdlib.h>

#include "array.h"
#include "cleanup.h"
#include "clock.h"
#include "entry.h"
#include "events.h"
#include "read_ahead.h"
#include "state.h"

/* Milliseconds to wait for a writer that never pauses, such as a log in a layer. */
#define RESTLESS_MAX_MS 1000

uint64_t queue_revision(struct view *view)
{
	return view->queue.cause ? view->queue.cause : ++view->revision;
}

uint64_t queue_since(const struct view *view)
{
	return view->queue.first ? view->queue.first->use->pending->plan.since : UINT64_MAX;
}

struct pending *queue_pending(struct view *view, struct entry *entry)
{
	struct entry_use *use = entry_use(entry);

	if (use && !use->pending)
		use->pending = calloc(1, sizeof(*use->pending));
	if (!use || !use->pending)
		queue_shortage(view);
	return use ? use->pending : NULL;
}

void queue_touch(struct view *view, struct entry *entry)
{
	struct pending *pending = queue_pending(view, entry);

	if (pending)
		pending->plan.is_event = true;
}

void queue_entry(struct view *view, struct entry *entry)
{
	queue_entry_scope(view, entry, SCOPE_FULL);
}

void queue_directory(struct view *view, struct directory *directory)
{
	struct entry *entry = directory_own_entry(directory);

	if (entry)
		queue_entry(view, entry);
	else if (!directory->parent)
		view->queue.root = ROOT_CHANGED;
}

void queue_entry_scope(struct view *view, struct entry *entry, enum entry_scope scope)
{
	struct pending *pending = queue_pending(view, entry);

	if (!pending || entry_is_debounced(entry))
		return;
	if (pending->state == PENDING_NONE) {
		pending->plan.since = queue_revision(view);
		pending->plan.scope = scope;
	}
	if (scope > pending->plan.scope)
		pending->plan.scope = scope;
	if (!pending->next) {
		pending->next = entry;
		*(view->queue.first ? &view->queue.last->use->pending->next : &view->queue.first) =
			entry;
		view->queue.last = entry;
		entry->parent->users++;
	}
	pending->state = PENDING_QUEUED;
	view_wake(view);
}

struct entry *queue_take(struct view *view)
{
	struct entry *entry;

	while ((entry = view->queue.first)) {
		struct directory *parent = entry->parent;
		struct pending *pending = entry->use->pending;
		view->queue.first = pending->next == entry ? NULL : pending->next;
		read_ahead_drop(view, entry);
		pending->next = NULL;
		/* It is debounced now; or a look is under way, whose end queues it again. */
		if (pending->state == PENDING_QUEUED && !entry->use->look) {
			pending->state = PENDING_NONE;
			return entry;
		}
		directory_tidy(parent, entry);
		directory_leave(view, parent);
	}
	return NULL;
}

void queue_rest(struct view *view, struct entry *entry)
{
	if (!entry_is_debounced(entry))
		return;
	struct entry *last = view->queue.debounced.items[--view->queue.debounced.count];
	view->queue.debounced.items[entry->use->pending->debounced_at] = last;
	last->use->pending->debounced_at = entry->use->pending->debounced_at;
	entry->use->pending->state = PENDING_NONE;
	entry->parent->users--; /* the caller uses it, so it is not the last */
}

static bool add_debounced(struct view *view, struct entry *entry)
{
	struct debounced *debounced = &view->queue.debounced;

	entry->use->pending->debounced_at = debounced->count;
	if (array_push(debounced->items, debounced->count, debounced->capacity, entry) < 0)
		return false;
	entry->parent->users++;
	return true;
}

void queue_debounce(struct view *view, struct entry *entry, int64_t quiet_ms)
{
	struct pending *pending = queue_pending(view, entry);
	int64_t now = clock_ms();

	if (!pending)
		return;
	bool is_new = !entry_is_debounced(entry);
	if (is_new) {
		if (!add_debounced(view, entry)) {
			queue_entry(view, entry);
			return;
		}
		if (pending->state == PENDING_NONE)
			pending->plan.since = queue_revision(view);
		pending->state = PENDING_GONE;
		if (!pending->restless_ms)
			pending->restless_ms = now;
	}
	if (pending->state == PENDING_WRITING && quiet_ms < EVENTS_QUIET_MS)
		return;
	pending->state = quiet_ms >= EVENTS_QUIET_MS ? PENDING_WRITING : PENDING_GONE;
	pending->event_ms = now;
	pending->due_ms = now + quiet_ms;
	if (pending->due_ms > pending->restless_ms + RESTLESS_MAX_MS)
		pending->due_ms = pending->restless_ms + RESTLESS_MAX_MS;
	/* A name that is queued again and again, however restless, leaves time for all others. */
	if (is_new && pending->due_ms < now + EVENTS_GONE_MS)
		pending->due_ms = now + EVENTS_GONE_MS;
	view_wake(view);
}

bool queue_is_overdue(const struct entry *entry)
{
	const struct pending *pending = entry->use->pending;

	return entry->kind == UNION_NONE && pending && pending->restless_ms &&
	       clock_ms() >= pending->restless_ms + RESTLESS_MAX_MS;
}

void queue_later(struct view *view, struct entry *entry, int64_t after_ms)
{
	if (entry->use->pending)
		entry->use->pending->restless_ms = clock_ms();
	queue_debounce(view, entry, after_ms);
}

/* Returns until when the view counts as busy: looks are under way, or were a moment ago. */
static int64_t busy_until(const struct view *view)
{
	bool is_looking = view->looks.under_way || view->looks.done || view->queue.first;

	return is_looking ? INT64_MAX : view->looks.last_ms + EVENTS_GONE_BUSY_MS;
}

/* Returns until when a name that is gone, and came due, waits longer because the view is busy. */
static int64_t later_than_due(const struct pending *pending, int64_t busy_ms)
{
	int64_t latest_ms = pending->event_ms + EVENTS_GONE_BUSY_MS;

	if (latest_ms > pending->restless_ms + RESTLESS_MAX_MS)
		latest_ms = pending->restless_ms + RESTLESS_MAX_MS;
	return busy_ms < latest_ms ? busy_ms : latest_ms;
}

int64_t queue_due(struct view *view, int64_t now_ms)
{
	int64_t busy_ms = busy_until(view); /* without the names that this call queues */
	int64_t next = -1;

	for (size_t i = 0; i < view->queue.debounced.count;) {
		struct entry *entry = view->queue.debounced.items[i];
		struct pending *pending = entry->use->pending;
		if (pending->state == PENDING_GONE && pending->due_ms <= now_ms)
			pending->due_ms = later_than_due(pending, busy_ms);
		if (pending->due_ms > now_ms) {
			if (next < 0 || pending->due_ms < next)
				next = pending->due_ms;
			i++;
			continue;
		}
		uint64_t since = pending->plan.since;
		entry->parent->users++;
		if (pending->state == PENDING_WRITING) {
			pending->created = pending->writing = 0;
			pending->plan.takes_unfinished =
				now_ms >= pending->restless_ms + RESTLESS_MAX_MS;
		}
		queue_rest(view, entry);
		queue_entry(view, entry);
		pending->plan.since = since;
		entry->parent->users--;
	}
	return next < 0 ? -1 : next - now_ms;
}

void queue_shortage(struct view *view)
{
	if (!view->queue.rescan_ms)
		view->queue.rescan_ms = clock_ms() + SHORTAGE_MS;
	view_wake(view);
}

bool directory_list_add(struct directory_list *list, struct directory *directory)
{
	if (array_push(list->items, list->count, list->capacity, directory) < 0)
		return false;
	directory->users++;
	return true;
}

void queue_scan(struct view *view, struct directory *directory, enum directory_scan scan)
{
	if (directory->scans.due == SCAN_NONE && directory->scans.pace != SCAN_IN_POOL) {
		if (!directory_list_add(&view->queue.scans, directory)) {
			if (scan > SCAN_NAMES)
				queue_shortage(view);
			return;
		}
		directory->scans.since = queue_revision(view);
	}
	if (scan > directory->scans.due)
		directory->scans.due = scan;
	view_wake(view);
}

struct directory *queue_take_scan(struct view *view)
{
	bool may_be_late = view->looks.patient < PATIENT_MAX && view->queue.late.count;
	struct directory_list *list = may_be_late ? &view->queue.late : &view->queue.scans;

	return list->count ? list->items[--list->count] : NULL;
}

void queue_put_off_scan(struct view *view, struct directory *directory)
{
	if (!directory_list_add(&view->queue.late, directory)) {
		directory->scans.due = SCAN_NONE;
		queue_shortage(view);
	}
	directory_leave(view, directory);
}

void directory_list_leave(struct view *view, struct directory_list *list)
{
	while (list->count)
		directory_leave(view, list->items[--list->count]);
	free(list->items);
	*list = (struct directory_list){0};
}

void queue_fini(struct view *view)
{
	while (view->queue.first) {
		struct entry *entry = view->queue.first,
			     *next = take_ptr(entry->use->pending->next);
		view->queue.first = next == entry ? NULL : next;
		directory_leave(view, entry->parent);
	}
	while (view->queue.debounced.count)
		directory_leave(
			view, view->queue.debounced.items[--view->queue.debounced.count]->parent);
	directory_list_leave(view, &view->queue.scans);
	directory_list_leave(view, &view->queue.late);
	directory_list_leave(view, &view->queue.pending_grants);
	free(view->queue.debounced.items);
	view->queue.debounced = (struct debounced){0};
}
