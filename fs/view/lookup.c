/*
 * Looking names up: what the kernel, or a reference, asks for the first time is found out here,
 * with no lock held, and then shown.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "change.h"
#include "cleanup.h"
#include "events.h"
#include "expand.h"
#include "tree.h"

/* Positive result: another thread was faster, and something else is shown than was looked at. */
enum { LOOK_OVERTAKEN = 2 };

/* What a request found out about a name, with no lock held. */
struct discovery {
	enum union_kind kind;
	struct version *version;
	struct directory *directory;
	struct dependencies asked;
	uint64_t asked_at; /* the references' generation before it was asked */
	struct problem problem;
	bool is_troubled;
};

static void discovery_fini(struct view *view, struct discovery *found)
{
	version_unref(found->version);
	dependencies_fini(&found->asked);
	if (found->directory)
		tree_drop_directory(view, found->directory);
}

/* Composes; what can't be composed becomes a version that says so. */
static int discover_file(const struct composer *composer, const char *path,
	const struct union_lookup *lookup, struct discovery *found)
{
	found->problem = (struct problem){0};
	dependencies_fini(&found->asked);
	version_unref(take_ptr(found->version));
	int r = compose(composer, path, lookup, &found->asked, &found->version, &found->problem);
	if (r == COMPOSE_MOVED || r == COMPOSE_UNSETTLED || union_is_shortage(r))
		return r;
	if (r < 0)
		compose_failed(path, -r, &found->problem);
	found->is_troubled = found->problem.message[0] != '\0';
	if (r != 0)
		r = compose_broken(composer, path, lookup, &found->version);
	return r;
}

static bool meets_writer(struct view *view, const struct directory *parent, const char *name,
	const struct union_lookup *lookup, const struct discovery *found, uint64_t *since)
{
	pthread_mutex_lock(&view->lock);
	bool is_met = events_meet_writer(view, parent, name, lookup, &found->asked, *since);
	*since = view->writes;
	pthread_mutex_unlock(&view->lock);
	return is_met;
}

static int discover(struct view *view, const struct era *era, struct directory *parent,
	const char *name, layer_mask layers, struct discovery *found)
{
	CLEANUP(union_lookup_freep) struct union_lookup *lookup = union_lookup_new();
	CLEANUP(freep) char *path = NULL;
	struct composer composer = era->composer;
	uint64_t writes = era->writes;
	int r = -ENOMEM;

	if (!lookup || directory_join(parent, name, &path) < 0)
		return -ENOMEM;
	for (int try = 0; try < COMPOSE_TRIES; try++) {
		r = expand_look_up(&view->finder, era->composer.settings, layers, path, lookup);
		if (r < 0)
			return r;
		found->kind = lookup->kind;
		if (lookup->kind == UNION_NONE)
			return 0;
		if (lookup->kind == UNION_DIRECTORY)
			return tree_make_directory(
				view, era, parent, name, lookup, &found->directory);
		/* A writer that takes his time: what he has written so far is all there is. */
		composer.takes_unfinished = try == COMPOSE_TRIES - 1;
		r = discover_file(&composer, path, lookup, found);
		if (r < 0 || (r == 0 && !meets_writer(view, parent, name, lookup, found, &writes)))
			return r;
		nanosleep(&(struct timespec){.tv_nsec = COMPOSE_PAUSE_NS}, NULL);
	}
	if (r == 0)
		return 0;
	compose_is_restless(path, &found->problem);
	found->is_troubled = true;
	return compose_broken(&era->composer, path, lookup, &found->version);
}

/* The entry shows nothing yet. The lock is held. */
static void show_found(struct view *view, struct entry *entry, struct discovery *found)
{
	if (found->directory) {
		tree_show_directory(view, entry, found->directory);
		tree_queue_scan(view, found->directory, false);
		found->directory->users--;
		found->directory = NULL;
	} else {
		tree_prepare_first_version(view, entry, found->version);
		tree_show_version(view, entry, found->version);
		if (found->is_troubled)
			tree_set_trouble(view, entry, &found->problem, found->version, true);
		else
			tree_clear_trouble(view, entry);
		dependency_remember(view, entry, &found->asked);
		view->compositions++;
	}
}

/* Shows what was found. Returns 0, LOOK_OVERTAKEN or -errno. The lock is held. */
static int install(struct view *view, struct directory *parent, const char *name,
	uint64_t generation, struct discovery *found)
{
	if (parent->is_dead)
		return -ENOENT;
	struct entry *entry = directory_find(parent, name);
	if (entry && (entry->version || entry->directory))
		return LOOK_OVERTAKEN;
	if (found->kind == UNION_NONE) {
		/* A listing has seen more: the kernel must hear that it is there. */
		if (entry && entry->kind != UNION_NONE)
			entry->is_unannounced = true;
		return -ENOENT;
	}
	entry = directory_entry(parent, name);
	if (!entry)
		return -ENOMEM;
	/*
	 * mkdir(2) is how a new directory is made known, and it wants the name to be free: so the
	 * directory shows when that has been done, a moment from now. One that no layer has does
	 * not come: rules make it, and a listing learns of those last.
	 */
	bool is_new = found->directory && parent->is_complete && entry->kind == UNION_NONE &&
		      (found->directory->layers || parent->is_expanded);
	if (is_new && !tree_is_strict(view)) {
		tree_queue(view, entry);
		return -ENOENT;
	}
	if (parent->is_complete && entry->kind != found->kind)
		entry->is_unannounced = true;
	/* It changed while it was forgotten, and the refresher has not heard of it yet. */
	if (found->version && entry->print && !tree_is_forgotten_version(entry, found->version))
		entry->is_unannounced = true;
	show_found(view, entry, found);
	/*
	 * The refresher took up this directory while we looked: it may have seen less than we, or
	 * we less than it; and what we read may lie in the cache since.
	 */
	if (parent->generation != generation ||
		(found->asked.count && view->dependency_indexes.generation != found->asked_at)) {
		entry->is_touched = true;
		tree_queue(view, entry);
	}
	return 0;
}

/* The lock is held. */
static int show(struct view *view, struct entry *entry, struct stat *ret)
{
	if (entry->version) {
		tree_hold(view, &entry->version->inode);
		version_stat(entry->version, ret);
	} else {
		tree_hold(view, &entry->directory->inode);
		directory_stat(entry->directory, ret);
	}
	return 0;
}

/*
 * unlink(2) wants something to take away, also where nobody ever looked or the kernel has forgotten
 * what was there. No path shows it, and it must be asked for again: so nobody else opens it.
 */
static int show_passing(struct view *view, struct entry *entry, struct stat *ret)
{
	CLEANUP(version_unrefp) struct version *version = version_new(VERSION_BROKEN);

	if (!version)
		return -ENOMEM;
	version->mode = S_IFREG | 0400;
	tree_prepare_version(view, entry, version);
	tree_hold(view, &version->inode);
	version_stat(version, ret);
	return VIEW_PASSING;
}

/* rmdir(2) likewise; an empty directory does no harm while the kernel holds its parent's lock. */
static int show_for_publisher(struct view *view, struct stat *ret)
{
	const struct change *change = view->publishing;
	struct entry *entry = change->entry;

	if (change->kind == CHANGE_REMOVE && !entry->version)
		return show_passing(view, entry, ret);
	if (change->kind == CHANGE_REMOVE_DIRECTORY && !entry->directory) {
		struct directory *directory;
		int r = directory_new(entry->parent, entry->name,
			view->composer.settings->layer_count, &directory);
		if (r < 0)
			return r;
		directory->rights.mode = 0500;
		entry->parent->users++;
		tree_show_directory(view, entry, directory);
	}
	if (!entry->version && !entry->directory)
		return -ENOENT;
	return show(view, entry, ret);
}

/* Finds out and shows, as install(). Drops the lock meanwhile; the directory must be in use. */
static int look(struct view *view, struct directory *directory, const char *name)
{
	for (;;) {
		uint64_t generation = directory->generation;
		layer_mask layers = directory->layers;
		struct discovery found = {.asked_at = view->dependency_indexes.generation};
		struct era era;

		era_init(view, &era);
		pthread_mutex_unlock(&view->lock);
		int r = discover(view, &era, directory, name, layers, &found);
		pthread_mutex_lock(&view->lock);
		if (r == 0 && found.kind != UNION_NONE)
			r = tree_settle_rights(view, directory);
		bool is_current = era.number == view->era;
		if (r == 0 && is_current)
			r = install(view, directory, name, generation, &found);
		discovery_fini(view, &found);
		era_fini(&era);
		if (is_current)
			return r;
	}
}

/*
 * coherence=strict: what the layers say now, against what is shown. What differs is answered with a
 * version that no path shows; the refresher then publishes it, and so wakes who watches.
 */
static int answer_strictly(
	struct view *view, struct entry *entry, struct discovery *found, struct stat *ret)
{
	if (found->kind == UNION_NONE)
		return -ENOENT;
	if (entry->directory && found->directory)
		return show(view, entry, ret);
	if (entry->version && found->version) {
		if (found->is_troubled && entry->version->kind != VERSION_BROKEN &&
			view->composer.settings->on_error != ON_ERROR_FAIL)
			return show(view, entry, ret);
		if (version_same(entry->version, found->version))
			return show(view, entry, ret);
		tree_prepare_version(view, entry, found->version);
		tree_hold(view, &found->version->inode);
		version_stat(found->version, ret);
		return 0;
	}
	return -EAGAIN;
}

/* What is shown is dropped where it is of another kind: rare, and nobody can be told. */
static int replace_kind(struct view *view, struct directory *directory, struct entry *entry,
	struct discovery *found, struct stat *ret)
{
	tree_hide(view, entry);
	int r = install(view, directory, entry->name, directory->generation, found);
	return r >= 0 ? show(view, entry, ret) : r;
}

/* Whether what is shown is what the layers say: then *found is left alone. Holds no lock. */
static int discover_difference(struct view *view, const struct era *era,
	struct directory *directory, const char *name, layer_mask layers, struct version *shown,
	struct directory *child, struct discovery *found)
{
	CLEANUP(union_lookup_freep) struct union_lookup *lookup = union_lookup_new();
	CLEANUP(freep) char *path = NULL;

	if (!lookup || directory_join(directory, name, &path) < 0)
		return -ENOMEM;
	int r = expand_look_up(&view->finder, era->composer.settings, layers, path, lookup);
	if (r < 0)
		return r;
	if (child && lookup->kind == UNION_DIRECTORY) {
		tree_update_directory(view, era->composer.settings, child, lookup);
		return 1;
	}
	if (shown && lookup->kind != UNION_NONE && lookup->kind != UNION_DIRECTORY &&
		compose_is_current(&era->composer, path, lookup, shown))
		return 1;
	return discover(view, era, directory, name, layers, found);
}

static int look_strictly(
	struct view *view, struct directory *directory, struct entry *entry, struct stat *ret)
{
	struct discovery found = {0};
	struct version *shown = entry->version ? version_ref(entry->version) : NULL;
	struct directory *child = entry->directory;
	layer_mask layers = directory->layers;
	struct era era;

	era_init(view, &era);
	directory->users++;
	entry->users++;
	if (child)
		child->users++;
	pthread_mutex_unlock(&view->lock);
	int r = discover_difference(
		view, &era, directory, entry->name, layers, shown, child, &found);
	pthread_mutex_lock(&view->lock);
	bool is_shown = r == 1;
	if (is_shown)
		r = entry->version == shown && entry->directory == child ? show(view, entry, ret)
									 : LOOK_OVERTAKEN;
	if (r == 0 && !is_shown)
		r = tree_settle_rights(view, directory);
	if (r == 0 && !is_shown)
		r = answer_strictly(view, entry, &found, ret);
	if (r == -EAGAIN)
		r = replace_kind(view, directory, entry, &found, ret);
	discovery_fini(view, &found);
	if (child)
		tree_leave(view, child);
	entry->users--;
	tree_tidy(view, entry);
	tree_leave(view, directory);
	version_unref(shown);
	era_fini(&era);
	return r;
}

static int look_and_show(
	struct view *view, struct directory *directory, const char *name, struct stat *ret)
{
	directory->users++;
	int r = look(view, directory, name);
	/* Who was faster may have begun earlier, and seen less. */
	if (r == 0 || (r == LOOK_OVERTAKEN && !tree_is_strict(view)))
		r = show(view, directory_find(directory, name), ret);
	directory->has_absences |= r == -ENOENT;
	tree_leave(view, directory);
	return r;
}

int tree_enter(
	struct view *view, struct directory *parent, const char *name, struct directory **ret)
{
	int r = 0;

	pthread_mutex_lock(&view->lock);
	parent->users++;
	struct entry *entry = directory_find(parent, name);
	if (!entry || (!entry->version && !entry->directory))
		r = look(view, parent, name);
	if (r >= 0) {
		entry = directory_find(parent, name);
		r = 0;
		if (entry->directory) {
			entry->directory->users++;
			*ret = entry->directory;
		} else {
			r = -ENOTDIR;
		}
	}
	tree_leave(view, parent);
	pthread_mutex_unlock(&view->lock);
	return r;
}

int tree_enter_path(struct view *view, const char *path, struct directory **ret)
{
	struct directory *directory = view->root;
	char name[NAME_MAX + 1];

	pthread_mutex_lock(&view->lock);
	directory->users++;
	pthread_mutex_unlock(&view->lock);
	while (*path) {
		size_t length = strcspn(path, "/");
		struct directory *child = NULL;
		int r = length > NAME_MAX ? -ENOENT : 0;
		if (r == 0 && length) {
			memcpy(name, path, length);
			name[length] = '\0';
			r = tree_enter(view, directory, name, &child);
		}
		if (child || r < 0) {
			pthread_mutex_lock(&view->lock);
			tree_leave(view, directory);
			pthread_mutex_unlock(&view->lock);
			directory = child;
		}
		if (r < 0)
			return r;
		path += length;
		path += *path == '/';
	}
	*ret = directory;
	return 0;
}

/* Returns also LOOK_OVERTAKEN: all may be different now. The lock is held. */
static int answer(
	struct view *view, uint64_t parent, const char *name, bool is_publisher, struct stat *ret)
{
	struct directory *directory = tree_directory_of(view, parent);
	struct entry *entry = directory ? directory_find(directory, name) : NULL;

	if (!directory || directory->is_dead)
		return -ENOENT;
	if (is_publisher && view->publishing && entry && view->publishing->entry == entry)
		return show_for_publisher(view, ret);
	if (!entry || (!entry->version && !entry->directory))
		return look_and_show(view, directory, name, ret);
	return tree_is_strict(view) ? look_strictly(view, directory, entry, ret)
				    : show(view, entry, ret);
}

/* What is shown already was read by rights that the kernel may have missed: see tell(). */
static void tell_of(struct view *view, uint64_t parent)
{
	struct directory *directory = tree_directory_of(view, parent);

	if (!directory)
		return;
	directory->users++;
	tree_tell_rights(view, directory);
	tree_leave(view, directory);
}

int view_lookup(
	struct view *view, uint64_t parent, const char *name, bool is_publisher, struct stat *ret)
{
	int r;

	if (strlen(name) > NAME_MAX)
		return -ENAMETOOLONG;
	if (union_is_mark(name))
		return -ENOENT;
	pthread_mutex_lock(&view->lock);
	tell_of(view, parent);
	do
		r = answer(view, parent, name, is_publisher, ret);
	while (r == LOOK_OVERTAKEN);
	pthread_mutex_unlock(&view->lock);
	return r;
}
