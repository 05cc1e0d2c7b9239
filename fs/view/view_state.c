#include "view.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "attach.h"
#include "attributes.h"
#include "change_hook.h"
#include "cleanup.h"
#include "descriptor.h"
#include "entry.h"
#include "events.h"
#include "path.h"
#include "placeholder.h"
#include "state.h"
#include "version_record.h"

/* Inode numbers of the view end here. */
#define INO_END ((uint64_t)1 << 63)

/* Counted numbers end here, and numbers computed from paths begin. */
#define INO_COUNTED_END ((uint64_t)1 << 62)

/* The least bytes that a version, a directory or a path's fault takes in the record. */
#define LEAST_SIZE 8

/* The object that an entry shows, or its name alone. */
enum shows { SHOWS_NAME, SHOWS_VERSION, SHOWS_DIRECTORY };

static void put_directory(struct record *record, const struct directory *directory);

static void put_version(struct record *record, const struct version *version)
{
	record_put(record, version->inode.ino);
	record_put(record, version->inode.kernel_refs);
	version_put(record, version);
}

static void put_fault(struct record *record, const struct fault *fault)
{
	record_put(record, fault != NULL);
	if (!fault)
		return;
	record_put_problem(record, &fault->problem);
	record_put_time(record, fault->since);
	record_put(record, fault->serves);
	record_put_time(record, fault->made);
}

/* Writes what was reported of the name and is not published yet. */
static void put_pending(struct record *record, const struct entry *entry)
{
	const struct pending none = {0};
	const struct pending *pending = entry->use->pending ? entry->use->pending : &none;

	record_put(record, pending->state);
	record_put(record, pending->plan.scope);
	record_put(record, pending->plan.is_event);
}

static void put_last(struct record *record, uint64_t ino, const struct last_inode *last)
{
	record_put(record, ino);
	record_put(record, last->fingerprint);
	record_put_time(record, last->mtime);
	record_put_time(record, last->ctime);
}

static void put_entry(struct record *record, const struct entry *entry)
{
	enum shows shows = entry->use->version     ? SHOWS_VERSION
			   : entry->use->directory ? SHOWS_DIRECTORY
						   : SHOWS_NAME;

	record_put_text(record, entry->name);
	record_put(record, entry->kind);
	record_put(record, entry->is_listed ? entry->place : 0);
	record_put(record, entry->place);
	put_last(record, entry_ino(entry), &entry->use->last);
	record_put(record, entry_is_unannounced(entry) || entry->known == KNOWN_TOUCHED);
	put_fault(record, entry->use->fault);
	put_pending(record, entry);
	record_put(record, shows);
	if (shows == SHOWS_VERSION)
		put_version(record, entry->use->version);
	else if (shows == SHOWS_DIRECTORY)
		put_directory(record, entry->use->directory);
}

static void put_attributes(struct record *record, const struct directory *directory)
{
	record_put(record, directory->inode.ino);
	record_put(record, directory->inode.kernel_refs);
	record_put(record, directory->attributes.rights.mode);
	record_put(record, directory->attributes.rights.uid);
	record_put(record, directory->attributes.rights.gid);
	record_put_time(record, directory->attributes.mtime);
	record_put(record, attributes_are_unnotified(directory));
	record_put(record, directory->attributes.revoked > directory->attributes.notified);
	record_put(record, directory->attributes.revocations);
}

/* Writes where each layer had the directory. */
static void put_identities(struct record *record, const struct directory *directory)
{
	size_t place = record_put_count(record);
	uint64_t count = 0;

	for (unsigned i = 0; i < directory->watches.count; i++) {
		if (!(directory->layers >> i & 1))
			continue;
		record_put(record, i);
		record_put(record, directory->identities[i].dev);
		record_put(record, directory->identities[i].ino);
		count++;
	}
	record_set_count(record, place, count);
}

/* Writes a directory with its entries. Its depth is bounded by PATH_MAX. */
static void put_directory(struct record *record, const struct directory *directory)
{
	uint64_t count = 0;

	put_attributes(record, directory);
	put_identities(record, directory);
	record_put(record, directory->names);
	record_put(record, directory->has_absences);
	record_put(record, directory->order.next);
	size_t place = record_put_count(record);
	for (const struct entry *entry = NULL; (entry = directory_next(directory, entry));) {
		if (entry->kind == UNION_NONE && !entry->use->fault && !entry_pending(entry))
			continue;
		put_entry(record, entry);
		count++;
	}
	record_set_count(record, place, count);
}

/*
 * Writes the placeholder's path. NULL: it has ended; or a right to a directory above was taken
 * away; or its directory is dead, and another one in that place may admit fewer users.
 */
static void put_placeholder(struct record *record, const struct placeholder *placeholder)
{
	const struct entry *entry = placeholder->entry;
	CLEANUP(freep) char *path = NULL;

	if (entry && !entry->parent->inode.is_removed &&
		attributes_revocations(entry->parent) == placeholder->revocations)
		(void)directory_join(entry->parent, entry->name, &path);
	record_put_text(record, path);
}

/* Writes an object that no path shows, but that the kernel still holds: a removed directory, a
 * version or a placeholder. Returns whether it is one. */
static bool put_unshown(struct record *record, const struct inode *inode)
{
	const struct placeholder *placeholder = (const struct placeholder *)inode;
	const struct directory *directory = (const struct directory *)inode;
	const struct version *version = (const struct version *)inode;

	if ((inode->type == INODE_DIRECTORY && !directory->inode.is_removed) ||
		(inode->type == INODE_VERSION && version->entry))
		return false;
	record_put(record, inode->type);
	switch (inode->type) {
	case INODE_DIRECTORY:
		record_put_text(record, directory->path);
		put_attributes(record, directory);
		break;
	case INODE_VERSION:
		put_version(record, version);
		break;
	case INODE_PLACEHOLDER:
		record_put(record, inode->ino);
		record_put(record, inode->kernel_refs);
		put_placeholder(record, placeholder);
		break;
	}
	return true;
}

static void put_all_unshown(struct record *record, const struct inode_table *table)
{
	size_t place = record_put_count(record);
	uint64_t count = 0;

	for (size_t i = 0; i < table->size; i++)
		for (const struct inode *inode = table->buckets[i]; inode; inode = inode->next)
			count += put_unshown(record, inode);
	record_set_count(record, place, count);
}

static void put_memory(struct record *record, const struct inode_memory *memory)
{
	record_put(record, memory->count);
	for (size_t i = 0; i < memory->size; i++) {
		const struct inode_memory_item *item = &memory->items[i];
		if (!item->path)
			continue;
		record_put(record, item->path);
		put_last(record, item->ino, &item->last);
	}
}

static void put_path(void *record, const char *path)
{
	record_put(record, true);
	record_put_text(record, path);
}

static void put_layers(struct record *record, const struct settings *settings)
{
	record_put(record, settings->layer_count);
	for (size_t i = 0; i < settings->layer_count; i++)
		record_put_text(record, settings->layers[i]->path);
}

void view_put_state(struct view *view, struct record *record)
{
	record_put(record, view_is_strict(view));
	record_put(record, view->inodes.next);
	record_put_fd(record, inotify_fd(view->watch.inotify));
	put_layers(record, view->composer.settings);
	put_directory(record, view->root);
	put_all_unshown(record, &view->inodes.table);
	put_memory(record, &view->inodes.memory);
	change_hook_each_path(view, put_path, record);
	record_put(record, false);
}

/* A layer that the settings do not have any more. */
#define NO_RANK UINT_MAX

struct taking {
	struct view *view;
	struct record *record;
	size_t layer_count;         /* the old daemon's */
	unsigned ranks[LAYERS_MAX]; /* the present number of each of its layers */
};

/* Returns whether an object may have this number. */
static bool is_fit(const struct view *view, uint64_t ino)
{
	return ino > VIEW_INO_RESERVED && ino < INO_END &&
	       (ino >= INO_COUNTED_END || ino < view->inodes.next);
}

/* Gives the object as many references as the kernel has. */
static void hold(struct view *view, struct inode *inode, uint64_t refs, struct record *record)
{
	if (record_error(record) || !refs)
		return;
	if (inode_table_find(&view->inodes.table, inode->ino)) {
		record_spoil(record);
		return;
	}
	inode_hold(view, inode);
	inode->kernel_refs = refs;
}

/* Reads a version with the caller's reference; *refs is the kernel's. NULL: record_error(). */
static struct version *take_version(struct view *view, struct record *record, uint64_t *refs)
{
	uint64_t ino = record_get(record);

	*refs = record_get(record);
	CLEANUP(version_unrefp) struct version *version = version_take(record);
	if (!is_fit(view, ino))
		record_spoil(record);
	if (!version || record_error(record))
		return NULL;
	version->inode.ino = ino;
	return take_ptr(version);
}

static int take_fault(struct view *view, struct record *record, struct entry *entry)
{
	if (!record_get_bool(record))
		return 0;
	struct entry_use *use = entry_use(entry);
	struct fault *fault = use ? calloc(1, sizeof(*fault)) : NULL;
	if (!fault)
		return -ENOMEM;
	use->fault = fault;
	entry->parent->keep_alive_count++;
	view->counts.faults++;
	(void)record_get_problem(record, &fault->problem);
	fault->since = record_get_time(record);
	fault->serves = (enum fault_serves)record_get_below(record, FAULT_SERVES_OTHER_SETTINGS);
	fault->made = record_get_time(record);
	return 0;
}

static void take_attributes(struct view *view, struct record *record, struct directory *directory)
{
	uint64_t ino = record_get(record);
	uint64_t refs = record_get(record);

	directory->attributes.rights.mode = (mode_t)record_get_below(record, 07777);
	directory->attributes.rights.uid = (uid_t)record_get_below(record, UINT32_MAX);
	directory->attributes.rights.gid = (gid_t)record_get_below(record, UINT32_MAX);
	directory->attributes.mtime = record_get_time(record);
	directory->attributes.notified = 0;
	directory->attributes.described = record_get_bool(record);
	directory->attributes.revoked =
		record_get_bool(record) ? directory->attributes.described : 0;
	/* The version before this one counted it only when the kernel had been notified. */
	directory->attributes.revocations = record_get(record) + directory->attributes.revoked;
	if (directory == view->root ? ino != VIEW_INO_ROOT : !is_fit(view, ino))
		record_spoil(record);
	if (directory == view->root || record_error(record))
		return;
	directory->inode.ino = ino;
	hold(view, &directory->inode, refs, record);
}

static int compare_places(const void *a, const void *b)
{
	const struct entry *one = *(struct entry *const *)a, *other = *(struct entry *const *)b;

	return one->place < other->place ? -1 : one->place > other->place;
}

/* Puts the names at their former places in the listing. Places that others have left stay free. */
static int order_entries(struct directory *directory, struct record *record)
{
	size_t count = 0;

	CLEANUP(freep)
	struct entry **entries = calloc(directory->entries.count + 1, sizeof(struct entry *));
	if (!entries)
		return -ENOMEM;
	for (struct entry *entry = NULL; (entry = directory_next(directory, entry));)
		if (entry->place)
			entries[count++] = entry;
	qsort(entries, count, sizeof(struct entry *), compare_places);
	for (size_t i = 0; i < count; i++) {
		if (i && entries[i]->place == entries[i - 1]->place)
			record_spoil(record);
	}
	return directory_order(directory, entries, count);
}

static bool is_name(const char *name)
{
	return *name && strlen(name) <= NAME_MAX && !strchr(name, '/') && strcmp(name, ".") != 0 &&
	       strcmp(name, "..") != 0 && !union_is_mark(name);
}

static int take_directory(const struct taking *taking, struct directory *directory);

static int take_child(const struct taking *taking, struct entry *entry)
{
	struct directory *parent = entry->parent;
	size_t layer_count = taking->view->composer.settings->layer_count;

	if (strlen(parent->path) + strlen(entry->name) + 2 > PATH_MAX) {
		record_spoil(taking->record);
		return 0;
	}
	struct entry_use *use = entry_use(entry);
	int r = use ? directory_new(parent, entry->name, layer_count, &use->directory) : -ENOMEM;
	if (r < 0)
		return r;
	parent->users++;
	return take_directory(taking, use->directory);
}

static int take_shown(const struct taking *taking, struct entry *entry)
{
	struct record *record = taking->record;
	struct view *view = taking->view;
	enum shows shows = (enum shows)record_get_below(record, SHOWS_DIRECTORY);
	uint64_t refs;

	if (shows != SHOWS_NAME &&
		(entry->kind == UNION_NONE ||
			(entry->kind == UNION_DIRECTORY) != (shows == SHOWS_DIRECTORY)))
		record_spoil(record);
	/* A change hook also gets changes of files that the kernel has forgotten. */
	if (entry->use->last.fingerprint && entry->kind != UNION_DIRECTORY)
		change_hook_pin(view, entry);
	if (record_error(record) || shows == SHOWS_NAME)
		return 0;
	if (shows == SHOWS_DIRECTORY)
		return take_child(taking, entry);
	struct entry_use *use = entry_use(entry);
	if (!use)
		return -ENOMEM;
	struct version *version = take_version(view, record, &refs);
	if (!version)
		return record_refuse(record);
	use->version = version;
	version->entry = entry;
	source_cache_hold(view->cache, version);
	hold(view, &version->inode, refs, record);
	change_hook_pin(view, entry);
	return 0;
}

/* Queues the name as if it had been reported just now. */
static void take_pending(const struct taking *taking, struct entry *entry)
{
	struct record *record = taking->record;
	enum pending_state pending = (enum pending_state)record_get_below(record, PENDING_QUEUED);
	enum entry_scope scope = (enum entry_scope)record_get_below(record, SCOPE_FULL);

	bool is_touched = record_get_bool(record);
	if (record_error(record))
		return;
	if (is_touched)
		queue_touch(taking->view, entry);
	if (pending == PENDING_QUEUED)
		queue_entry_scope(taking->view, entry, scope);
	else if (pending != PENDING_NONE)
		queue_debounce(taking->view, entry,
			pending == PENDING_WRITING ? EVENTS_QUIET_MS : EVENTS_GONE_MS);
}

static void take_last(struct record *record, uint64_t *ino, struct last_inode *ret)
{
	*ino = record_get_below(record, INO_END - 1);
	ret->fingerprint = record_get(record);
	ret->mtime = record_get_time(record);
	ret->ctime = record_get_time(record);
}

/* Most names have nothing but the number that their path gives. */
static int take_numbers(struct record *record, struct entry *entry)
{
	static const struct last_inode none;
	struct last_inode last;
	uint64_t ino;

	take_last(record, &ino, &last);
	bool is_last = memcmp(&last, &none, sizeof(last)) != 0;
	if (record_error(record) || (!is_last && (!ino || ino == entry_ino(entry))))
		return 0;
	struct entry_use *use = entry_use(entry);
	if (!use)
		return -ENOMEM;
	use->ino = ino;
	use->last = last;
	return 0;
}

static int take_entry(const struct taking *taking, struct directory *directory)
{
	struct record *record = taking->record;
	CLEANUP(freep) char *name = record_get_text(record);

	if (!name || !is_name(name) || directory_find(directory, name))
		record_spoil(record);
	if (record_error(record))
		return 0;
	struct entry *entry = directory_entry(directory, name);
	if (!entry)
		return -ENOMEM;
	entry->kind = (enum union_kind)record_get_below(record, UNION_LINK);
	uint64_t cookie = record_get(record);
	entry->is_listed = cookie != 0;
	entry->place = record_get_below(record, directory->order.next - 1);
	int r = take_numbers(record, entry);
	if (r < 0)
		return r;
	if (entry->kind != UNION_NONE)
		entry->known = KNOWN_SHOWN;
	if (record_get_bool(record))
		entry->known = KNOWN_UNANNOUNCED;
	entry->layers = UINT64_MAX; /* any layer may have had it */
	bool is_placed = !entry->place || entry->place >= DIRECTORY_COOKIE_FIRST;
	if (!is_placed || (cookie && cookie != entry->place))
		record_spoil(record);
	r = take_fault(taking->view, record, entry);
	take_pending(taking, entry);
	return r ? r : take_shown(taking, entry);
}

/* Reads the identities. They show which layers have stopped showing the directory. */
static void take_identities(const struct taking *taking, struct directory *directory)
{
	struct record *record = taking->record;
	size_t count = record_get_count(record, 3 * LEAST_SIZE);

	directory->layers = 0;
	for (size_t i = 0; i < count && !record_error(record); i++) {
		size_t old = record_get_below(record, LAYERS_MAX - 1);
		struct stamp identity = {0};
		identity.dev = record_get(record);
		identity.ino = record_get(record);
		if (old >= taking->layer_count)
			record_spoil(record);
		else if (taking->ranks[old] != NO_RANK) {
			directory->layers |= (layer_mask)1 << taking->ranks[old];
			directory->identities[taking->ranks[old]] = identity;
		}
	}
}

static int take_directory(const struct taking *taking, struct directory *directory)
{
	struct record *record = taking->record;
	int r = 0;

	take_attributes(taking->view, record, directory);
	take_identities(taking, directory);
	/* The names that expanding shows are found again. */
	enum directory_names names = (enum directory_names)record_get_below(record, NAMES_EXPANDED);
	directory->names = names == NAMES_EXPANDED ? NAMES_LISTED : names;
	directory->was_expanded = names == NAMES_EXPANDED;
	directory->has_absences = record_get_bool(record);
	directory->order.next = record_get(record);
	if (directory->order.next < DIRECTORY_COOKIE_FIRST ||
		directory->order.next > DIRECTORY_COOKIE_MAX)
		record_spoil(record);
	size_t count = record_get_count(record, LEAST_SIZE);
	for (size_t i = 0; r == 0 && i < count && !record_error(record); i++)
		r = take_entry(taking, directory);
	return r || record_error(record) ? r : order_entries(directory, record);
}

static int take_dead_directory(struct view *view, struct record *record)
{
	CLEANUP(freep) char *path = record_get_text(record);
	struct directory *directory;

	if (!path || strlen(path) >= PATH_MAX)
		record_spoil(record);
	if (record_error(record))
		return 0;
	int r = directory_new(view->root, path, view->composer.settings->layer_count, &directory);
	if (r < 0)
		return r;
	view->root->users++;
	directory->inode.is_removed = true;
	/* until the kernel's references are counted */
	directory->users++;
	take_attributes(view, record, directory);
	directory_leave(view, directory);
	return 0;
}

/* Ends the placeholder if its directory is gone, or if the name shows something. */
static void give_to_entry(struct view *view, struct placeholder *placeholder, const char *path)
{
	struct directory *directory = directory_above(view, path);
	const char *name = path_name(path);
	struct entry *entry = directory && is_name(name) ? directory_entry(directory, name) : NULL;

	if (entry && entry_use(entry) && !entry->use->version && !entry->use->directory &&
		!entry->use->placeholder)
		placeholder_take(view, placeholder, entry);
}

static int take_placeholder(struct view *view, struct record *record)
{
	struct placeholder *placeholder = calloc(1, sizeof(*placeholder));

	if (!placeholder)
		return -ENOMEM;
	placeholder->inode.type = INODE_PLACEHOLDER;
	placeholder->inode.ino = record_get(record);
	uint64_t refs = record_get(record);
	CLEANUP(freep) char *path = record_get_text(record);
	if (!is_fit(view, placeholder->inode.ino) || !refs)
		record_spoil(record);
	hold(view, &placeholder->inode, refs, record);
	if (!placeholder->inode.kernel_refs)
		free(placeholder);
	else if (path)
		give_to_entry(view, placeholder, path);
	return 0;
}

static int take_passed_version(struct view *view, struct record *record)
{
	uint64_t refs;
	CLEANUP(version_unrefp) struct version *version = take_version(view, record, &refs);

	/* In a strict mount, the kernel may show a version before an entry does. */
	if (version)
		version->inode.is_removed = !view_is_strict(view);
	if (version)
		hold(view, &version->inode, refs, record);
	return version ? 0 : record_refuse(record);
}

static int take_unshown(struct view *view, struct record *record)
{
	switch ((enum inode_type)record_get_below(record, INODE_PLACEHOLDER)) {
	case INODE_DIRECTORY:
		return take_dead_directory(view, record);
	case INODE_VERSION:
		return take_passed_version(view, record);
	case INODE_PLACEHOLDER:
		return take_placeholder(view, record);
	}
	return 0;
}

static void take_memory(struct view *view, struct record *record)
{
	size_t count = record_get_count(record, 7 * LEAST_SIZE);

	for (size_t i = 0; i < count; i++) {
		struct inode_memory_item item = {0};
		item.path = record_get(record);
		take_last(record, &item.ino, &item.last);
		if (!item.path || !is_fit(view, item.ino))
			record_spoil(record);
		else
			inode_memory_note(&view->inodes.memory, &item);
	}
}

static void take_change_hooks(struct view *view, struct record *record)
{
	while (record_get_bool(record)) {
		CLEANUP(freep) char *path = record_get_text(record);
		if (path)
			view_note_change(view, path);
		else
			record_spoil(record);
	}
}

/*
 * Takes over the old daemon's inotify descriptor, with the events that it has not read. A watch of
 * the same inode by the same descriptor is the same watch.
 */
static int take_events(struct view *view, struct record *record)
{
	CLEANUP(closep) int fd = record_get_fd(record);

	watch_remove(&view->watch, &view->root->watches);
	return fd < 0 ? -EBADMSG : inotify_take_over(view->watch.inotify, fd);
}

static void take_layers(struct taking *taking)
{
	const struct settings *settings = taking->view->composer.settings;

	taking->layer_count = record_get_below(taking->record, LAYERS_MAX);
	for (size_t i = 0; i < taking->layer_count; i++) {
		CLEANUP(freep) char *path = record_get_text(taking->record);
		taking->ranks[i] = NO_RANK;
		for (unsigned j = 0; path && j < settings->layer_count; j++)
			if (strcmp(settings->layers[j]->path, path) == 0)
				taking->ranks[i] = j;
	}
}

static int take_all(struct view *view, struct record *record)
{
	struct taking taking = {.view = view, .record = record};

	/* The kernel sends lookups, or does not, as the old daemon set it up. */
	if (record_get_bool(record) != view_is_strict(view))
		return -ENOTSUP;
	view->inodes.next = record_get_below(record, INO_COUNTED_END - 1);
	if (view->inodes.next <= VIEW_INO_RESERVED)
		record_spoil(record);
	int r = take_events(view, record);
	if (r < 0)
		return r;
	take_layers(&taking);
	r = take_directory(&taking, view->root);
	size_t count = record_get_count(record, 3 * LEAST_SIZE);
	for (size_t i = 0; r == 0 && i < count && !record_error(record); i++)
		r = take_unshown(view, record);
	if (r < 0)
		return r;
	take_memory(view, record);
	take_change_hooks(view, record);
	/* Look for changes since the old daemon's last look, as after lost events. */
	view->queue.is_overflowed = true;
	return record_error(record);
}

static int collect(struct directory_list *list, struct directory *directory)
{
	int r = directory_list_add(list, directory) ? 0 : -ENOMEM;

	for (struct entry *entry = NULL; r == 0 && (entry = directory_next(directory, entry));)
		if (entry->use->directory)
			r = collect(list, entry->use->directory);
	return r;
}

/* Finds out which layers show the directory now, and by which rights. */
static int look_at(struct view *view, struct directory *directory)
{
	CLEANUP(union_lookup_freep) struct union_lookup *lookup = union_lookup_new();
	const struct settings *settings = view->composer.settings;
	layer_mask layers =
		directory->parent ? directory->parent->layers : union_all_layers(settings);

	if (!lookup)
		return -ENOMEM;
	int r = union_look_up(settings, layers, directory->path, lookup);
	if (r < 0)
		return r;
	/* The look at its name removes what is no directory any more. */
	union_keep_directory(lookup);
	if (lookup->kind != UNION_DIRECTORY)
		union_lookup_fini(lookup);
	/* A layer that may be hidden does not join. */
	if (lookup->whiteout_error)
		lookup->layers &= directory->layers;
	/* Rights that the old daemon found, but did not show, do not count. */
	directory->attributes.found = directory->attributes.rights;
	(void)attach_update(view, settings, directory, lookup);
	return 0;
}

int view_take_state(struct view *view, struct record *record)
{
	struct directory_list list = {0};

	int r = take_all(view, record);
	if (r == 0)
		r = collect(&list, view->root);
	/* Each directory comes after its parent. */
	for (size_t i = 0; r == 0 && i < list.count; i++)
		r = look_at(view, list.items[i]);
	directory_list_leave(view, &list);
	return r;
}
