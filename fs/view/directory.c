#include "directory.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "dependency.h"
#include "gate.h"
#include "hash.h"
#include "link_watch.h"
#include "path.h"

#define BUCKETS_FIRST 16

const struct entry_use entry_unused;

int directory_join(const struct directory *directory, const char *name, char **ret)
{
	return path_join(directory->path, name, ret);
}

static bool is_at_or_below(const struct directory *directory, unsigned layer, dev_t dev, ino_t ino)
{
	for (; directory; directory = directory->parent)
		if (directory->layers >> layer & 1 && directory->identities[layer].dev == dev &&
			directory->identities[layer].ino == ino)
			return true;
	return false;
}

bool directory_is_in_itself(const struct directory *directory)
{
	bool is_inside = directory->layers != 0;

	for (unsigned i = 0; is_inside && i < directory->watches.count; i++)
		if (directory->layers >> i & 1)
			is_inside = is_at_or_below(directory->parent, i,
				directory->identities[i].dev, directory->identities[i].ino);
	return is_inside;
}

bool directory_would_hold_itself(
	const struct directory *directory, const struct union_lookup *found)
{
	if (found->kind != UNION_DIRECTORY || !found->count)
		return false;
	for (unsigned i = 0; i < found->count; i++)
		if (!is_at_or_below(directory, found->found[i].layer, found->found[i].stat.st_dev,
			    found->found[i].stat.st_ino))
			return false;
	return true;
}

static void directory_freep(struct directory **directory)
{
	directory_free(*directory);
}

int directory_new(
	struct directory *parent, const char *name, size_t layer_count, struct directory **ret)
{
	CLEANUP(directory_freep) struct directory *directory = calloc(1, sizeof(*directory));
	if (!directory)
		return -ENOMEM;
	directory->inode.type = INODE_DIRECTORY;
	directory->parent = parent;
	directory->order.next = DIRECTORY_COOKIE_FIRST;
	directory->entries.bucket_count = BUCKETS_FIRST;
	directory->entries.buckets = calloc(BUCKETS_FIRST, sizeof(*directory->entries.buckets));
	directory->watches = (struct layer_watches){.owner = directory,
		.items = calloc(layer_count, sizeof(struct layer_watch *)),
		.count = layer_count};
	directory->identities = calloc(layer_count, sizeof(*directory->identities));
	if (!directory->entries.buckets || !directory->watches.items || !directory->identities)
		return -ENOMEM;
	if (parent) {
		int r = directory_join(parent, name, &directory->path);
		if (r < 0)
			return r;
	} else {
		directory->path = strdup("");
		if (!directory->path)
			return -ENOMEM;
	}
	*ret = take_ptr(directory);
	return 0;
}

struct entry *directory_own_entry(const struct directory *directory)
{
	const struct directory *parent = directory->parent;

	return parent ? directory_find(parent, path_name(directory->path)) : NULL;
}

static void entry_free(struct entry *entry)
{
	if (entry->use->version) {
		entry->use->version->entry = NULL;
		version_unref(entry->use->version);
	}
	dependency_forget(entry);
	gate_forget(entry);
	free(entry->use->fault);
	free(entry->use->pending);
	if (entry->use != &entry_unused)
		free(entry_used(entry));
	free(entry);
}

void directory_free(struct directory *directory)
{
	if (!directory)
		return;
	for (size_t i = 0; directory->entries.buckets && i < directory->entries.bucket_count; i++)
		for (struct entry *entry = directory->entries.buckets[i], *next; entry;
			entry = next) {
			next = entry->next;
			entry_free(entry);
		}
	free(directory->entries.buckets);
	free(directory->order.slots);
	link_watch_remove(directory);
	free(directory->watches.items);
	free(directory->identities);
	free(directory->path);
	free(directory);
}

/* The hash is seeded, so that no user can choose names that all lie in one bucket. */
static size_t bucket_of(const char *name, size_t bucket_count)
{
	return hash_end(hash_bytes(hash_seed(), span_of(name))) & (bucket_count - 1);
}

struct entry *directory_next(const struct directory *directory, const struct entry *entry)
{
	const struct directory_entries *entries = &directory->entries;
	size_t i = entry ? bucket_of(entry->name, entries->bucket_count) + 1 : 0;

	if (entry && entry->next)
		return entry->next;
	while (i < entries->bucket_count && !entries->buckets[i])
		i++;
	return i < entries->bucket_count ? entries->buckets[i] : NULL;
}

struct entry *directory_find(const struct directory *directory, const char *name)
{
	struct entry *entry =
		directory->entries.buckets[bucket_of(name, directory->entries.bucket_count)];

	while (entry && strcmp(entry->name, name) != 0)
		entry = entry->next;
	return entry;
}

/* Grows the table. If memory is short, the table only gets slower. */
static void grow(struct directory *directory)
{
	size_t count = directory->entries.bucket_count * 2;
	struct entry **buckets = calloc(count, sizeof(*buckets));

	if (!buckets)
		return;
	for (size_t i = 0; i < directory->entries.bucket_count; i++)
		for (struct entry *entry = directory->entries.buckets[i], *next; entry;
			entry = next) {
			struct entry **bucket = &buckets[bucket_of(entry->name, count)];
			next = entry->next;
			entry->next = *bucket;
			*bucket = entry;
		}
	free(directory->entries.buckets);
	directory->entries.buckets = buckets;
	directory->entries.bucket_count = count;
}

struct entry_use *entry_use(struct entry *entry)
{
	if (entry->use == &entry_unused) {
		struct entry_use *use = calloc(1, sizeof(*use));
		if (!use)
			return NULL;
		entry->use = use;
	}
	return entry_used(entry);
}

struct entry *directory_entry(struct directory *directory, const char *name)
{
	struct entry *entry = directory_find(directory, name);
	if (entry)
		return entry;

	size_t size = strlen(name) + 1;
	entry = calloc(1, offsetof(struct entry, name) + size);
	if (!entry)
		return NULL;
	memcpy(entry->name, name, size);
	entry->parent = directory;
	entry->use = &entry_unused;
	if (directory->entries.count >= directory->entries.bucket_count)
		grow(directory);
	struct entry **bucket =
		&directory->entries.buckets[bucket_of(name, directory->entries.bucket_count)];
	entry->next = *bucket;
	*bucket = entry;
	directory->entries.count++;
	return entry;
}

static bool is_over(const struct pending *pending)
{
	return pending && pending->state == PENDING_NONE && !pending->next &&
	       !pending->plan.is_event && !pending->plan.takes_unfinished && !pending->writing &&
	       !pending->created && !pending->restless_ms;
}

/* Frees what is pending, and then the `use`, if nothing is left of it. */
static void tidy_use(struct entry *entry)
{
	if (entry->use == &entry_unused)
		return;
	struct entry_use *use = entry_used(entry);
	if (is_over(use->pending)) {
		free(use->pending);
		use->pending = NULL;
	}
	if (!use->users) {
		use->used_since = 0;
		memset(use->news, 0, sizeof(use->news));
	}
	if (memcmp(use, &entry_unused, sizeof(*use)) != 0)
		return;
	free(use);
	entry->use = &entry_unused;
}

void directory_tidy(struct directory *directory, struct entry *entry)
{
	tidy_use(entry);
	if (entry->kind != UNION_NONE || entry->use->fault ||
		entry_pending(entry) != PENDING_NONE ||
		(entry->use->pending && entry->use->pending->next) || entry->use->users ||
		directory->listers)
		return;

	struct entry **place =
		&directory->entries
			 .buckets[bucket_of(entry->name, directory->entries.bucket_count)];
	while (*place != entry)
		place = &(*place)->next;
	*place = entry->next;
	directory->entries.count--;
	directory_unlist_entry(directory, entry);
	entry_free(entry);
}

/* Returns the slot of a name that went away, with its cookie. Entries have even addresses. */
static uintptr_t gap_of(uint64_t cookie)
{
	return (uintptr_t)cookie << 1 | 1;
}

static uint64_t cookie_at(const struct directory *directory, size_t i)
{
	const struct entry *entry = directory_listed(directory, i);

	return entry ? entry->place : directory->order.slots[i] >> 1;
}

/* Removes the gaps from the listing once they are half of it. */
static void compact(struct directory *directory)
{
	size_t kept = 0;

	for (size_t i = 0; i < directory->order.count; i++)
		if (directory_listed(directory, i))
			directory->order.slots[kept++] = directory->order.slots[i];
	directory->order.count = kept;
}

static bool return_to_place(struct directory *directory, struct entry *entry)
{
	if (!entry->place)
		return false;
	size_t i = directory_seek(directory, entry->place - 1);
	if (i == directory->order.count || directory->order.slots[i] != gap_of(entry->place))
		return false;
	directory->order.slots[i] = (uintptr_t)entry;
	entry->is_listed = true;
	return true;
}

int directory_list_entry(struct directory *directory, struct entry *entry)
{
	if (entry->is_listed || return_to_place(directory, entry))
		return 0;
	if (directory->order.count == directory->order.capacity &&
		directory->order.count > directory->entries.count * 2)
		compact(directory);
	if (directory->order.count == directory->order.capacity) {
		size_t capacity = directory->order.capacity ? directory->order.capacity * 2 : 32;
		uintptr_t *slots = reallocarray(directory->order.slots, capacity, sizeof(*slots));
		/* The next listing is made complete again. */
		if (!slots) {
			directory->names = NAMES_SOME;
			return -ENOMEM;
		}
		directory->order.slots = slots;
		directory->order.capacity = capacity;
	}
	entry->is_listed = true;
	entry->place = directory->order.next++;
	directory->order.slots[directory->order.count++] = (uintptr_t)entry;
	return 0;
}

int directory_order(struct directory *directory, struct entry *const *entries, size_t count)
{
	struct directory_order *order = &directory->order;

	order->slots = calloc(count + 1, sizeof(*order->slots));
	if (!order->slots)
		return -ENOMEM;
	order->capacity = count + 1;
	order->count = count;
	for (size_t i = 0; i < count; i++)
		order->slots[i] =
			entries[i]->is_listed ? (uintptr_t)entries[i] : gap_of(entries[i]->place);
	return 0;
}

size_t directory_seek(const struct directory *directory, uint64_t cookie)
{
	size_t low = 0;
	size_t high = directory->order.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (cookie_at(directory, middle) <= cookie)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void directory_unlist_entry(struct directory *directory, struct entry *entry)
{
	if (!entry->is_listed)
		return;
	size_t i = directory_seek(directory, entry->place - 1);
	directory->order.slots[i] = gap_of(entry->place);
	entry->is_listed = false;
}

void directory_restrict(
	const struct directory *directory, struct version *version, const struct mounter *mounter)
{
	for (; directory; directory = directory->parent) {
		const struct rights *rights = &directory->attributes.rights;
		const struct version guard = {.mode = rights_of_files_in(rights->mode),
			.uid = rights->uid,
			.gid = rights->gid};
		version_restrict(version, &guard, mounter);
	}
}

void directory_stat(const struct directory *directory, struct stat *ret)
{
	*ret = (struct stat){
		.st_ino = directory->inode.ino,
		.st_mode = S_IFDIR | directory->attributes.rights.mode,
		/* 1 says "not counted": find(1) must not take it for the number of directories. */
		.st_nlink = !directory->inode.is_removed,
		.st_uid = directory->attributes.rights.uid,
		.st_gid = directory->attributes.rights.gid,
		.st_size = 4096,
		.st_blksize = 4096,
		.st_blocks = 8,
		.st_atim = directory->attributes.mtime,
		.st_mtim = directory->attributes.mtime,
		.st_ctim = directory->attributes.mtime,
	};
}
