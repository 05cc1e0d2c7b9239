#include "refresh.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "attach.h"
#include "attributes.h"
#include "change_hook.h"
#include "cleanup.h"
#include "entry.h"
#include "link_watch.h"
#include "listing.h"
#include "names.h"
#include "queue.h"
#include "read_ahead.h"
#include "settings.h"
#include "state.h"
#include "worker.h"

/* A directory that is shown, and what the new settings show there. */
struct moved {
	struct directory *directory;
	size_t above;      /* the index of its parent; the root has its own */
	layer_mask layers; /* layers that showed it before */
	struct union_lookup *lookup;
	struct layer_watch **watches;
	struct stamp *identities;
};

struct move {
	struct moved *items;
	size_t count;
	size_t capacity;
	layer_mask fresh; /* layers that only the new settings have */
	layer_mask gone;  /* layers that only the old settings have */
};

static void move_fini(struct move *move)
{
	for (size_t i = 0; i < move->count; i++) {
		union_lookup_freep(&move->items[i].lookup);
		free(move->items[i].watches);
		free(move->items[i].identities);
	}
	free(move->items);
}

static int move_add(struct move *move, struct directory *directory, size_t above)
{
	if (array_grow(move->items, move->count, move->capacity) < 0)
		return -ENOMEM;
	move->items[move->count++] = (struct moved){.directory = directory, .above = above};
	directory->users++;
	return 0;
}

/* Collects every directory that is shown, each after its parent. */
static int collect(struct view *view, struct move *move)
{
	int r = move_add(move, view->root, 0);

	for (size_t i = 0; r == 0 && i < move->count; i++) {
		struct directory *directory = move->items[i].directory;
		for (struct entry *entry = NULL;
			r == 0 && (entry = directory_next(directory, entry));)
			if (entry->use->directory)
				r = move_add(move, entry->use->directory, i);
	}
	return r;
}

static int look(struct move *move, const struct settings *settings)
{
	for (size_t i = 0; i < move->count; i++) {
		struct moved *moved = &move->items[i];
		moved->lookup = union_lookup_new();
		moved->watches = calloc(settings->layer_count, sizeof(struct layer_watch *));
		moved->identities = calloc(settings->layer_count, sizeof(*moved->identities));
		if (!moved->lookup || !moved->watches || !moved->identities)
			return -ENOMEM;
		layer_mask layers =
			i ? move->items[moved->above].lookup->layers : union_all_layers(settings);
		int r = union_look_up(settings, layers, moved->directory->path, moved->lookup);
		if (r < 0)
			return r;
		/* The refresh of its name removes what is no directory any more; but if no layer
		 * can be looked at, a directory stays. */
		union_keep_directory(moved->lookup);
		if (moved->lookup->kind != UNION_DIRECTORY)
			union_lookup_fini(moved->lookup);
	}
	return 0;
}

/* Returns whether each source that the old settings read would be read alike by the new ones. */
static bool sources_are_same(
	const struct move *move, const struct limits *a, const struct limits *b)
{
	return !move->fresh && !move->gone && a->source_bytes == b->source_bytes &&
	       a->depth == b->depth && a->nodes == b->nodes && a->time_ms == b->time_ms;
}

static void change_over(
	struct view *view, struct move *move, const struct settings *old, struct settings *settings)
{
	view->queue.cause = queue_revision(view);
	view->composer.settings = settings_ref(settings);
	inotify_limit(view->watch.inotify, settings->options.watches);
	source_cache_limit(view->cache, (size_t)settings->options.cache_mib << 20);
	for (size_t i = 0; i < move->count; i++) {
		struct moved *moved = &move->items[i];
		struct directory *directory = moved->directory;
		names_forget_layers(directory);
		link_watch_remove(directory);
		watch_renumber(
			&view->watch, &directory->watches, moved->watches, settings->layer_count);
		/* The numbers mean other layers now. */
		directory->polled = 0;
		free(directory->identities);
		directory->identities = moved->identities;
		if (directory->names == NAMES_EXPANDED)
			directory->names = NAMES_LISTED;
		moved->watches = NULL;
		moved->identities = NULL;
		moved->layers = directory->layers;
		attributes_describe(view, directory, moved->lookup);
	}
	dependency_fini(view);
	/* The cache keeps good states of sources as fallbacks: a reload must not lose them. */
	if (!sources_are_same(move, &old->options.limits, &settings->options.limits))
		source_cache_clear(view->cache);
}

/* Queues the names that removed layers had. A scan finds the names of new layers. */
static void queue_gone(struct view *view, struct directory *directory,
	const struct settings *settings, layer_mask layers)
{
	struct listing listing = {0};

	if (!layers)
		return;
	int r = listing_take(settings, layers, directory->path, &listing);
	bool is_short = layer_is_shortage(r < 0 ? r : -listing.error);
	/* Those names are unknown: look at all. */
	for (struct entry *entry = NULL; is_short && (entry = directory_next(directory, entry));) {
		queue_touch(view, entry);
		queue_entry(view, entry);
	}
	for (size_t i = 0; i < listing.count; i++) {
		struct entry *entry = directory_find(directory, listing.items[i].name);
		if (!entry)
			continue;
		queue_touch(view, entry);
		queue_entry(view, entry);
	}
	listing_free(&listing);
}

/*
 * A name that was never read has no version to compare. So it is queued if its settings have
 * changed, and watchers of the directory are woken.
 */
static void queue_changed(struct view *view, const struct move *move, const struct moved *moved,
	const struct settings *old, const struct settings *settings)
{
	struct directory *directory = moved->directory;

	queue_gone(view, directory, old, move->gone & moved->layers);
	directory->joined |= move->fresh & moved->lookup->layers;
	for (struct entry *entry = NULL; (entry = directory_next(directory, entry));) {
		CLEANUP(freep) char *path = NULL;
		/* By the new settings. If a path stays as it is, nothing is published. */
		change_hook_unpin(entry);
		if (entry->use->version ||
			(entry->use->last.fingerprint && entry->kind != UNION_DIRECTORY))
			change_hook_pin(view, entry);
		if (entry->kind != UNION_FILE || entry->use->version)
			continue;
		/* A virtual file's sources may lie anywhere. */
		if (directory_join(directory, entry->name, &path) < 0 ||
			!settings_equal_at(old, settings, path) ||
			((move->fresh | move->gone) && settings_file(settings, path)))
			queue_entry(view, entry);
	}
}

int view_reload(struct view *view, struct settings *settings)
{
	struct settings *old = view->composer.settings;
	bool is_changed = false;
	int r = 0;

	(void)settings_note_remote(settings);
	/* Directories may come to be shown while we look: then once more. */
	while (r == 0 && !is_changed) {
		CLEANUP(move_fini)
		struct move move = {
			.fresh = settings_layers_without(settings, old),
			.gone = settings_layers_without(old, settings),
		};
		uint64_t shown = view->shown_directories;
		r = collect(view, &move);
		if (r == 0)
			r = look(&move, settings);
		is_changed = r == 0 && shown == view->shown_directories;
		if (is_changed)
			change_over(view, &move, old, settings);
		for (size_t i = 0; is_changed && i < move.count; i++) {
			attach_watch(view, settings, move.items[i].directory, move.items[i].lookup,
				move.items[i].lookup->layers);
			queue_changed(view, &move, &move.items[i], old, settings);
		}
		for (size_t i = move.count; i-- > 0;) {
			if (is_changed && !move.items[i].directory->inode.is_removed)
				queue_scan(view, move.items[i].directory, SCAN_ALL);
			directory_leave(view, move.items[i].directory);
		}
		view->queue.cause = 0;
		if (is_changed)
			view->queue.root = ROOT_CHANGED;
	}
	if (!is_changed)
		return r;
	change_hooks_route(view);
	if (view->workers)
		workers_renew(view->workers, settings);
	/* A kept look has the old settings, and so their layers, open. */
	read_ahead_drop_all(view);
	settings_unref(old);
	return 0;
}
