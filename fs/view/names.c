/*
 * The names in a directory: makes entries for the names that the layers list, and that expanding
 * adds (expand.h). The layers are listed when a directory is first looked up or listed, again if an
 * event may be missing, and each time in a strict mount.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "attach.h"
#include "await.h"
#include "cleanup.h"
#include "clock.h"
#include "entry.h"
#include "expand.h"
#include "layer_task.h"
#include "link_watch.h"
#include "listing.h"
#include "look.h"
#include "names.h"
#include "queue.h"
#include "settings.h"

/* Names that get entries at a time: a huge directory must not stop the mount. */
#define INSTALL_CHUNK 512

static bool is_just_asked_for(const struct entry *entry)
{
	return entry->use->look && entry->use->look->is_entry_new &&
	       entry->parent->changed <= entry->use->look->began;
}

/*
 * Takes a name of a new listing. A name that has gone meanwhile stays away (its event brings it
 * back), but a strict listing shows what the layers have now. A name that is pending or in use is
 * listed, and announced when it is published.
 */
static void show_name(struct view *view, const struct directory *directory, struct entry *entry,
	enum union_kind kind, bool is_sync)
{
	bool is_waiting = (entry_pending(entry) || entry->use->users) && !is_just_asked_for(entry);

	if (entry->kind != UNION_NONE || (entry->known == KNOWN_ABSENT && !is_sync))
		return;
	/* The name may have gone after the listing. */
	if (entry->known == KNOWN_ABSENT)
		queue_entry(view, entry);
	if (is_sync || directory->was_expanded || is_waiting) {
		entry->known = KNOWN_UNANNOUNCED;
		entry_set_kind(view, entry, kind);
		return;
	}
	entry->kind = kind;
	/* The kernel may cache the name as absent. */
	entry->known = directory->has_absences ? KNOWN_UNANNOUNCED : KNOWN_SHOWN;
}

static int compare_listed(const void *name, const void *item)
{
	return strcmp(name, ((const struct listed *)item)->name);
}

static int compare_names(const void *a, const void *b)
{
	return compare_listed(((const struct listed *)a)->name, b);
}

static bool has_name(const struct listing *listing, const char *name)
{
	return listing->count && bsearch(name, listing->items, listing->count,
					 sizeof(*listing->items), compare_listed);
}

enum expansion { EXPAND_LISTING, EXPAND_SYNC, EXPAND_RESCAN };

/* Finds the names that only expanding shows, sorted. The directory must be in use. */
static int find_expanded(struct view *view, const struct composer *composer,
	struct directory *directory, const struct listing *listing, struct listing *ret)
{
	if (!expand_is_needed(composer->settings))
		return 0;
	layer_mask layers = directory->layers;
	int r = expand_names(
		&view->finder, composer->settings, layers, directory->path, listing, ret);
	if (r == 0 && ret->count)
		qsort(ret->items, ret->count, sizeof(*ret->items), compare_names);
	return r;
}

static int show_expanded(struct view *view, struct directory *directory,
	const struct listing *names, enum expansion expansion)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < names->count; i++) {
		struct entry *entry = directory_entry(directory, names->items[i].name);
		if (!entry)
			return -ENOMEM;
		if (directory->names != NAMES_EXPANDED)
			show_name(view, directory, entry, names->items[i].kind,
				expansion == EXPAND_SYNC);
		/* The first listing has found the layers' directory, which the file covers. */
		if (entry->kind == UNION_DIRECTORY && names->items[i].kind == UNION_FILE &&
			!entry->use->directory && !directory->was_expanded)
			entry_set_kind(view, entry, UNION_FILE);
		/* Its sources report their own changes. */
		if (expansion == EXPAND_RESCAN)
			queue_entry_scope(view, entry, SCOPE_RESCAN);
		entry_reserve_ino(view, entry);
		if (entry->kind != UNION_NONE)
			r = directory_list_entry(directory, entry);
	}
	if (r == 0 && directory->names == NAMES_LISTED)
		directory->names = NAMES_EXPANDED;
	directory->was_expanded |= directory->names == NAMES_EXPANDED;
	return r;
}

/* Returns 0 or -ENOMEM. */
static int install_name(
	struct view *view, struct directory *directory, const struct listed *item, bool is_sync)
{
	struct entry *entry = directory_entry(directory, item->name);

	if (!entry)
		return -ENOMEM;
	show_name(view, directory, entry, item->kind, is_sync);
	if (entry->kind == UNION_NONE)
		return 0;
	entry->layers = item->layers;
	entry_reserve_ino(view, entry);
	return directory_list_entry(directory, entry);
}

void names_end(struct directory *directory)
{
	if (--directory->listers)
		return;
	for (struct entry *entry = directory_next(directory, NULL), *next; entry; entry = next) {
		next = directory_next(directory, entry);
		directory_tidy(directory, entry);
	}
}

void names_begin(struct directory *directory)
{
	directory->listers++;
}

void names_forget_layers(struct directory *directory)
{
	for (struct entry *entry = NULL; (entry = directory_next(directory, entry));)
		entry->layers = entry->layers ? UINT64_MAX : 0;
	directory->left = directory->left ? UINT64_MAX : 0;
}

int names_install(struct view *view, struct directory *directory, const struct listing *listing)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < listing->count && directory->names == NAMES_SOME; i++) {
		if (i % INSTALL_CHUNK == INSTALL_CHUNK - 1)
			await_pause_us(0);
		r = install_name(view, directory, &listing->items[i], false);
	}
	/* Names that are shown but gone from the layers: listed until that is published. */
	for (struct entry *entry = NULL; r == 0 && directory->names == NAMES_SOME &&
					 (entry = directory_next(directory, entry));)
		if (entry->kind != UNION_NONE)
			r = directory_list_entry(directory, entry);
	if (r == 0 && directory->names == NAMES_SOME)
		directory->names = NAMES_LISTED;
	return r;
}

/*
 * Changes a complete listing to the names that the layers have now, before the publisher does; the
 * caller adds `expanded`. A name that stays keeps its place, so that a program in the middle of the
 * listing gets it once. Returns 0 or -ENOMEM.
 */
static int sync_listing(struct view *view, struct directory *directory,
	const struct listing *listing, const struct listing *expanded)
{
	int r = 0;

	/* Names that no layer has any more: the publisher will remove them. */
	for (size_t j = 0; j < directory->order.count; j++) {
		struct entry *entry = directory_listed(directory, j);
		if (entry && !has_name(listing, entry->name) && !has_name(expanded, entry->name))
			directory_unlist_entry(directory, entry);
	}
	for (size_t i = 0; r == 0 && i < listing->count; i++)
		r = install_name(view, directory, &listing->items[i], true);
	return r;
}

/*
 * Makes the listing complete; with `is_expanded` also with the names that expanding shows, which an
 * expansion itself must not ask for. The directory must be in use.
 */
static int complete_waits(
	struct view *view, struct directory *directory, bool is_sync, bool is_expanded)
{
	struct listing listing = {0}, expanded = {0};
	layer_mask layers = directory->layers;

	struct composer now = view->composer;
	settings_ref(now.settings);
	names_begin(directory);
	link_watch_directory(view, now.settings, layers, directory);
	int r = listing_take(now.settings, layers, directory->path, &listing);
	if (r == 0 && listing.error)
		r = -listing.error;
	if (r == 0)
		r = names_install(view, directory, &listing);
	if (r == 0 && is_expanded)
		r = find_expanded(view, &now, directory, &listing, &expanded);
	settings_unref(now.settings);
	if (r == 0 && is_sync) {
		r = sync_listing(view, directory, &listing, &expanded);
		directory->names = r == 0 ? NAMES_LISTED : NAMES_SOME;
	}
	if (r == 0 && is_expanded)
		r = show_expanded(
			view, directory, &expanded, is_sync ? EXPAND_SYNC : EXPAND_LISTING);
	names_end(directory);
	listing_free(&listing);
	listing_free(&expanded);
	return r;
}

int names_complete(struct view *view, struct directory *directory)
{
	int r = 0;

	if (directory->names == NAMES_SOME && !directory->inode.is_removed)
		r = complete_waits(view, directory, false, false);
	return r;
}

static mode_t type_of(enum union_kind kind)
{
	return kind == UNION_DIRECTORY ? S_IFDIR : kind == UNION_LINK ? S_IFLNK : S_IFREG;
}

int view_list(struct view *view, uint64_t ino, uint64_t cookie, bool may_wait,
	view_name_taker *each, void *context)
{
	int r = 0;

	struct directory *directory = inode_directory(view, ino);
	if (!directory)
		return -ENOTDIR;
	bool is_sync = view_is_strict(view) && cookie < DIRECTORY_COOKIE_FIRST;
	bool asks_layers =
		(directory->names != NAMES_EXPANDED || is_sync) && !directory->inode.is_removed;
	directory->users++;
	if (asks_layers && !may_wait && settings_may_wait(view->composer.settings))
		r = VIEW_LATER;
	else if (asks_layers)
		r = complete_waits(view, directory, is_sync, true);
	for (size_t i = directory_seek(directory, cookie); r == 0 && i < directory->order.count;
		i++) {
		struct entry *entry = directory_listed(directory, i);
		if (entry && entry->kind != UNION_NONE &&
			!each(context, entry->name, entry_ino(entry), type_of(entry->kind),
				entry->place))
			break;
	}
	directory_leave(view, directory);
	return r;
}

/* Queues the name again. Only if a poll finds a change are its dependents touched. */
static void queue_again(struct view *view, struct entry *entry, bool is_poll)
{
	if (!is_poll)
		queue_touch(view, entry);
	queue_entry_scope(view, entry, is_poll ? SCOPE_POLL : SCOPE_RESCAN);
}

/*
 * Queues the names that the layers in `left` had: they have changed, even if no program has read
 * them. A directory among them is scanned by itself.
 */
static void queue_left(struct view *view, struct directory *directory, layer_mask left)
{
	for (struct entry *entry = NULL; left && (entry = directory_next(directory, entry));) {
		if (!(entry->layers & left) || entry->kind == UNION_DIRECTORY)
			continue;
		queue_touch(view, entry);
		queue_entry(view, entry);
	}
}

/* Returns whether the layers that have the name are others than at the last listing. */
static bool has_other_layers(const struct entry *entry, const struct listing *listing, size_t i)
{
	/* A layer that could not be listed may still have the names that it had. */
	return !listing->error && entry->kind == UNION_FILE && entry->layers &&
	       entry->layers != UINT64_MAX && entry->layers != listing->items[i].layers;
}

/* Queues each name that has an entry or that the layers list. */
static void queue_all(
	struct view *view, struct directory *directory, const struct listing *listing, bool is_poll)
{
	for (size_t i = 0; i < listing->count; i++) {
		struct entry *entry = directory_entry(directory, listing->items[i].name);
		if (!entry) {
			queue_shortage(view);
			continue;
		}
		queue_again(view, entry, is_poll);
		/* The file has changed, even if no program has read it. */
		if (has_other_layers(entry, listing, i))
			queue_entry(view, entry);
		/* A layer that could not be listed may still have the name. */
		if (!listing->error || entry->layers == UINT64_MAX)
			entry->layers = listing->items[i].layers;
		else
			entry->layers |= listing->items[i].layers;
	}
	for (struct entry *entry = NULL; (entry = directory_next(directory, entry));)
		queue_again(view, entry, is_poll);
}

/* Queues the names of the layers that have joined the directory. May wait. */
static int queue_joined(struct view *view, const struct settings *settings,
	struct directory *directory, layer_mask joined)
{
	struct listing listing = {0};
	int r = 0;

	if (joined)
		r = listing_take(settings, joined, directory->path, &listing);
	if (layer_is_shortage(-listing.error))
		r = -listing.error;
	if (!joined || r < 0) {
		listing_free(&listing);
		return r;
	}
	for (size_t i = 0; i < listing.count; i++) {
		struct entry *entry = directory_entry(directory, listing.items[i].name);
		/* A directory that was there before is scanned by itself. */
		if (!entry || (entry->kind == UNION_DIRECTORY &&
				      listing.items[i].kind == UNION_DIRECTORY))
			continue;
		queue_touch(view, entry);
		queue_entry(view, entry);
	}
	listing_free(&listing);
	return 0;
}

/* Queues the names that the listing shows. Does not wait. */
static void queue_listed(struct view *view, struct directory *directory, layer_mask left,
	const struct listing *listing)
{
	uint64_t cause = view->queue.cause;

	view->queue.cause = directory->scans.since;
	queue_left(view, directory, left);
	queue_all(view, directory, listing, directory->scans.running == SCAN_POLL);
	view->queue.cause = cause;
}

/* Scans the directory. Returns 0 or the -errno of a layer or of a shortage. */
static int scan_waits(struct view *view, struct directory *directory)
{
	struct listing listing = {0}, expanded = {0};
	struct composer now = view->composer;

	settings_ref(now.settings);
	bool is_rescan = directory->scans.running > SCAN_NAMES;
	layer_mask joined = is_rescan ? directory->joined : 0;
	layer_mask left = is_rescan ? directory->left : 0;
	layer_mask layers = directory->layers;
	directory->joined &= ~joined;
	directory->left &= ~left;
	/* The listing, and the looks at all names, find out whether a file system still fails. */
	directory->has_failed &= !is_rescan;

	names_begin(directory);
	link_watch_directory(view, now.settings, layers, directory);
	int r = listing_take(now.settings, layers, directory->path, &listing);
	if (r == 0 && !listing.error)
		r = names_install(view, directory, &listing);
	if (r == 0 && is_rescan) {
		queue_listed(view, directory, left, &listing);
		r = queue_joined(view, now.settings, directory, joined);
	}
	if (r == 0)
		r = find_expanded(view, &now, directory, &listing, &expanded);
	settings_unref(now.settings);
	if (r == 0)
		r = show_expanded(
			view, directory, &expanded, is_rescan ? EXPAND_RESCAN : EXPAND_LISTING);
	names_end(directory);
	if (listing.error)
		attach_unseen(view, directory);
	if (layer_has_failed(-listing.error))
		attach_failed(view, directory);
	if (r == 0)
		r = -listing.error;
	/* If the names are unknown, keep the layers for the next scan. */
	if (layer_says_nothing(r)) {
		directory->joined |= joined;
		directory->left |= left;
	}
	if (layer_is_shortage(r))
		queue_shortage(view);
	listing_free(&listing);
	listing_free(&expanded);
	return r;
}

/* A scan of the pool. */
struct scan_job {
	struct pool_job job; /* must be first */
	struct view *view;
	struct directory *directory; /* in use */
};

static void end_scan_job(struct pool_job *job)
{
	struct scan_job *scan = (struct scan_job *)job;
	struct directory *directory = scan->directory;
	enum directory_scan due = directory->scans.due;

	if (directory->scans.pace == SCAN_IN_POOL)
		directory->scans.pace = SCAN_LATE;
	directory->scans.due = directory->scans.running = SCAN_NONE;
	scan->view->looks.under_way--;
	scan->view->looks.scans--;
	scan->view->looks.patient--;
	if (due != SCAN_NONE)
		queue_scan(scan->view, directory, due);
	view_wake(scan->view);
	directory_leave(scan->view, directory);
	free(scan);
}

static void run_scan_job(struct pool_job *job)
{
	struct directory *directory = ((struct scan_job *)job)->directory;
	int64_t begin_ms = clock_ms();

	if (!directory->inode.is_removed)
		(void)scan_waits(((struct scan_job *)job)->view, directory);
	if (clock_ms() - begin_ms < LAYER_HURRY_MS)
		directory->scans.pace = SCAN_HURRIED;
	end_scan_job(job);
}

static void scan_in_pool(struct view *view, struct directory *directory)
{
	struct scan_job *scan = calloc(1, sizeof(*scan));

	if (!scan) {
		queue_shortage(view);
		directory->scans.running = SCAN_NONE;
		directory_leave(view, directory);
		return;
	}
	*scan = (struct scan_job){{.run = run_scan_job, .drop = end_scan_job}, view, directory};
	directory->scans.pace = SCAN_IN_POOL;
	view->looks.under_way++;
	view->looks.scans++;
	view->looks.patient++;
	view_run(view, &scan->job, 0);
}

static void scan_hurried(struct view *view, struct directory *directory)
{
	enum directory_scan scan = directory->scans.running;

	view->queue.cause = directory->scans.since;
	bool is_late = scan_waits(view, directory) == -LAYER_LATE;
	view->queue.cause = 0;
	directory->scans.running = SCAN_NONE;
	if (is_late) {
		directory->scans.pace = SCAN_LATE;
		queue_scan(view, directory, scan);
	}
	directory_leave(view, directory);
}

bool names_scan_next(struct view *view)
{
	struct directory *directory = queue_take_scan(view);

	if (!directory)
		return false;
	bool is_late = directory->scans.pace == SCAN_LATE;
	if (is_late && view->looks.patient >= PATIENT_MAX) {
		queue_put_off_scan(view, directory);
		return true;
	}
	enum directory_scan due = directory->scans.due;
	directory->scans.due = SCAN_NONE;
	if (directory->inode.is_removed || (due == SCAN_NAMES && directory->names != NAMES_SOME)) {
		directory_leave(view, directory);
		return true;
	}
	directory->scans.running = due;
	if (is_late)
		scan_in_pool(view, directory);
	else
		scan_hurried(view, directory);
	return true;
}
