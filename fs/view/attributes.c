#include "attributes.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "aside.h"
#include "attach.h"
#include "cleanup.h"
#include "clock.h"
#include "entry.h"
#include "events.h"
#include "expand.h"
#include "layer_task.h"
#include "look.h"
#include "queue.h"
#include "read_ahead.h"
#include "state.h"

static struct rights rights_of(const struct view *view, const struct union_lookup *lookup)
{
	struct stat stats[LAYERS_MAX];

	/* No layer has it: all are missing, or only the path of a virtual file needs it. */
	if (!lookup->count)
		return (struct rights){lookup->has_unknown ? 0500 : 0555,
			view->composer.mounter.uid, view->composer.mounter.gid};
	for (unsigned i = 0; i < lookup->count; i++)
		stats[i] = lookup->found[i].stat;
	return rights_combine(stats, lookup->count, &view->composer.mounter);
}

/*
 * Returns since when the entry has been in use. In a strict mount, one look may begin before the
 * other ends, and so on for ever. So if only looks use the entry, the oldest of them counts.
 */
static uint64_t used_since(const struct entry *entry)
{
	uint64_t since = UINT64_MAX;
	unsigned count = 0;

	for (const struct look *look = entry->use->looks; look; look = look->next_same, count++) {
		bool is_refresh = look->purpose == LOOK_REFRESH;
		uint64_t began = is_refresh ? look->refresh.plan.since : look->began;
		since = began < since ? began : since;
	}
	return count == entry->use->users ? since : entry->use->used_since;
}

/*
 * Returns whether anything in or below it is covered, or waits with a smaller number; 0: or may be
 * of a source that is not read yet. Recurses PATH_MAX deep.
 */
static bool waits(const struct directory *directory, uint64_t revision)
{
	if ((directory->scans.due || directory->scans.running) && directory->scans.since < revision)
		return true;
	for (const struct entry *entry = NULL; (entry = directory_next(directory, entry));)
		if (entry_is_covered(entry) ||
			(entry_pending(entry) &&
				(revision ? entry->use->pending->plan.since < revision
					  : entry_pending(entry) != PENDING_GONE)) ||
			(entry->use->users && (revision ? used_since(entry) < revision
							: entry->use->version != NULL)) ||
			(entry->use->directory && waits(entry->use->directory, revision)))
			return true;
	return false;
}

/* Returns the rights to show: a lost right ends at once; a new one waits for the opening. */
static struct rights admit(
	struct view *view, struct directory *directory, bool is_other, bool is_known)
{
	const struct rights *found = &directory->attributes.found;
	struct rights both =
		rights_both(&directory->attributes.rights, found, &view->composer.mounter);

	/* Reads the events of changes before the directory got the new right. */
	if (is_known && !rights_equal(&both, found))
		events_take(view);
	/* A strict mount asks the layers at each look, so it shows no removed file. */
	if (rights_equal(&both, found) ||
		(is_known && view_is_strict(view) && !waits(directory, 0))) {
		directory->attributes.grants_after = 0;
		return *found;
	}
	/* A further right waits for the removals that came before it. */
	bool is_waiting = directory->attributes.grants_after;
	if (is_known && (is_waiting ? is_other
				    : directory_list_add(&view->queue.pending_grants, directory)))
		directory->attributes.grants_after = ++view->revision;
	return both;
}

static void set_rights(struct directory *directory, const struct rights *rights, bool is_other)
{
	if (is_other || !rights_equal(rights, &directory->attributes.rights))
		directory->attributes.described++;
	if (rights_take_away(&directory->attributes.rights, rights)) {
		directory->attributes.revoked = directory->attributes.described;
		directory->attributes.revocations++;
	}
	directory->attributes.rights = *rights;
}

void attributes_describe(
	struct view *view, struct directory *directory, const struct union_lookup *lookup)
{
	directory->polled &= lookup->layers;
	/* No layer could be looked at: the directory stays as it was. */
	if (directory->inode.ino && lookup->has_unknown && !lookup->count) {
		directory->layers = lookup->layers;
		return;
	}
	struct rights given = rights_of(view, lookup);
	/* A layer that could not be examined may deny more, so nobody gets a right meanwhile. */
	if (lookup->failure && !directory->inode.ino)
		given.mode &= ~(mode_t)077;
	else if (lookup->failure)
		given = rights_both(&given, &directory->attributes.found, &view->composer.mounter);
	bool is_other = !rights_equal(&given, &directory->attributes.found);
	directory->attributes.found = given;
	struct rights rights = directory->inode.ino
				       ? admit(view, directory, is_other, !lookup->has_unknown)
				       : given;
	struct timespec shown = directory->attributes.mtime;
	directory->attributes.mtime = (struct timespec){0};
	for (unsigned i = 0; i < lookup->count; i++) {
		const struct contributor *found = &lookup->found[i];
		if (time_is_later(found->stat.st_mtim, directory->attributes.mtime))
			directory->attributes.mtime = found->stat.st_mtim;
		directory->identities[found->layer] = stamp_of(&found->stat);
	}
	/* A layer's names vanish with it, and only the time shows that. It never goes back. */
	bool is_less = directory->layers & ~lookup->layers;
	if (!time_is_later(directory->attributes.mtime, shown))
		directory->attributes.mtime = is_less ? clock_after(shown) : shown;
	/* As entry_take_time(): an older reply with attributes would hide the new time. */
	bool is_new = view_is_strict(view) && !time_equal(directory->attributes.mtime, shown);
	set_rights(directory, &rights, is_less || is_new);
	directory->layers = lookup->layers;
}

bool attributes_are_unnotified(const struct directory *directory)
{
	return directory->attributes.notified != directory->attributes.described;
}

/*
 * Waits for the path walks that the kernel admitted by the rights that it knew before. A walk in
 * the kernel's caches is one RCU read-side section, and MEMBARRIER_CMD_GLOBAL is synchronize_rcu(),
 * which waits for all of them (membarrier(2)). A walk that waits for a lock, or for our answer to
 * another request, finds no name in the cache that we gave since, and sends us a LOOKUP.
 */
static void let_walks_end(void *context)
{
	(void)context;
	syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
}

static void notify_waits(struct view *view, struct directory *directory)
{
	uint64_t described = directory->attributes.described;
	uint64_t ino = directory->inode.ino;
	bool is_narrower = directory->attributes.revoked > directory->attributes.notified;
	int r = 0;

	if (view->callbacks.notify && directory->inode.kernel_refs) {
		r = view->callbacks.notify(view->callbacks.context, ino);
		if (r == 0 && is_narrower)
			aside_run(let_walks_end, NULL);
	}
	/* -ENOENT: our answer to its LOOKUP, which carries the old rights, is still on its way. */
	if (r < 0 || directory->attributes.notified >= described)
		return;
	directory->attributes.notified = described;
}

void attributes_notify_waits(struct view *view, struct directory *directory)
{
	for (; directory; directory = directory->parent)
		if (attributes_are_unnotified(directory))
			notify_waits(view, directory);
}

/* Returns whether the directory has changed, or may have, since it was last looked at. */
static bool is_in_doubt(const struct view *view, const struct directory *directory)
{
	if (directory->polled || view->queue.is_overflowed ||
		(directory->parent && directory->parent->links.unwatched))
		return true;
	if (!directory->parent)
		return view->queue.root != ROOT_RESTS;
	if (directory->parent->scans.due == SCAN_ALL ||
		directory->parent->scans.running == SCAN_ALL)
		return true;
	const struct entry *entry = directory_own_entry(directory);
	return entry && (entry_pending(entry) || entry->use->users);
}

static bool has_other_rights(
	struct view *view, const struct directory *directory, const struct union_lookup *lookup)
{
	struct rights rights = rights_of(view, lookup);

	return !rights_equal(&rights, &directory->attributes.found);
}

static int look_at_rights_waits(struct view *view, struct directory *directory)
{
	CLEANUP(union_lookup_freep) struct union_lookup *lookup = union_lookup_new();
	layer_mask layers = directory->parent ? directory->parent->layers
					      : union_all_layers(view->composer.settings);
	CLEANUP(settings_unrefp) struct settings *settings = view_settings(view);

	if (!lookup)
		return -ENOMEM;
	/* If a layer does not answer, the rights that it gave before still hold. */
	int patience_ms = layer_tasks_patience(LAYER_HURRY_MS);
	int r = expand_look_up(&view->finder, settings, layers, directory->path, lookup);
	/* The publisher handles all other changes. */
	if (r == 0 && lookup->kind == UNION_DIRECTORY && !lookup->whiteout_error &&
		has_other_rights(view, directory, lookup))
		attach_update(view, settings, directory, lookup);
	layer_tasks_patience(patience_ms);
	return layer_has_timed_out(r) ? 0 : r;
}

int attributes_settle_waits(struct view *view, struct directory *directory)
{
	int r = 0;

	events_take(view);
	for (struct directory *above = directory; r == 0 && above; above = above->parent)
		if (is_in_doubt(view, above))
			r = look_at_rights_waits(view, above);
	attributes_notify_waits(view, directory);
	return r;
}

uint64_t attributes_revocations(const struct directory *directory)
{
	uint64_t count = 0;

	for (; directory; directory = directory->parent)
		count += directory->attributes.revocations;
	return count;
}

/* Returns whether the directory had an event before the revision that no look has handled yet. */
static bool is_outdated(const struct directory *directory, uint64_t revision)
{
	const struct entry *entry = directory_own_entry(directory);

	return entry && ((entry_pending(entry) && entry->use->pending->plan.since < revision) ||
				(entry->use->look && entry->use->used_since < revision));
}

bool attributes_await(const struct view *view, const struct entry *entry)
{
	const struct directory_list *pending_grants = &view->queue.pending_grants;
	bool is_found = false;

	for (size_t i = 0; !is_found && i < pending_grants->count; i++)
		is_found =
			entry->use->used_since < pending_grants->items[i]->attributes.grants_after;
	return is_found;
}

struct directory *attributes_open(struct view *view)
{
	struct directory_list *pending_grants = &view->queue.pending_grants;

	/* A look that is kept for its caller has its name in use. */
	if (pending_grants->count)
		read_ahead_drop_all(view);
	for (size_t i = 0; i < pending_grants->count;) {
		struct directory *directory = pending_grants->items[i];
		uint64_t revision = directory->attributes.grants_after;
		bool is_over = directory->inode.is_removed || !revision;
		if (!is_over && (view->queue.is_overflowed || is_outdated(directory, revision) ||
					waits(directory, revision))) {
			i++;
			continue;
		}
		pending_grants->items[i] = pending_grants->items[--pending_grants->count];
		if (is_over) {
			directory_leave(view, directory);
			continue;
		}
		directory->attributes.grants_after = 0;
		set_rights(directory, &directory->attributes.found, false);
		return directory;
	}
	return NULL;
}

bool view_lets_in(struct view *view, uint64_t parent, const struct user *user)
{
	const struct directory *directory = inode_directory(view, parent);
	bool is_let_in = !directory || !attributes_revocations(directory);
	if (!is_let_in)
		for (is_let_in = true; is_let_in && directory; directory = directory->parent)
			is_let_in = rights_allow_search(&directory->attributes.rights, user);
	return is_let_in;
}
