#include "entry.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "change_hook.h"
#include "cleanup.h"
#include "clock.h"
#include "last_good.h"
#include "link_watch.h"
#include "look.h"
#include "path.h"
#include "placeholder.h"
#include "state.h"

/* The bit of the inode numbers computed from a path. Counted numbers never get that far. */
#define FIRST_INO ((uint64_t)1 << 62)

void inode_hold(struct view *view, struct inode *inode)
{
	if (inode->kernel_refs++)
		return;
	inode_table_add(&view->inodes.table, inode);
	if (inode->type == INODE_VERSION) {
		struct version *version = version_ref((struct version *)inode);
		view->counts.versions++;
		view->counts.version_bytes += version->data ? version->size : 0;
	}
}

/* Its upper half differs if other directories of the layers show it; its lower half, if one of them
 * has changed. It is always even; the fingerprint of a version is odd. */
static uint64_t fingerprint_of_directory(const struct directory *directory)
{
	uint64_t places = INODE_NO_PLACES, times = places;

	for (unsigned i = 0; i < directory->watches.count; i++) {
		if (!(directory->layers >> i & 1))
			continue;
		const struct stamp *identity = &directory->identities[i];
		places = inode_add_place(places, identity->dev, identity->ino);
		times = (times ^ (uint64_t)identity->ctime.tv_sec) * 1099511628211u;
		times = (times ^ (uint64_t)identity->ctime.tv_nsec) * 1099511628211u;
	}
	return places >> 32 << 32 | (times >> 32 & ~(uint64_t)1);
}

static bool is_fingerprint_of_directory(uint64_t fingerprint)
{
	return fingerprint && !(fingerprint & 1);
}

/* Returns the hash of the path, which is also the path's first inode number; never 0. */
static uint64_t hash_of(const struct entry *entry)
{
	uint64_t hash = 14695981039346656037u;

	for (const char *c = entry->parent->path; *c; c++)
		hash = (hash ^ (unsigned char)*c) * 1099511628211u;
	hash = (hash ^ '/') * 1099511628211u;
	for (const char *c = entry->name; *c; c++)
		hash = (hash ^ (unsigned char)*c) * 1099511628211u;
	return ((hash ^ hash >> 31) & (FIRST_INO - 1)) | FIRST_INO;
}

uint64_t entry_ino(const struct entry *entry)
{
	return entry->use->ino ? entry->use->ino : hash_of(entry);
}

/* Sets the number that entry_ino() returns. Returns 0 or -ENOMEM. */
static int set_ino(struct entry *entry, uint64_t ino)
{
	if (ino == entry_ino(entry))
		return 0;
	struct entry_use *use = entry_use(entry);
	if (!use)
		return -ENOMEM;
	use->ino = ino;
	return 0;
}

/* Returns whether the name has shown an object since its directory became known. */
static bool was_shown(const struct entry *entry)
{
	return entry->use->last.fingerprint || entry->use->last.ctime.tv_sec;
}

/*
 * A name's first number is computed from its path, so that another mount has the same. If the
 * kernel has forgotten the name's directory, the inode memory has its last number and times.
 */
void entry_reserve_ino(struct view *view, struct entry *entry)
{
	if (entry->use->ino || entry->use->version || entry->use->directory)
		return;
	uint64_t hash = hash_of(entry);
	const struct inode_memory_item *item =
		was_shown(entry) ? NULL : inode_memory_find(&view->inodes.memory, hash);
	uint64_t ino = item ? item->ino : hash;
	bool is_free = !inode_table_find(&view->inodes.table, ino);
	if (set_ino(entry, is_free ? ino : view->inodes.next++) < 0 || !item || !is_free)
		return;
	struct entry_use *use = entry_use(entry);
	if (use)
		use->last = item->last;
}

/* Returns the fingerprint of the object that the kernel has forgotten; 0: there is none. */
static uint64_t last_fingerprint(const struct view *view, const struct entry *entry)
{
	const struct inode_memory_item *item = NULL;

	if (entry->kind == UNION_NONE && !entry->use->ino && !was_shown(entry))
		item = inode_memory_find(&view->inodes.memory, hash_of(entry));
	return item ? item->last.fingerprint : entry->use->last.fingerprint;
}

bool entry_was_directory(const struct view *view, const struct entry *entry)
{
	return entry->kind == UNION_DIRECTORY ||
	       is_fingerprint_of_directory(last_fingerprint(view, entry));
}

bool entry_was_of(
	const struct view *view, const struct entry *entry, const struct union_lookup *found)
{
	uint64_t fingerprint = last_fingerprint(view, entry);

	return is_fingerprint_of_directory(fingerprint) &&
	       fingerprint >> 32 == inode_places(found) >> 32;
}

void entry_note_places(struct entry *entry, const struct union_lookup *found)
{
	uint64_t fingerprint = entry->use->last.fingerprint;

	if (is_fingerprint_of_directory(fingerprint) && !found->failure && !found->whiteout_error)
		entry_used(entry)->last.fingerprint =
			inode_places(found) >> 32 << 32 | (uint32_t)fingerprint;
}

static void drop_version(struct view *view, struct entry *entry)
{
	if (!entry->use->version)
		return;
	view->counts.files--;
	entry->use->version->entry = NULL;
	entry->use->version->inode.is_removed = true;
	version_unref(entry->use->version);
	entry_used(entry)->version = NULL;
}

/* Notes the last good version for the last-good store. NULL: the path shows nothing. */
static void keep(struct view *view, const struct entry *entry, const struct version *version)
{
	CLEANUP(version_unrefp) struct version *copy = NULL;
	CLEANUP(freep) char *path = NULL;

	if (!view->last_good || (version && version->kind != VERSION_BYTES) ||
		directory_join(entry->parent, entry->name, &path) < 0)
		return;
	copy = version ? version_copy(version) : NULL;
	if (copy)
		directory_restrict(entry->parent, copy, &view->composer.mounter);
	last_good_note(view->last_good, path, copy);
}

/* Drops the version after the kernel has forgotten it, or its directory. */
static void forget_shown(struct view *view, struct entry *entry)
{
	if (!entry->use->version)
		return;
	if (view->last_good && !last_good_is_lasting(view->last_good))
		keep(view, entry, entry->use->version);
	entry_used(entry)->last.fingerprint = inode_fingerprint(entry->use->version);
	drop_version(view, entry);
}

static void forget_directory(struct entry *entry)
{
	struct entry_use *use = entry_used(entry);

	use->last.fingerprint = fingerprint_of_directory(use->directory);
	use->last.mtime = use->directory->attributes.mtime;
	use->directory = NULL;
}

/* Gives the directory its former time if the kernel forgot this one; or else a later time. */
static void recall_directory(const struct entry *entry, struct directory *directory)
{
	if (!is_fingerprint_of_directory(entry->use->last.fingerprint) ||
		time_is_later(directory->attributes.mtime, entry->use->last.mtime))
		return;
	directory->attributes.mtime =
		entry->use->last.fingerprint == fingerprint_of_directory(directory)
			? entry->use->last.mtime
			: clock_after(entry->use->last.mtime);
}

static void remember_name(struct view *view, struct entry *entry)
{
	if (entry->use->version)
		entry_used(entry)->last.fingerprint = inode_fingerprint(entry->use->version);
	if (entry->use->last.fingerprint)
		inode_memory_note(
			&view->inodes.memory, &(struct inode_memory_item){hash_of(entry),
						      entry_ino(entry), entry->use->last});
}

/* Remembers the directory's names before it is freed. The kernel may forget it before its files. */
static void remember_names(struct view *view, struct directory *directory)
{
	for (struct entry *entry = NULL; (entry = directory_next(directory, entry));) {
		forget_shown(view, entry);
		remember_name(view, entry);
	}
}

bool entry_has_forgotten(const struct entry *entry, const struct version *version)
{
	return !entry->use->version && entry->use->last.fingerprint &&
	       entry->use->last.fingerprint == inode_fingerprint(version);
}

void entry_prepare_version(struct view *view, struct entry *entry, struct version *version)
{
	struct timespec now;

	version->inode.ino = view->inodes.next++;
	if (!entry->use->last.ctime.tv_sec) {
		/* A network file system may report no ctime. */
		if (!version->ctime.tv_sec)
			version->ctime = version->made;
		return;
	}
	clock_gettime(CLOCK_REALTIME, &now);
	version->ctime = clock_clearly_after(now, entry->use->last.ctime);
	struct timespec least = clock_clearly_after(version->mtime, entry->use->last.mtime);
	/* The newest source is unchanged: another source has changed, or a source is gone. */
	if (time_is_later(least, version->mtime))
		version->mtime = time_is_later(now, least) ? now : least;
}

void entry_prepare_first(struct view *view, struct entry *entry, struct version *version)
{
	entry_reserve_ino(view, entry);
	bool is_again = entry_has_forgotten(entry, version);
	uint64_t ino = entry_ino(entry);
	bool is_free = !inode_table_find(&view->inodes.table, ino);

	if (is_again && !time_is_later(version->mtime, entry->use->last.mtime)) {
		version->mtime = entry->use->last.mtime;
		version->ctime = entry->use->last.ctime;
	} else {
		entry_prepare_version(view, entry, version);
	}
	if (is_free && (is_again || !entry->use->last.fingerprint))
		version->inode.ino = ino;
	else if (!version->inode.ino)
		version->inode.ino = view->inodes.next++;
}

void entry_note_news(struct view *view, struct entry *entry, enum entry_news news)
{
	++view->revision;
	for (unsigned i = 0; i <= news; i++)
		entry_used(entry)->news[i] = view->revision;
}

/*
 * While a lookup is under way, any other reply with attributes has the kernel ignore those of the
 * lookup. So in a strict mount an older reply would hide the new time. But the kernel also ignores
 * replies to requests that it has sent before it drops the attributes.
 */
void entry_take_time(struct view *view, struct entry *entry, const struct version *found)
{
	struct version *version = entry->use->version;

	entry_note_news(view, entry, NEWS_TIME);
	version->mtime = entry_used(entry)->last.mtime = found->mtime;
	version->ctime = entry_used(entry)->last.ctime = clock_after(version->ctime);
	if (view_is_strict(view) && view->callbacks.notify)
		view->callbacks.notify(view->callbacks.context, version->inode.ino);
}

void entry_set_kind(struct view *view, struct entry *entry, enum union_kind kind)
{
	CLEANUP(freep) char *path = NULL;
	bool is_directory = kind == UNION_DIRECTORY || entry->kind == UNION_DIRECTORY;

	if (kind == UNION_NONE)
		entry->known = KNOWN_ABSENT;
	else if (!entry_is_unannounced(entry))
		entry->known = KNOWN_SHOWN;
	if (entry->kind == kind)
		return;
	entry->kind = kind;
	if (!is_directory)
		dependency_stale(view, entry->parent);
	else if (directory_join(entry->parent, entry->name, &path) == 0)
		dependency_reindex(view, path);
}

void entry_show_version(struct view *view, struct entry *entry, struct version *version)
{
	drop_version(view, entry);
	struct entry_use *use = entry_used(entry);
	entry_note_news(view, entry, entry_has_forgotten(entry, version) ? NEWS_TIME : NEWS_OBJECT);
	use->version = version_ref(version);
	use->ino = version->inode.ino;
	version->entry = entry;
	version->inode.is_removed = false;
	view->counts.files++;
	entry_set_kind(view, entry, version->kind == VERSION_LINK ? UNION_LINK : UNION_FILE);
	use->last = (struct last_inode){.mtime = version->mtime, .ctime = version->ctime};
	if (use->hook == HOOK_NOTED)
		use->hook = HOOK_PINNED;
	if (view->last_good && last_good_is_lasting(view->last_good))
		keep(view, entry, version);
	change_hook_pin(view, entry);
	if (entry->parent->names != NAMES_SOME)
		directory_list_entry(entry->parent, entry);
}

void entry_show_directory(struct view *view, struct entry *entry, struct directory *directory)
{
	entry_note_news(view, entry, NEWS_OBJECT);
	entry_reserve_ino(view, entry);
	if (directory) {
		bool is_free = (!entry->use->last.fingerprint ||
				       is_fingerprint_of_directory(entry->use->last.fingerprint)) &&
			       !inode_table_find(&view->inodes.table, entry_ino(entry));
		directory->inode.ino = is_free ? entry_ino(entry) : view->inodes.next++;
		recall_directory(entry, directory);
		entry_used(entry)->ino = directory->inode.ino;
		entry_used(entry)->last.fingerprint = 0;
		view->shown_directories++;
	}
	entry_used(entry)->directory = directory;
	entry_set_kind(view, entry, UNION_DIRECTORY);
	if (entry->parent->names != NAMES_SOME)
		directory_list_entry(entry->parent, entry);
}

/* Makes everything below the directory show nothing. The kernel may hold the objects for long. */
static void kill_directory(struct view *view, struct directory *directory)
{
	directory->inode.is_removed = true;
	watch_remove(&view->watch, &directory->watches);
	link_watch_remove(directory);
	directory->users++;
	for (struct entry *entry = directory_next(directory, NULL), *next; entry; entry = next) {
		next = directory_next(directory, entry);
		entry_clear_fault(view, entry);
		entry_hide(view, entry);
	}
	directory_leave(view, directory);
}

void entry_hide(struct view *view, struct entry *entry)
{
	struct directory *directory = entry->use->directory;

	if (entry->kind == UNION_FILE)
		keep(view, entry, NULL);
	/* A removed directory may come back with the same names, but from other layers. Then other
	 * files must not have the numbers and times of the former ones. */
	if (entry->parent->inode.is_removed || !entry->parent->layers)
		remember_name(view, entry);
	drop_version(view, entry);
	change_hook_unpin(entry);
	if (entry->use != &entry_unused) {
		entry_note_news(view, entry, NEWS_OBJECT);
		entry_used(entry)->directory = NULL;
		entry_used(entry)->last.fingerprint = 0;
		entry_used(entry)->ino = 0;
	}
	entry_set_kind(view, entry, UNION_NONE);
	directory_unlist_entry(entry->parent, entry);
	if (directory)
		kill_directory(view, directory);
}

void entry_note(struct view *view, struct entry *entry, enum union_kind kind)
{
	if (entry->kind == kind)
		return;
	entry_clear_fault(view, entry);
	entry_hide(view, entry);
	entry_set_kind(view, entry, kind);
	if (kind == UNION_NONE)
		return;
	entry_reserve_ino(view, entry);
	if (entry->parent->names != NAMES_SOME)
		directory_list_entry(entry->parent, entry);
}

/* Frees a directory that nothing needs, and then those above it that nothing needs any more. */
static void release(struct view *view, struct directory *directory)
{
	while (directory != view->root && !directory->inode.kernel_refs && !directory->users &&
		!directory->keep_alive_count) {
		struct directory *parent = directory->parent;
		watch_remove(&view->watch, &directory->watches);
		if (!directory->inode.is_removed) {
			struct entry *entry = directory_own_entry(directory);
			if (entry && entry->use->directory == directory)
				forget_directory(entry);
			remember_names(view, directory);
		}
		directory_free(directory);
		parent->users--;
		directory = parent;
	}
}

void directory_leave(struct view *view, struct directory *directory)
{
	directory->users--;
	release(view, directory);
}

struct directory *inode_directory(struct view *view, uint64_t ino)
{
	struct inode *inode = inode_table_find(&view->inodes.table, ino);

	return inode && inode->type == INODE_DIRECTORY ? (struct directory *)inode : NULL;
}

static void forget_version(struct view *view, struct version *version)
{
	struct entry *entry = version->entry;

	view->counts.versions--;
	view->counts.version_bytes -= version->data ? version->size : 0;
	/* A version of a path with a fault can't be made again from its sources, so it stays. */
	if (entry && !entry->use->fault)
		forget_shown(view, entry);
	view->inodes.freed_bytes += version->data ? version->size : 0;
	if (view->inodes.freed_bytes >= VIEW_TRIM_BYTES)
		view_wake(view);
	version_unref(version);
}

void inode_forget(struct view *view, struct inode *inode, uint64_t count)
{
	if (inode == &view->root->inode)
		return;
	inode->kernel_refs -= count < inode->kernel_refs ? count : inode->kernel_refs;
	if (inode->kernel_refs)
		return;
	inode_table_remove(&view->inodes.table, inode);
	if (inode->type == INODE_VERSION)
		forget_version(view, (struct version *)inode);
	else if (inode->type == INODE_PLACEHOLDER)
		placeholder_forgotten(view, (struct placeholder *)inode);
	else
		release(view, (struct directory *)inode);
}

void view_forget(struct view *view, uint64_t ino, uint64_t count)
{
	struct inode *inode = inode_table_find(&view->inodes.table, ino);
	if (inode)
		inode_forget(view, inode, count);
}

struct directory *directory_above(struct view *view, const char *path)
{
	struct directory *directory = view->root;
	char name[NAME_MAX + 1];

	for (const char *slash; directory && (slash = strchr(path, '/')); path = slash + 1) {
		size_t length = (size_t)(slash - path);
		if (length > NAME_MAX)
			return NULL;
		memcpy(name, path, length);
		name[length] = '\0';
		const struct entry *entry = directory_find(directory, name);
		directory = entry ? entry->use->directory : NULL;
	}
	return directory;
}

struct entry *entry_at(struct view *view, const char *path)
{
	struct directory *directory = directory_above(view, path);

	return directory ? directory_find(directory, path_name(path)) : NULL;
}

void entry_enter(struct view *view, struct entry *entry)
{
	struct entry_use *use = entry_used(entry);

	if (!use->users++)
		use->used_since = ++view->revision;
	entry->parent->users++;
}

void entry_leave(struct view *view, struct entry *entry)
{
	struct directory *parent = entry->parent;

	entry_used(entry)->users--;
	if (entry->use->pending && entry_pending(entry) == PENDING_NONE)
		entry->use->pending->restless_ms = 0;
	directory_tidy(parent, entry);
	directory_leave(view, parent);
}

/* Logs the fault; NULL: its end. */
static void log_fault(struct view *view, const struct entry *entry, const struct fault *fault)
{
	char text[FAULT_TEXT_MAX];
	CLEANUP(freep) char *path = NULL;
	struct problem mended;

	if (directory_join(entry->parent, entry->name, &path) < 0)
		return;
	if (fault) {
		fault_text(fault, path, text);
	} else {
		problem_set(&mended, path, 0, 0, "repaired");
		problem_format(&mended, text, sizeof(text));
	}
	view_log(view, text, fault ? &fault->problem : &mended);
}

/* If a broken file is shown as a link, then a dependency that asks for files must look again. */
static void note_broken_link(struct view *view, const struct entry *entry)
{
	if (entry->kind == UNION_LINK)
		dependency_stale(view, entry->parent);
}

void entry_clear_fault(struct view *view, struct entry *entry)
{
	if (!entry->use->fault)
		return;
	free(entry->use->fault);
	entry_used(entry)->fault = NULL;
	note_broken_link(view, entry);
	entry->parent->keep_alive_count--;
	view->counts.faults--;
	if (!entry->parent->inode.is_removed)
		log_fault(view, entry, NULL);
}

/* Returns when the last good state of the source that `problem` names was read. */
static struct timespec fallbacks_since(const struct version *version, const struct problem *problem)
{
	for (size_t i = 0; i < version->fallback_count; i++)
		if (problem_is_in(problem, &version->fallbacks[i]->source))
			return version->fallbacks[i]->read;
	return version->fallbacks[0]->read;
}

void entry_set_fault(struct view *view, struct entry *entry, const struct problem *problem,
	const struct version *shown, bool is_left_out)
{
	struct fault *fault = entry->use->fault;
	bool is_news = !fault || !problem_equal(&fault->problem, problem);

	if (!fault) {
		fault = entry_used(entry)->fault = calloc(1, sizeof(*fault));
		if (!fault)
			return;
		clock_gettime(CLOCK_REALTIME, &fault->since);
		note_broken_link(view, entry);
		entry->parent->keep_alive_count++;
		view->counts.faults++;
	}
	fault->problem = *problem;
	fault->made = (struct timespec){0};
	if (!shown) {
		fault->serves = FAULT_SERVES_COVERED;
	} else if (shown->kind == VERSION_BROKEN) {
		fault->serves = view->callbacks.use == VIEW_RENDERED ? FAULT_SERVES_RENDERED
								     : FAULT_SERVES_NOTHING;
	} else if (shown->fallback_count) {
		fault->serves = FAULT_SERVES_FALLBACK;
		fault->made = fallbacks_since(shown, problem);
	} else if (is_left_out) {
		fault->serves =
			shown->has_refusals ? FAULT_SERVES_LOCKED : FAULT_SERVES_OTHER_LAYERS;
	} else {
		fault->serves = FAULT_SERVES_LAST_GOOD;
		fault->made = shown->made;
	}
	if (is_news)
		log_fault(view, entry, fault);
}
