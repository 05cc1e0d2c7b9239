#include "events.h"

#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "dependency.h"
#include "refresh.h"
#include "tree.h"

/* … or after this long with no quiet at all: a log in a layer must not hold its path up for ever.
 */
#define QUIET_MAX_MS 1000

static void stop_settling(struct view *view, struct entry *entry)
{
	struct entry *last = view->settling[--view->settling_count];

	view->settling[entry->settling_at] = last;
	last->settling_at = entry->settling_at;
	entry->is_settling = false;
	entry->waits_for_quiet = false;
	entry->parent->users--; /* the caller uses it, so it is not the last */
}

void events_settle(struct view *view, struct entry *entry, int64_t quiet_ms)
{
	int64_t now = clock_ms();

	if (!entry->is_settling) {
		if (view->settling_count == view->settling_capacity) {
			size_t capacity =
				view->settling_capacity ? view->settling_capacity * 2 : 64;
			struct entry **settling =
				reallocarray(view->settling, capacity, sizeof(struct entry *));
			if (!settling) {
				tree_queue(view, entry);
				return;
			}
			view->settling = settling;
			view->settling_capacity = capacity;
		}
		entry->settling_at = view->settling_count;
		view->settling[view->settling_count++] = entry;
		entry->is_settling = true;
		if (!entry->unsettled_ms)
			entry->unsettled_ms = now;
		entry->parent->users++;
	}
	/* A writer is waited for longer than a name that went away. */
	if (entry->waits_for_quiet && quiet_ms < EVENTS_QUIET_MS)
		return;
	entry->waits_for_quiet = quiet_ms >= EVENTS_QUIET_MS;
	entry->settles_ms = now + quiet_ms;
	tree_wake(view);
	if (entry->settles_ms > entry->unsettled_ms + QUIET_MAX_MS)
		entry->settles_ms = entry->unsettled_ms + QUIET_MAX_MS;
}

/* The directory itself has changed in a layer: its rights, or what it hides. */
static void queue_directory(struct view *view, struct directory *directory)
{
	struct entry *entry = directory_own_entry(directory);

	if (entry && entry->directory == directory)
		tree_queue(view, entry);
	else if (directory == view->root)
		view->is_root_changed = true;
}

static void on_name(struct view *view, struct directory *directory, unsigned layer, uint32_t mask,
	const char *name)
{
	layer_mask bit = (layer_mask)1 << layer;
	struct entry *entry = directory_entry(directory, name);
	if (!entry) {
		view->is_overflowed = true;
		return;
	}
	directory->users++;
	entry->is_touched = true;
	if (mask & (IN_CLOSE_WRITE | IN_MODIFY))
		entry->written = ++view->writes;
	/* A listing was faster; to the kernel the name may still be absent. */
	if (mask & IN_ISDIR && mask & (IN_CREATE | IN_MOVED_TO) && entry->kind == UNION_DIRECTORY &&
		!entry->directory)
		entry->is_unannounced = true;
	if (mask & (IN_CLOSE_WRITE | IN_MOVED_TO)) {
		entry->created &= ~bit;
		entry->writing &= ~bit;
		/* Another layer's writer may not be done. */
		if (entry->is_settling && !entry->writing)
			stop_settling(view, entry);
		entry->unsettled_ms = entry->is_settling ? clock_ms() : 0;
		/* A new name is often a temporary one, about to be renamed. */
		if (mask & IN_CLOSE_WRITE && entry->kind == UNION_NONE && !entry->is_settling)
			events_settle(view, entry, EVENTS_GONE_MS);
		else
			tree_queue(view, entry);
	} else if (mask & (IN_DELETE | IN_MOVED_FROM) && !(mask & IN_ISDIR)) {
		entry->created &= ~bit;
		entry->writing &= ~bit;
		events_settle(view, entry, EVENTS_GONE_MS);
	} else if (mask & IN_MODIFY) {
		entry->writing |= bit;
		events_settle(view, entry, EVENTS_QUIET_MS);
	} else {
		if (mask & IN_CREATE && !(mask & IN_ISDIR))
			entry->created |= bit;
		/* It came back: whether it is being written is seen when it is looked at. */
		if (mask & IN_CREATE && entry->is_settling && !entry->waits_for_quiet)
			stop_settling(view, entry);
		tree_queue(view, entry);
	}
	directory->users--;
}

static void on_event(
	void *context, struct directory *directory, unsigned layer, uint32_t mask, const char *name)
{
	struct view *view = context;

	if (!directory) {
		view->is_overflowed = true;
		view->overflows++;
		return;
	}
	if (directory->is_dead)
		return;
	if (!name) {
		queue_directory(view, directory);
		return;
	}
	const char *whited = union_marked_name(name);
	if (whited && !*whited)
		queue_directory(view, directory);
	else
		on_name(view, directory, layer, mask, whited ? whited : name);
}

void events_take(struct view *view)
{
	watch_read(view->watch, on_event, view);
}

/* Every directory in memory below this one. Their depth is bounded by PATH_MAX. Returns whether
 * some of them have to be polled. */
static bool rescan_below(struct view *view, struct directory *directory, bool is_poll)
{
	bool is_polled = directory->polled;

	for (size_t i = 0; i < directory->bucket_count; i++)
		for (struct entry *entry = directory->buckets[i]; entry; entry = entry->next)
			if (entry->directory)
				is_polled |= rescan_below(view, entry->directory, is_poll);
	if (is_poll && !directory->polled)
		return is_polled;
	/* Its name as well: the watch that is missing may be had by now. */
	struct entry *own = is_poll ? directory_own_entry(directory) : NULL;
	if (own)
		tree_queue_rescan(view, own, true);
	bool is_waiting = directory->is_scanning && directory->is_rescan;
	tree_queue_scan(view, directory, true);
	directory->is_poll = is_poll && (!is_waiting || directory->is_poll);
	return is_polled;
}

/* Changes were lost: every directory is listed again, and every name refreshed. */
static void rescan_all(struct view *view)
{
	view->is_overflowed = false;
	view->is_root_changed = true;
	rescan_below(view, view->root, false);
}

/* Milliseconds until it is time to look at what can't be watched; looks when it is. */
static int64_t poll_layers(struct view *view, int64_t now)
{
	int64_t interval = view->composer.settings->poll_ms;

	if (now >= view->polled_ms + interval) {
		view->polled_ms = now;
		view->is_root_changed = true;
		/* Each look tries the missing watches again: it may be over. */
		bool is_polled = rescan_below(view, view->root, true);
		view->idle_polls = is_polled ? 0 : view->idle_polls + 1;
		/* Not at the first: a directory that is being looked up is not in the tree yet. */
		if (view->idle_polls > 2) {
			view->is_polling = view->is_remote = false;
			view->watch_error = 0;
		}
	}
	return view->polled_ms + interval;
}

int view_take_events(struct view *view)
{
	int64_t next = -1;

	pthread_mutex_lock(&view->lock);
	view->refresher = pthread_self();
	view->has_refresher = true;
	events_take(view);
	if (view->is_overflowed)
		rescan_all(view);
	int64_t now = clock_ms();
	for (size_t i = 0; i < view->settling_count;) {
		struct entry *entry = view->settling[i];
		if (entry->settles_ms <= now) {
			entry->parent->users++;
			if (entry->waits_for_quiet) {
				entry->created = entry->writing = 0;
				entry->takes_unfinished = now >= entry->unsettled_ms + QUIET_MAX_MS;
			}
			stop_settling(view, entry);
			tree_queue(view, entry);
			entry->parent->users--;
			continue;
		}
		if (next < 0 || entry->settles_ms < next)
			next = entry->settles_ms;
		i++;
	}
	/* It has no name to settle by. */
	if (view->root->widens_ms) {
		int64_t look_at = view->root_looked_ms + EVENTS_QUIET_MS;
		if (now >= look_at) {
			view->root_looked_ms = now;
			view->is_root_changed = true;
			look_at = now + EVENTS_QUIET_MS;
		}
		if (next < 0 || look_at < next)
			next = look_at;
	}
	if (view->is_polling) {
		int64_t poll_at = poll_layers(view, now);
		if (next < 0 || poll_at < next)
			next = poll_at;
	}
	pthread_mutex_unlock(&view->lock);
	return next < 0 ? -1 : (int)(next - now);
}

bool view_has_work(struct view *view)
{
	pthread_mutex_lock(&view->lock);
	bool has_work = view->queue_first < view->queue_count || view->scan_count ||
			view->is_root_changed || view->is_overflowed;
	pthread_mutex_unlock(&view->lock);
	return has_work;
}

static struct entry *entry_at(struct view *view, const char *path)
{
	const char *slash = strrchr(path, '/');
	struct directory *directory =
		tree_directory_at(view, path, slash ? (size_t)(slash - path) : 0);

	return directory ? directory_find(directory, slash ? slash + 1 : path) : NULL;
}

/* A writer has changed it and not closed it yet; or has just made it, which a hard link has not. */
static bool is_written(const struct entry *entry, const struct contributor *found)
{
	layer_mask bit = (layer_mask)1 << found->layer;

	return entry &&
	       (entry->writing & bit || (entry->created & bit && S_ISREG(found->stat.st_mode) &&
						found->stat.st_nlink == 1));
}

bool events_meet_writer(struct view *view, const struct directory *parent, const char *name,
	const struct union_lookup *lookup, const struct dependencies *asked, uint64_t since)
{
	events_take(view);
	const struct entry *entry = directory_find(parent, name);
	for (unsigned i = 0; i < lookup->count; i++) {
		const struct contributor *found = &lookup->found[i];
		const struct entry *source = found->path ? entry_at(view, found->path) : entry;
		if (is_written(source, found) || (source && source->written > since))
			return true;
	}
	for (size_t i = 0; asked && i < asked->count; i += 2) {
		entry = dependency_entry(view, asked->items[i], asked->items[i + 1]);
		if (entry && (entry->writing || entry->written > since))
			return true;
	}
	return false;
}
