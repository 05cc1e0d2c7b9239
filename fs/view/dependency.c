#include "dependency.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "cleanup.h"
#include "entry.h"
#include "expand.h"
#include "hash.h"
#include "link_watch.h"
#include "look.h"
#include "merge.h"
#include "names.h"
#include "path.h"
#include "path_list.h"
#include "queue.h"
#include "state.h"
#include "worker.h"

/*
 * The directories under a path, as the view shows them. Upper directories come before lower ones;
 * those in the same directory are in the byte order of their names. Each is in use, and so watched.
 */
struct walk {
	struct directory **items;
	size_t count;
	size_t capacity;
	/* If the path is missing: the nearest directory above it. Its watch reports the
	 * creation of the path's next part. */
	struct directory *above;
};

/* A name in an index's directory. It lives as long as the index, as such names are few. */
struct indexed {
	struct indexed *next;    /* in the bucket */
	struct directory *first; /* the first directory that has such a file; NULL: none */
	struct dependency *dependents;
	char name[];
};

struct index {
	struct index *next;
	char *directory; /* relative to the root */
	int depth;       /* levels of directories below `directory`; -1: all */
	bool is_fresh;
	struct walk walk; /* `directory`, and those below it */
	struct indexed **buckets;
	size_t bucket_count; /* a power of two */
	size_t count;
};

#define BUCKETS_FIRST 256

static size_t bucket_of(const char *name, size_t bucket_count)
{
	return hash_end(hash_bytes(hash_seed(), span_of(name))) & (bucket_count - 1);
}

static struct indexed *find_name(const struct index *index, const char *name)
{
	struct indexed *indexed = index->buckets[bucket_of(name, index->bucket_count)];

	while (indexed && strcmp(indexed->name, name) != 0)
		indexed = indexed->next;
	return indexed;
}

static void grow(struct index *index)
{
	size_t count = index->bucket_count * 4;
	struct indexed **buckets = calloc(count, sizeof(*buckets));

	if (!buckets)
		return; /* the index only gets slower */
	for (size_t i = 0; i < index->bucket_count; i++)
		for (struct indexed *indexed = index->buckets[i], *next; indexed; indexed = next) {
			struct indexed **bucket = &buckets[bucket_of(indexed->name, count)];
			next = indexed->next;
			indexed->next = *bucket;
			*bucket = indexed;
		}
	free(index->buckets);
	index->buckets = buckets;
	index->bucket_count = count;
}

static struct indexed *add_name(struct index *index, const char *name)
{
	struct indexed *indexed = find_name(index, name);
	if (indexed)
		return indexed;

	size_t size = strlen(name) + 1;
	indexed = calloc(1, sizeof(*indexed) + size);
	if (!indexed)
		return NULL;
	memcpy(indexed->name, name, size);
	if (index->count >= index->bucket_count)
		grow(index);
	struct indexed **bucket = &index->buckets[bucket_of(name, index->bucket_count)];
	indexed->next = *bucket;
	*bucket = indexed;
	index->count++;
	return indexed;
}

static struct index *find_index(struct view *view, const char *directory, int depth)
{
	struct index *index = view->dependency_indexes.indexes;

	while (index && (index->depth != depth || strcmp(index->directory, directory) != 0))
		index = index->next;
	return index;
}

static struct index *get_index(struct view *view, const char *directory, int depth)
{
	struct index *index = find_index(view, directory, depth);
	if (index)
		return index;

	index = calloc(1, sizeof(*index));
	if (!index)
		return NULL;
	index->depth = depth;
	index->directory = strdup(directory);
	index->bucket_count = BUCKETS_FIRST;
	index->buckets = calloc(BUCKETS_FIRST, sizeof(*index->buckets));
	if (!index->directory || !index->buckets) {
		free(index->directory);
		free(index->buckets);
		free(index);
		return NULL;
	}
	index->next = view->dependency_indexes.indexes;
	view->dependency_indexes.indexes = index;
	return index;
}

/* Adds the names of the directories in `directory`, sorted. Returns 0 or -ENOMEM. */
static int names_of_directories(const struct directory *directory, struct path_list *ret)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < directory->order.count; i++) {
		const struct entry *entry = directory_listed(directory, i);
		if (entry && entry->kind == UNION_DIRECTORY)
			r = path_list_add(ret, entry->name, strlen(entry->name));
	}
	path_list_sort(ret);
	return r;
}

static bool is_missing(int result)
{
	return result == -ENOENT || result == -ENOTDIR;
}

/* Returns 0 also if it is no directory any more. */
static int walk_child(
	struct view *view, struct walk *walk, struct directory *directory, const char *name)
{
	struct directory *child;
	int r = lookup_enter(view, directory, name, &child);

	if (r < 0)
		return is_missing(r) ? 0 : r;
	bool is_walked = !directory_is_in_itself(child);
	if (is_walked)
		r = array_push(walk->items, walk->count, walk->capacity, child);
	if (r < 0 || !is_walked)
		directory_leave(view, child);
	return r;
}

static int walk_into(struct view *view, struct walk *walk, struct directory *directory)
{
	CLEANUP(path_list_fini) struct path_list names = {0};

	int r = names_complete(view, directory);
	if (r == 0)
		r = names_of_directories(directory, &names);
	for (size_t i = 0; r == 0 && i < names.count; i++)
		r = walk_child(view, walk, directory, names.paths[i]);
	return r;
}

/* Leaves the directories, and empties the walk. */
static void walk_leave(struct view *view, struct walk *walk)
{
	for (size_t i = walk->count; i-- > 0;)
		directory_leave(view, walk->items[i]);
	if (walk->above)
		directory_leave(view, walk->above);
	free(walk->items);
	*walk = (struct walk){0};
}

/* As lookup_enter_path(). If it does not exist, *above reports its creation. */
static int enter_top(
	struct view *view, const char *path, struct directory **ret, struct directory **above)
{
	CLEANUP(freep) char *shorter = strdup(path);
	int r = shorter ? lookup_enter_path(view, path, ret) : -ENOMEM;
	int r_above = r;

	while (is_missing(r_above)) {
		path_cut(shorter);
		r_above = lookup_enter_path(view, shorter, above);
	}
	/* It may have been created before the directory above had a watch. */
	if (is_missing(r) && r_above == 0)
		r = lookup_enter_path(view, path, ret);
	return r_above < 0 ? r_above : r;
}

/*
 * Walks and lists the directories under `path`, level by level: first `path` itself, then down to
 * `depth` levels below it (-1: all). If `path` is missing, the walk is empty. May wait. Returns 0
 * or -errno; call walk_leave() in any case.
 */
static int walk_under(struct view *view, const char *path, int depth, struct walk *walk)
{
	struct directory *top;
	int r = enter_top(view, path, &top, &walk->above);
	if (is_missing(r))
		return 0;
	if (r == 0)
		r = array_push(walk->items, walk->count, walk->capacity, top);
	/* The last level is completed as well, but not entered. */
	size_t level_end = walk->count;
	for (size_t i = 0; r == 0 && i < walk->count; i++) {
		if (i == level_end && depth > 0) {
			depth--;
			level_end = walk->count;
		}
		r = depth == 0 ? names_complete(view, walk->items[i])
			       : walk_into(view, walk, walk->items[i]);
	}
	return r;
}

/* Returns whether the layers have a file, which may be broken and shown as its last good link. */
static bool is_file(const struct entry *entry)
{
	return entry->kind == UNION_FILE || (entry->kind == UNION_LINK && entry->use->fault);
}

static int fill(struct index *index, const struct walk *walk)
{
	for (size_t i = 0; i < index->bucket_count; i++)
		for (struct indexed *indexed = index->buckets[i]; indexed; indexed = indexed->next)
			indexed->first = NULL;
	for (size_t i = 0; i < walk->count; i++) {
		const struct directory *directory = walk->items[i];
		for (size_t j = 0; j < directory->order.count; j++) {
			const struct entry *entry = directory_listed(directory, j);
			if (!entry || !is_file(entry))
				continue;
			struct indexed *indexed = add_name(index, entry->name);
			if (!indexed)
				return -ENOMEM;
			if (!indexed->first)
				indexed->first = walk->items[i];
		}
	}
	return 0;
}

static int build(struct view *view, const char *directory, int depth)
{
	struct walk walk = {0};

	uint64_t changed = view->dependency_indexes.changed;
	int r = walk_under(view, directory, depth, &walk);
	struct index *index = r == 0 ? get_index(view, directory, depth) : NULL;
	if (r == 0 && !index)
		r = -ENOMEM;
	if (r == 0)
		r = fill(index, &walk);
	if (r == 0) {
		struct walk old = index->walk;
		index->walk = walk;
		/* A directory may have appeared where the walk had passed already. */
		index->is_fresh = changed == view->dependency_indexes.changed;
		walk = old;
	}
	walk_leave(view, &walk);
	return r;
}

static int freshen(struct view *view, const char *directory, int depth)
{
	const struct index *index = find_index(view, directory, depth);

	return index && index->is_fresh ? 0 : build(view, directory, depth);
}

/* A file found in an index. It is a copy, as the index may change while the file is looked at. */
struct hit {
	char *path;
	size_t name_at; /* in `path` */
	layer_mask layers;
};

struct hits {
	struct hit *items;
	size_t count;
};

static void hits_fini(struct hits *hits)
{
	for (size_t i = 0; i < hits->count; i++)
		free(hits->items[i].path);
	free(hits->items);
}

static int collect(const struct index *index, struct hits *hits)
{
	size_t capacity = 0;

	for (size_t i = 0; i < index->walk.count; i++)
		capacity += index->walk.items[i]->entries.count;
	hits->items = calloc(capacity + 1, sizeof(*hits->items));
	if (!hits->items)
		return -ENOMEM;
	for (size_t i = 0; i < index->walk.count; i++) {
		const struct directory *directory = index->walk.items[i];
		for (size_t j = 0; j < directory->order.count && hits->count < capacity; j++) {
			const struct entry *entry = directory_listed(directory, j);
			struct hit *hit = &hits->items[hits->count];
			if (!entry || !is_file(entry))
				continue;
			if (directory_join(directory, entry->name, &hit->path) < 0)
				return -ENOMEM;
			hit->name_at = strlen(hit->path) - strlen(entry->name);
			hit->layers = directory->layers;
			hits->count++;
		}
	}
	return 0;
}

int dependency_list(void *context, const char *directory, int depth,
	int (*each)(void *context, const char *path, const char *name, layer_mask layers),
	void *each_context)
{
	CLEANUP(hits_fini) struct hits hits = {0};
	struct view *view = context;

	int r = freshen(view, directory, depth);
	if (r < 0)
		return r;
	const struct index *index = find_index(view, directory, depth);
	if (index)
		r = collect(index, &hits);
	for (size_t i = 0; r == 0 && i < hits.count; i++)
		r = each(each_context, hits.items[i].path,
			hits.items[i].path + hits.items[i].name_at, hits.items[i].layers);
	return r;
}

/* Watches the other names of the file that was found. Returns 0, or a shortage as -errno. */
static int watch_sources(struct view *view, const char *path, layer_mask layers)
{
	CLEANUP(union_lookup_freep) struct union_lookup *lookup = union_lookup_new();
	CLEANUP(settings_unrefp) struct settings *settings = view_settings(view);

	if (!lookup)
		return -ENOMEM;
	int r = union_look_up(settings, layers, path, lookup);
	if (r == 0)
		link_watch_sources(view, settings, path, lookup);
	return r;
}

/* Returns the directory with the file after `skip` others of the same name, or NULL. */
static const struct directory *find_directory(
	const struct index *index, const char *name, size_t skip)
{
	const struct indexed *indexed = index ? find_name(index, name) : NULL;

	if (skip == 0 || !indexed || !indexed->first)
		return indexed ? indexed->first : NULL;
	for (size_t i = 0; i < index->walk.count; i++) {
		const struct entry *entry = directory_find(index->walk.items[i], name);

		if (entry && is_file(entry) && skip-- == 0)
			return index->walk.items[i];
	}
	return NULL;
}

int dependency_find(void *context, const char *directory, const char *name, size_t skip, char **ret,
	layer_mask *layers)
{
	struct view *view = context;

	int r = freshen(view, directory, -1);
	if (r < 0)
		return r;
	const struct directory *found = find_directory(find_index(view, directory, -1), name, skip);
	if (!found)
		return FINDER_ABSENT;
	*layers = found->layers;
	r = directory_join(found, name, ret);
	return r == 0 ? watch_sources(view, *ret, *layers) : r;
}

const struct entry *dependency_entry(struct view *view, const char *directory, const char *name)
{
	const struct index *index = find_index(view, directory, -1);
	const struct indexed *indexed = index ? find_name(index, name) : NULL;

	return indexed && indexed->first ? directory_find(indexed->first, name) : NULL;
}

void dependency_forget(struct entry *entry)
{
	if (!entry->use->dependencies)
		return;
	for (struct dependency *dependency = entry->use->dependencies, *next; dependency;
		dependency = next) {
		next = dependency->next;
		*dependency->place = dependency->next_same;
		if (dependency->next_same)
			dependency->next_same->place = dependency->place;
		free(dependency);
	}
	entry_used(entry)->dependencies = NULL;
}

static int remember(struct view *view, struct entry *entry, const char *directory, const char *name)
{
	struct index *index = get_index(view, directory, -1);
	struct indexed *indexed = index ? add_name(index, name) : NULL;
	struct dependency *dependency = indexed ? malloc(sizeof(*dependency)) : NULL;

	if (!dependency)
		return -ENOMEM;
	*dependency = (struct dependency){
		.entry = entry,
		.next = entry->use->dependencies,
		.next_same = indexed->dependents,
		.place = &indexed->dependents,
	};
	if (indexed->dependents)
		indexed->dependents->place = &dependency->next_same;
	indexed->dependents = dependency;
	entry_used(entry)->dependencies = dependency;
	return 0;
}

int dependency_remember(struct view *view, const struct look *look)
{
	const struct path_list *asked = &look->result.asked;
	struct entry *entry = look->entry;
	int r = 0;

	if (look->result.code == 0 || asked->count)
		dependency_forget(entry);
	for (size_t i = 0; r == 0 && i < asked->count; i += 2)
		r = remember(view, entry, asked->paths[i], asked->paths[i + 1]);
	return r;
}

/* A dependency has changed, so workers may try the file again. */
static void queue_dependent(struct view *view, struct entry *entry)
{
	CLEANUP(freep) char *path = NULL;

	if (view->workers && workers_have_failures(view->workers) &&
		directory_join(entry->parent, entry->name, &path) == 0)
		workers_try_again(view->workers, path);
	queue_entry(view, entry);
}

bool dependency_is_late(struct view *view, const struct look *look)
{
	if (!look->result.asked.count || view->dependency_indexes.changed <= look->began)
		return false;
	queue_dependent(view, look->entry);
	return true;
}

static void queue_asking(struct view *view, const struct indexed *indexed)
{
	for (struct dependency *dependency = indexed->dependents; dependency;
		dependency = dependency->next_same)
		queue_dependent(view, dependency->entry);
}

static void queue_path(void *context, const char *path)
{
	struct view *view = context;
	struct directory *directory = directory_above(view, path);
	struct entry *entry = directory ? directory_entry(directory, path_name(path)) : NULL;

	if (entry)
		queue_entry(view, entry);
	else if (directory)
		queue_shortage(view);
}

void dependency_touch(struct view *view, const struct directory *directory, const char *name)
{
	view->dependency_indexes.changed = ++view->revision;
	for (struct index *index = view->dependency_indexes.indexes; index; index = index->next) {
		if (!path_within(directory->path, index->directory))
			continue;
		struct indexed *indexed = find_name(index, name);
		if (indexed)
			queue_asking(view, indexed);
	}
	expand_each_made_of(view->composer.settings, directory->path, name, queue_path, view);
}

void dependency_stale(struct view *view, const struct directory *directory)
{
	view->dependency_indexes.changed = ++view->revision;
	for (struct index *index = view->dependency_indexes.indexes; index; index = index->next)
		if (path_within(directory->path, index->directory))
			index->is_fresh = false;
}

void dependency_reindex(struct view *view, const char *path)
{
	view->dependency_indexes.changed = ++view->revision;
	for (struct index *index = view->dependency_indexes.indexes; index; index = index->next) {
		if (!path_within(path, index->directory) && !path_within(index->directory, path))
			continue;
		index->is_fresh = false;
		for (size_t i = 0; i < index->bucket_count; i++)
			for (struct indexed *indexed = index->buckets[i]; indexed;
				indexed = indexed->next)
				queue_asking(view, indexed);
	}
	for (size_t i = 0; i < view->composer.settings->file_count; i++)
		queue_path(view, view->composer.settings->files[i].path);
}

void dependency_fini(struct view *view)
{
	for (struct index *index = view->dependency_indexes.indexes, *next; index; index = next) {
		next = index->next;
		walk_leave(view, &index->walk);
		for (size_t i = 0; i < index->bucket_count; i++)
			for (struct indexed *indexed = index->buckets[i], *after; indexed;
				indexed = after) {
				after = indexed->next;
				while (indexed->dependents)
					dependency_forget(indexed->dependents->entry);
				free(indexed);
			}
		free(index->buckets);
		free(index->directory);
		free(index);
	}
	view->dependency_indexes.indexes = NULL;
}
