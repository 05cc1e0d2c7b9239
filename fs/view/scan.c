/*
 * Scanning: a directory that was looked up is listed once, so that its names are known; and again
 * when something may have been missed, and then every name in it is refreshed.
 */
#include <errno.h>

#include "tree.h"

/* Polling says nothing to those who refer to it, before it is known whether it has changed. */
static void queue_again(struct view *view, struct entry *entry, bool is_poll)
{
	entry->is_touched |= !is_poll;
	tree_queue_rescan(view, entry, is_poll);
}

/* Every name that has an entry, or that the layers list, is refreshed. The lock is held. */
static void queue_all(
	struct view *view, struct directory *directory, const struct listing *listing, bool is_poll)
{
	for (size_t i = 0; i < listing->count; i++) {
		struct entry *entry = directory_entry(directory, listing->items[i].name);
		if (entry)
			queue_again(view, entry, is_poll);
	}
	for (size_t i = 0; i < directory->bucket_count; i++)
		for (struct entry *entry = directory->buckets[i]; entry; entry = entry->next)
			queue_again(view, entry, is_poll);
}

/* What the layers that have joined the directory bring is news. Takes the lock. */
static void queue_joined(struct view *view, struct directory *directory, layer_mask joined)
{
	struct listing listing = {0};

	if (!joined || listing_take(view->composer.settings, joined, directory->path, &listing) < 0)
		return;
	pthread_mutex_lock(&view->lock);
	for (size_t i = 0; i < listing.count; i++) {
		struct entry *entry = directory_entry(directory, listing.items[i].name);
		if (!entry)
			continue;
		entry->is_touched = true;
		tree_queue(view, entry);
	}
	pthread_mutex_unlock(&view->lock);
	listing_free(&listing);
}

bool tree_scan_next(struct view *view)
{
	struct listing listing = {0};

	pthread_mutex_lock(&view->lock);
	struct directory *directory = view->scan_count ? view->scans[--view->scan_count] : NULL;
	if (!directory) {
		pthread_mutex_unlock(&view->lock);
		return false;
	}
	bool is_rescan = directory->is_rescan;
	bool is_needed = !directory->is_dead && (is_rescan || !directory->is_complete);
	bool is_poll = directory->is_poll;
	layer_mask joined = directory->joined;
	directory->joined = 0;
	layer_mask layers = directory->layers;
	directory->is_scanning = directory->is_rescan = directory->is_poll = false;
	directory->is_rescanning = is_rescan;
	pthread_mutex_unlock(&view->lock);

	int r = is_needed ? listing_take(view->composer.settings, layers, directory->path, &listing)
			  : -ENOENT;
	if (r == 0 && !is_rescan && !listing.error)
		tree_install_listing(view, directory, &listing);
	if (r == 0 && is_rescan) {
		pthread_mutex_lock(&view->lock);
		queue_all(view, directory, &listing, is_poll);
		pthread_mutex_unlock(&view->lock);
		queue_joined(view, directory, joined);
	}
	if (r == 0)
		tree_expand(view, &view->composer, directory, &listing, is_rescan);
	pthread_mutex_lock(&view->lock);
	directory->is_rescanning = false;
	tree_leave(view, directory);
	pthread_mutex_unlock(&view->lock);
	listing_free(&listing);
	return true;
}
