#include "attach.h"

#include <errno.h>

#include "attributes.h"
#include "cleanup.h"
#include "clock.h"
#include "dependency.h"
#include "descriptor.h"
#include "entry.h"
#include "layer_task.h"
#include "queue.h"
#include "state.h"

/*
 * Tries to watch a directory that is replaced each time; its parent's watch reports the last one.
 */
#define WATCH_TRIES 8

/* Milliseconds within which a second change may leave the file times as they are. */
#define TICK_MS 20

void attach_poll(struct view *view, int error, bool is_remote)
{
	if (error)
		view->polling.error = error;
	if (!view->polling.need)
		view_wake(view);
	if (view->polling.need != POLLING_REMOTE)
		view->polling.need = is_remote ? POLLING_REMOTE : POLLING_SOME;
}

/* Notes the result of a watch. If inotify fails or may miss changes, the publisher polls. */
static void note_watch(struct view *view, struct directory *directory, unsigned layer, int error,
	bool is_remote_layer)
{
	layer_mask bit = (layer_mask)1 << layer;

	directory->polled &= ~bit;
	if (error || is_remote_layer) {
		directory->polled |= bit;
		attach_poll(view, error, is_remote_layer);
	}
}

/* Returns whether the path still leads to the directory that is open as `fd`, or to nothing. */
static bool is_at(const struct layer *layer, const char *path, int fd)
{
	CLEANUP(closep) int again = layer_open_directory(layer, path);
	struct stat here, there;

	return again < 0 || fstat(fd, &here) < 0 || fstat(again, &there) < 0 ||
	       (here.st_dev == there.st_dev && here.st_ino == there.st_ino);
}

/*
 * Returns whether the directory may have changed since it had the time `then`. The clock of file
 * times ticks every few milliseconds, so a very recent change may hide another one.
 */
static bool has_moved_on(struct timespec then, struct timespec now)
{
	int64_t age_ms = clock_age_ms(now);

	return (age_ms >= 0 && age_ms < TICK_MS) || now.tv_sec != then.tv_sec ||
	       now.tv_nsec != then.tv_nsec;
}

static bool has_moved_on_since(const struct stat *seen, int fd)
{
	struct stat stat;

	return !seen || fstat(fd, &stat) < 0 || has_moved_on(seen->st_ctim, stat.st_ctim);
}

static const struct stat *seen_in(const struct union_lookup *lookup, unsigned layer)
{
	for (unsigned i = 0; i < lookup->count; i++)
		if (lookup->found[i].layer == layer && !lookup->found[i].error)
			return &lookup->found[i].stat;
	return NULL;
}

/*
 * A worker adds the watch. The directory is polled, too, even if inotify reports all its changes:
 * this process resolves no path that leads through a remote file system, so it watches neither the
 * links in the directory nor other names of its files (link_watch.h).
 */
static void watch_delegated(struct view *view, const struct layer *layer,
	struct directory *directory, unsigned number, const struct stat *seen)
{
	struct stat stat;
	int r = inotify_expect(view->watch.inotify);

	if (r == 0) {
		int wd = layer_task_watch(layer, directory->path, WATCH_MASK, &stat);
		r = watch_end(&view->watch, &directory->watches, number, wd);
		if (r >= 0 && wd < 0)
			r = wd;
	}
	if (r == -ENOENT || r == -ENOTDIR)
		return;
	bool has_refused = r < 0 && !layer_has_timed_out(r);
	note_watch(view, directory, number, has_refused ? -r : 0, true);
	/* A mark that hides lower layers is not found by a scan. */
	if (r >= 0 && (r > 0 || !seen || has_moved_on(seen->st_ctim, stat.st_ctim)))
		queue_directory(view, directory);
}

static void watch_layer(struct view *view, const struct layer *layer, struct directory *directory,
	unsigned number, const struct stat *seen)
{
	bool is_settled = false;

	if (layer_is_delegated(layer)) {
		watch_delegated(view, layer, directory, number, seen);
		return;
	}

	for (int try = 0; !is_settled && try < WATCH_TRIES; try++) {
		CLEANUP(closep) int fd = layer_open_directory(layer, directory->path);
		if (fd == -EREMOTE) {
			watch_delegated(view, layer, directory, number, seen);
			return;
		}
		/* It is gone already: the watch of its parent reports that. */
		if (fd == -ENOENT || fd == -ENOTDIR)
			return;
		int r = fd < 0 ? fd : watch_add(&view->watch, &directory->watches, number, fd);
		note_watch(view, directory, number, -r, fd >= 0 && layer_fd_is_remote(fd));
		/* Another directory is there now, and another look may have watched it before. */
		is_settled = r < 0 || is_at(layer, directory->path, fd);
		if (r == 0 && is_settled && has_moved_on_since(seen, fd))
			queue_directory(view, directory);
	}
}

void attach_watch(struct view *view, const struct settings *settings, struct directory *directory,
	const struct union_lookup *lookup, layer_mask layers)
{
	for (unsigned i = 0; i < settings->layer_count; i++)
		if (layers >> i & 1)
			watch_layer(view, settings->layers[i], directory, i, seen_in(lookup, i));
}

static bool same_place(const struct stamp *a, const struct stamp *b)
{
	return a->dev == b->dev && a->ino == b->ino;
}

void attach_unseen(struct view *view, struct directory *directory)
{
	/* A polled directory is looked at again anyway. */
	if (!directory_is_polled(directory))
		directory->has_unseen = view->polling.has_unseen = true;
}

void attach_failed(struct view *view, struct directory *directory)
{
	directory->has_failed = true;
	attach_poll(view, 0, false);
}

/* Queues a scan with the revision `since`, so that no wider right shows before its end. */
static void scan_since(struct view *view, struct directory *directory, uint64_t since)
{
	queue_scan(view, directory, SCAN_ALL);
	if (directory->scans.since > since)
		directory->scans.since = since;
}

/* Scans the directories, from `directory` down, whose names could not all be looked at. */
static void scan_unseen(struct view *view, struct directory *directory, uint64_t since)
{
	if (directory->has_unseen)
		scan_since(view, directory, since);
	directory->has_unseen = false;
	for (struct entry *entry = NULL; (entry = directory_next(directory, entry));)
		if (entry->use->directory)
			scan_unseen(view, entry->use->directory, since);
}

/* A layer that does not answer joins no directory: nothing is known of what it has. */
static void leave_out_silent(
	const struct settings *settings, layer_mask shown, struct union_lookup *lookup)
{
	for (unsigned i = 0; i < settings->layer_count; i++)
		if (!seen_in(lookup, i) && !(shown >> i & 1) &&
			(layer_has_timed_out(-lookup->failure) ||
				layer_silence(settings->layers[i]) != LAYER_ANSWERS))
			lookup->layers &= ~((layer_mask)1 << i);
	/* Nor does any other one meanwhile, as the failed layer may hide it. */
	for (unsigned i = lookup->count; lookup->failure && shown && i-- > 0;)
		if (!(shown >> lookup->found[i].layer & 1))
			union_drop(lookup, i);
}

void attach_leave_out_failed(
	struct view *view, const struct entry *entry, struct union_lookup *lookup)
{
	layer_mask found = 0;

	for (unsigned i = 0; i < lookup->count; i++)
		found |= (layer_mask)1 << lookup->found[i].layer;
	/* A layer may have got the directory since, while nothing watched the parent. */
	bool is_listed =
		entry->parent->names != NAMES_SOME && entry->layers && !(entry->layers & ~found);
	if (!lookup->failure || lookup->whiteout_error || lookup->kind != UNION_DIRECTORY ||
		!is_listed || !entry_was_of(view, entry, lookup))
		return;
	lookup->failure = 0;
	lookup->layers = found;
	attach_failed(view, entry->parent);
}

bool attach_update(struct view *view, const struct settings *settings, struct directory *directory,
	struct union_lookup *lookup)
{
	layer_mask fresh = 0;     /* layers that did not show it, or showed another directory */
	layer_mask unwatched = 0; /* layers that show it, without a watch */
	bool is_other = false;

	/* The lookup used other settings: its layer numbers mean other layers now. */
	if (settings != view->composer.settings)
		return false;
	uint64_t since = queue_revision(view);
	layer_mask shown = directory->layers;
	leave_out_silent(settings, shown, lookup);
	layer_mask lost = shown & ~lookup->layers;
	for (unsigned i = 0; i < lookup->count; i++) {
		unsigned layer = lookup->found[i].layer;
		struct stamp stamp = stamp_of(&lookup->found[i].stat);
		is_other |= has_moved_on(directory->identities[layer].ctime, stamp.ctime);
		if (!(directory->layers >> layer & 1) ||
			!same_place(&stamp, &directory->identities[layer]))
			fresh |= (layer_mask)1 << layer;
		else if (!watch_has(&directory->watches, layer))
			unwatched |= (layer_mask)1 << layer;
	}
	for (unsigned layer = 0; layer < directory->watches.count; layer++)
		if ((fresh | lost) >> layer & 1)
			watch_remove_layer(&view->watch, &directory->watches, layer);
	struct rights old_rights = directory->attributes.found;
	/* Looks at its names that are under way may have asked the wrong layers. */
	directory->changed = ++view->revision;
	attributes_describe(view, directory, lookup);
	/* A virtual file elsewhere may have sources below it, whose rights the file gets. */
	if (!rights_equal(&directory->attributes.found, &old_rights))
		dependency_reindex(view, directory->path);
	directory->joined |= fresh;
	directory->left |= lost | (fresh & shown);
	bool is_unnotified = attributes_are_unnotified(directory);
	if (is_other && view->polling.has_unseen) {
		view->polling.has_unseen = false;
		scan_unseen(view, view->root, since);
	}

	attach_watch(view, settings, directory, lookup, fresh | unwatched);
	/* A layer that is polled, and still can't be watched, stays polled. */
	if (fresh | lost | (unwatched & ~directory->polled))
		scan_since(view, directory, since);
	return is_unnotified;
}

int attach_make(struct view *view, const struct settings *settings, struct directory *parent,
	const char *name, const struct union_lookup *lookup, struct directory **ret)
{
	struct directory *directory;
	int r = directory_new(parent, name, settings->layer_count, &directory);
	if (r < 0)
		return r;
	attributes_describe(view, directory, lookup);
	directory->attributes.described = directory->attributes.revoked = 0;
	/* Its first events may come, and be handled, before it is shown. */
	directory->users = 1;
	if (parent)
		parent->users++;
	attach_watch(view, settings, directory, lookup, lookup->layers);
	*ret = directory;
	return 0;
}

void attach_drop(struct view *view, struct directory *directory)
{
	directory->inode.is_removed = true;
	directory_leave(view, directory);
}
