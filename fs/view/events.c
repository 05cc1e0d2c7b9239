#include "events.h"

#include <string.h>

#include "clock.h"
#include "dependency.h"
#include "entry.h"
#include "look.h"
#include "queue.h"
#include "read_ahead.h"
#include "state.h"

/* A new name is often a temporary one, about to be renamed. One that a rename has made is not. */
static void queue_new(struct view *view, struct entry *entry, uint32_t mask)
{
	bool is_overdue = queue_is_overdue(entry);

	if (mask & (IN_CREATE | IN_CLOSE_WRITE) && entry->kind == UNION_NONE && !is_overdue &&
		!entry_is_debounced(entry))
		queue_debounce(view, entry, EVENTS_GONE_MS);
	else
		queue_entry(view, entry);
	entry->use->pending->plan.takes_unfinished |= is_overdue;
}

/* A program has closed the file that it wrote, or renamed a file to the name. */
static void end_writing(struct view *view, struct entry *entry, layer_mask bit, uint32_t mask)
{
	struct pending *pending = entry->use->pending;

	pending->created &= ~bit;
	pending->writing &= ~bit;
	/* A writer in another layer may not have closed the file yet. */
	if (!pending->writing)
		queue_rest(view, entry);
	if (entry->kind != UNION_NONE)
		pending->restless_ms = entry_is_debounced(entry) ? clock_ms() : 0;
	queue_new(view, entry, mask);
}

void events_name(struct view *view, struct directory *directory, unsigned layer, uint32_t mask,
	const char *name)
{
	layer_mask bit = (layer_mask)1 << layer;
	struct entry *entry = directory_entry(directory, name);
	struct pending *pending = entry ? queue_pending(view, entry) : NULL;
	if (!pending) {
		queue_shortage(view);
		return;
	}
	/* A pending name keeps its revision, whatever it waits for now. */
	bool was_pending = pending->state != PENDING_NONE;
	uint64_t since = pending->plan.since;
	directory->users++;
	pending->plan.is_event = true;
	if (mask & (IN_CLOSE_WRITE | IN_MODIFY))
		entry_used(entry)->written = ++view->revision;
	/* A listing has made the entry first; the kernel may still cache the name as absent. */
	if (mask & IN_ISDIR && mask & (IN_CREATE | IN_MOVED_TO) && entry->kind == UNION_DIRECTORY &&
		!entry->use->directory && entry->known != KNOWN_MISSED)
		entry->known = KNOWN_UNANNOUNCED;
	if (mask & (IN_CLOSE_WRITE | IN_MOVED_TO)) {
		end_writing(view, entry, bit, mask);
	} else if (mask & (IN_DELETE | IN_MOVED_FROM)) {
		pending->created &= ~bit;
		pending->writing &= ~bit;
		queue_debounce(view, entry, EVENTS_GONE_MS);
	} else if (mask & IN_DELETE_SELF) {
		/* The file went, or another name of it: then the next event reports that. */
		queue_debounce(view, entry, EVENTS_GONE_MS);
	} else if (mask & IN_MODIFY) {
		pending->writing |= bit;
		queue_debounce(view, entry, EVENTS_QUIET_MS);
	} else {
		if (mask & IN_CREATE && !(mask & IN_ISDIR))
			pending->created |= bit;
		/* The name came back. Its look finds out whether a program is writing the file. */
		if (mask & IN_CREATE && pending->state == PENDING_GONE)
			queue_rest(view, entry);
		queue_new(view, entry, mask);
	}
	if (was_pending)
		pending->plan.since = since;
	directory->users--;
}

static void on_event(void *context, void *owner, unsigned layer, uint32_t mask, const char *name)
{
	struct view *view = context;
	struct directory *directory = owner;

	if (!directory) {
		view->queue.is_overflowed = true;
		view->counts.overflows++;
		return;
	}
	if (directory->inode.is_removed)
		return;
	if (!name) {
		queue_directory(view, directory);
		return;
	}
	const char *whited = union_marked_name(name);
	if (whited && !*whited)
		queue_directory(view, directory);
	else
		events_name(view, directory, layer, mask, whited ? whited : name);
}

void events_take(struct view *view)
{
	uint64_t cause = view->queue.cause, before = view->revision;

	view->queue.cause = 0; /* new events get new revisions */
	watch_read(&view->watch, on_event, view);
	if (view->revision != before)
		read_ahead_drop_all(view);
	view->queue.cause = cause;
}

/* Returns whether a program has the file open for writing, or has just made it: not by a link. */
static bool is_written(const struct entry *entry, const struct contributor *found)
{
	layer_mask bit = (layer_mask)1 << found->layer;

	const struct pending *pending = entry ? entry->use->pending : NULL;

	return pending &&
	       (pending->writing & bit || (pending->created & bit && S_ISREG(found->stat.st_mode) &&
						  found->stat.st_nlink == 1));
}

/* Ends the wait for a close: a name made by link(2) or symlink(2) has no writer. */
static void give_up(struct entry *entry)
{
	if (entry && entry->use->pending && entry->use->pending->state == PENDING_NONE &&
		!entry->use->users)
		entry->use->pending->created = entry->use->pending->writing = 0;
}

bool events_meet_writer(struct view *view, const struct look *look)
{
	const struct path_list *asked = &look->result.asked;
	uint64_t since = look->read;

	events_take(view);
	for (unsigned i = 0; i < look->result.lookup.count; i++) {
		const struct contributor *found = &look->result.lookup.found[i];
		struct entry *source = found->path ? entry_at(view, found->path) : look->entry;
		if (look->refresh.plan.takes_unfinished)
			give_up(source);
		if (is_written(source, found) || (source && source->use->written > since))
			return true;
	}
	for (size_t i = 0; i < asked->count; i += 2) {
		const struct entry *entry =
			dependency_entry(view, asked->paths[i], asked->paths[i + 1]);
		bool is_open = entry && entry->use->pending && entry->use->pending->writing;
		if (is_open || (entry && entry->use->written > since))
			return true;
	}
	return false;
}
