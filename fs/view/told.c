/*
 * What the kernel has been told of directories.
 *
 * It remembers a directory's mode and owner until it is told to ask again, and decides by them who
 * may reach what lies in it. The publisher tells it, but a first look can be faster:
 *
 *      chmod 700 layer/secret;  echo key >layer/secret/file        then LOOKUP mnt/secret/file
 *
 * So, where a directory shuts somebody out who was let in before:
 *
 *   - Who is about to show something new in it sees to it first that the kernel has been told. A
 *     layer reports the one before the other, so nothing is looked at where nothing was reported.
 *   - The kernel asks who may search a directory before it looks up a name in it. So who comes with
 *     a lookup soon after was perhaps let in by what was remembered before: we ask again. And what
 *     he is told is not cached, or another, who waits for the same answer, would share it: as it
 *     is, he comes with a lookup of his own, however long that answer took.
 *   - A walk that finds everything in the kernel's caches asks us nothing. It is over soon; until
 *     then the publisher shows nothing new in that directory.
 *
 * And where a directory lets somebody in who was shut out, what he must not see is perhaps shown in
 * it still:
 *
 *      rm layer/secret/file;  chmod 755 layer/secret
 *
 * So it opens when all that was reported by then has been published.
 */
#include <errno.h>

#include "change.h"
#include "cleanup.h"
#include "clock.h"
#include "events.h"
#include "expand.h"
#include "tree.h"

/* A directory in which something changes all the time opens after so long. */
#define WIDEN_MAX_MS 1000

/* Whether its rights may be others than is known here. */
static bool is_in_doubt(const struct view *view, const struct directory *directory)
{
	if (directory->polled || view->is_overflowed)
		return true;
	if (!directory->parent)
		return view->is_root_changed || view->is_root_looked_at;
	/* Reports were lost, and its name has not been come to yet. */
	if (directory->parent->is_rescan || directory->parent->is_rescanning)
		return true;
	const struct entry *entry = directory_own_entry(directory);
	/* In use: another thread has taken the report, and may not have looked yet. */
	return entry && (entry->is_queued || entry->is_settling || entry->users);
}

static int look_at_rights(struct view *view, struct directory *directory)
{
	CLEANUP(union_lookup_freep) struct union_lookup *lookup = union_lookup_new();
	layer_mask layers = directory->parent ? directory->parent->layers
					      : union_all_layers(view->composer.settings);
	struct era era;

	if (!lookup)
		return -ENOMEM;
	era_init(view, &era);
	pthread_mutex_unlock(&view->lock);
	int r = expand_look_up(
		&view->finder, era.composer.settings, layers, directory->path, lookup);
	pthread_mutex_lock(&view->lock);
	/* Whatever else has changed waits for the refresher. */
	if (r == 0 && lookup->kind == UNION_DIRECTORY &&
		!tree_has_rights(view, directory, lookup)) {
		pthread_mutex_unlock(&view->lock);
		tree_update_directory(view, era.composer.settings, directory, lookup);
		pthread_mutex_lock(&view->lock);
	}
	era_fini(&era);
	return r;
}

/* Has the kernel ask for its attributes again, whether or not it knows them. */
static void tell(struct view *view, struct directory *directory)
{
	uint64_t described = directory->described;
	uint64_t ino = directory->inode.ino;
	int r = 0;

	if (view->tell && directory->inode.kernel_refs) {
		pthread_mutex_unlock(&view->lock);
		r = view->tell(view->tell_context, ino);
		pthread_mutex_lock(&view->lock);
	}
	/* -ENOENT: the answer to its LOOKUP, with the old rights, is still on its way. */
	if (r < 0 || directory->told >= described)
		return;
	directory->told = described;
	if (!directory->is_narrowed)
		return;
	directory->is_narrowed = directory->described != described;
	directory->narrowed_ms = clock_ms();
}

void tree_tell_rights(struct view *view, struct directory *directory)
{
	for (; directory; directory = directory->parent)
		if (directory->told != directory->described)
			tell(view, directory);
}

int tree_settle_rights(struct view *view, struct directory *directory)
{
	int r = 0;

	events_take(view);
	for (struct directory *above = directory; r == 0 && above; above = above->parent)
		if (is_in_doubt(view, above))
			r = look_at_rights(view, above);
	tree_tell_rights(view, directory);
	return r;
}

/* Whether anything that has content is shown in it. Its depth is bounded by PATH_MAX. */
static bool is_bare(const struct directory *directory)
{
	for (size_t i = 0; i < directory->bucket_count; i++)
		for (const struct entry *entry = directory->buckets[i]; entry; entry = entry->next)
			if (entry->version || (entry->directory && !is_bare(entry->directory)))
				return false;
	return true;
}

/* Whether nothing in it, or below, waits for the refresher. */
static bool is_calm(const struct directory *directory)
{
	if (directory->is_scanning || directory->is_rescanning)
		return false;
	for (size_t i = 0; i < directory->bucket_count; i++)
		for (const struct entry *entry = directory->buckets[i]; entry; entry = entry->next)
			if (entry->is_queued || entry->is_settling ||
				(entry->directory && !is_calm(entry->directory)))
				return false;
	return true;
}

struct rights tree_admit(struct view *view, struct directory *directory, bool is_known)
{
	struct rights both =
		rights_both(&directory->rights, &directory->found_rights, &view->composer.mounter);
	int64_t now = clock_ms();

	if (rights_equal(&both, &directory->found_rights) || !is_known) {
		directory->widens_ms = 0;
		return both;
	}
	if (!directory->widens_ms)
		directory->widens_ms = now;
	int64_t age_ms = now - directory->widens_ms;
	/* In a strict mount everything is looked at again when it is asked for. */
	bool is_due = tree_is_strict(view) || age_ms >= WIDEN_MAX_MS ||
		      (age_ms >= EVENTS_QUIET_MS && is_calm(directory));
	if (!is_due && !is_bare(directory))
		return both;
	directory->widens_ms = 0;
	return directory->found_rights;
}

void tree_await_calm(struct view *view, struct directory *directory)
{
	struct entry *entry = directory_own_entry(directory);

	if (directory->widens_ms && entry && !entry->is_settling)
		events_settle(view, entry, EVENTS_QUIET_MS);
}

void view_tell_attributes(struct view *view, const struct change *change)
{
	pthread_mutex_lock(&view->lock);
	struct directory *directory = tree_directory_of(view, change->attributes_ino);
	if (directory) {
		directory->users++;
		tell(view, directory);
		if (directory->told != directory->described && change->entry)
			events_settle(view, change->entry, EVENTS_GONE_MS);
		tree_leave(view, directory);
	}
	pthread_mutex_unlock(&view->lock);
}

bool tree_is_narrowed(const struct directory *directory, int64_t since_ms)
{
	for (; directory; directory = directory->parent)
		if (directory->narrowed_ms && directory->narrowed_ms >= since_ms)
			return true;
	return false;
}

bool view_is_narrowed(struct view *view, uint64_t parent, int64_t since_ms)
{
	pthread_mutex_lock(&view->lock);
	bool is_narrowed = tree_is_narrowed(tree_directory_of(view, parent), since_ms);
	pthread_mutex_unlock(&view->lock);
	return is_narrowed;
}

bool view_lets_in(struct view *view, uint64_t parent, const struct user *user)
{
	bool is_let_in = true;

	pthread_mutex_lock(&view->lock);
	for (const struct directory *directory = tree_directory_of(view, parent);
		is_let_in && directory; directory = directory->parent)
		is_let_in = rights_allow_search(&directory->rights, user);
	pthread_mutex_unlock(&view->lock);
	return is_let_in;
}
