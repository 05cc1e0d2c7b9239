/*
 * The names in a directory: entries for what a listing, or an expansion, has found.
 */
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "expand.h"
#include "tree.h"

/* Names given entries under one hold of the lock: a huge directory must not stop everybody. */
#define INSTALL_CHUNK 512

int tree_expand(struct view *view, const struct composer *composer, struct directory *directory,
	const struct listing *listing, bool is_refresh)
{
	struct listing names = {0};
	int r = 0;

	pthread_mutex_lock(&view->lock);
	layer_mask layers = directory->layers;
	pthread_mutex_unlock(&view->lock);
	if (expand_is_needed(composer->settings))
		r = expand_names(&view->finder, composer->settings, layers, directory->path,
			listing, &names);
	pthread_mutex_lock(&view->lock);
	for (size_t i = 0; i < names.count; i++) {
		struct entry *entry = directory_entry(directory, names.items[i].name);
		if (!entry)
			continue;
		if (is_refresh)
			tree_queue(view, entry);
		else if (entry->kind == UNION_NONE)
			entry->kind = names.items[i].kind;
		tree_reserve_ino(view, entry);
		if (entry->kind != UNION_NONE)
			directory_list_entry(directory, entry);
	}
	directory->is_expanded = r == 0;
	pthread_mutex_unlock(&view->lock);
	listing_free(&names);
	return r;
}

static int compare_listed(const void *name, const void *item)
{
	return strcmp(name, ((const struct listed *)item)->name);
}

static void install_name(struct view *view, struct directory *directory, const struct listed *item)
{
	struct entry *known = directory_find(directory, item->name);

	/* A name that waits for the refresher comes with its event. */
	if (known && known->kind == UNION_NONE)
		return;
	struct entry *entry = known ? known : directory_entry(directory, item->name);
	if (!entry)
		return;
	if (!known) {
		entry->kind = item->kind;
		/* To the kernel it may be absent. */
		entry->is_unannounced = directory->has_absences;
	}
	tree_reserve_ino(view, entry);
	directory_list_entry(directory, entry);
}

void tree_begin_listing(struct directory *directory)
{
	directory->listers++;
}

void tree_end_listing(struct directory *directory)
{
	if (--directory->listers)
		return;
	for (size_t i = 0; i < directory->bucket_count; i++)
		for (struct entry *entry = directory->buckets[i], *next; entry; entry = next) {
			next = entry->next;
			directory_tidy(directory, entry);
		}
}

void tree_install_listing(
	struct view *view, struct directory *directory, const struct listing *listing)
{
	pthread_mutex_lock(&view->lock);
	for (size_t i = 0; i < listing->count && !directory->is_complete; i++) {
		if (i % INSTALL_CHUNK == INSTALL_CHUNK - 1) {
			pthread_mutex_unlock(&view->lock);
			pthread_mutex_lock(&view->lock);
		}
		install_name(view, directory, &listing->items[i]);
	}
	/* Names that are shown but gone from the layers are listed until that is published. */
	for (size_t i = 0; i < directory->bucket_count && !directory->is_complete; i++)
		for (struct entry *entry = directory->buckets[i]; entry; entry = entry->next)
			if (entry->kind != UNION_NONE)
				directory_list_entry(directory, entry);
	directory->is_complete = true;
	pthread_mutex_unlock(&view->lock);
}

void tree_sync_listing(
	struct view *view, struct directory *directory, const struct listing *listing)
{
	size_t i = 0;

	/* Names that the layers have no more; the publisher will take them away. */
	for (size_t j = 0; j < directory->order_count; j++) {
		struct entry *entry = directory->order[j];
		const struct listed *item =
			entry ? bsearch(entry->name, listing->items, listing->count,
					sizeof(*listing->items), compare_listed)
			      : NULL;
		if (entry && !item)
			directory_unlist_entry(directory, entry);
	}
	for (; i < listing->count; i++) {
		struct entry *entry = directory_entry(directory, listing->items[i].name);
		if (!entry)
			continue;
		if (entry->kind == UNION_NONE) {
			entry->is_unannounced = true;
			tree_set_kind(view, entry, listing->items[i].kind);
		}
		tree_reserve_ino(view, entry);
		directory_list_entry(directory, entry);
	}
}
