#include "refresh.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "clock.h"
#include "events.h"
#include "expand.h"
#include "tree.h"

/* Where memory or descriptors are short, what is shown stays for so long. */
#define SHORTAGE_MS 500

/* One name being refreshed: what is shown, and what the layers say. */
struct look {
	struct directory *parent;
	struct entry *entry;
	char *path;
	layer_mask layers;
	enum union_kind shown;
	bool is_rescanned;
	bool is_polled;
	struct version *shown_version; /* is_polled; one reference */
	uint64_t writes;               /* view->writes when it began */
	bool is_event;                 /* something was reported of just this name */
	bool takes_unfinished;
	bool is_unread; /* nothing was ever shown for it but its name */
	bool is_known;  /* the kernel knows the directory */
	struct union_lookup lookup;
	struct change *change;
};

/* Then it is looked at again when the writer is done; what is shown stays. */
static bool meets_writer(
	struct view *view, const struct look *look, const struct dependencies *asked)
{
	pthread_mutex_lock(&view->lock);
	bool is_met = events_meet_writer(
		view, look->parent, look->entry->name, &look->lookup, asked, look->writes);
	/* Where no event of its own will bring it back. */
	if (is_met && !look->entry->is_settling && !look->entry->is_queued)
		events_settle(view, look->entry, EVENTS_QUIET_MS);
	pthread_mutex_unlock(&view->lock);
	return is_met;
}

static void settle(struct view *view, const struct look *look, int64_t quiet_ms)
{
	pthread_mutex_lock(&view->lock);
	events_settle(view, look->entry, quiet_ms);
	pthread_mutex_unlock(&view->lock);
}

/* It must not be shown to those whom a directory has shut out, and who are on their way in
 * (told.c). */
static bool meets_outsiders(struct view *view, const struct look *look)
{
	pthread_mutex_lock(&view->lock);
	int r = tree_settle_rights(view, look->parent);
	bool is_met = r < 0 || (!look->takes_unfinished && tree_is_narrowed(look->parent,
								   clock_ms() - EVENTS_QUIET_MS));
	if (is_met)
		events_settle(view, look->entry, r < 0 ? SHORTAGE_MS : EVENTS_QUIET_MS);
	pthread_mutex_unlock(&view->lock);
	return is_met;
}

static void make_change(const struct look *look, enum change_kind kind)
{
	look->change->kind = kind;
}

/* The layers' file, or why there is none. Returns true when it is to be published. */
static bool take_composed(
	struct view *view, const struct look *look, int result, const struct problem *problem)
{
	struct entry *entry = look->entry;
	struct version *version = look->change->version;
	bool is_same = entry->version ? version_same(entry->version, version)
				      : tree_is_forgotten_version(entry, version);

	view->compositions++;
	if (problem->message[0] || result)
		tree_set_trouble(view, entry, problem, version, result == 0);
	else
		tree_clear_trouble(view, entry);
	if (is_same && entry->version)
		version_take_sources(entry->version, version);
	if (is_same && entry->kind != UNION_NONE && !entry->is_unannounced)
		return false;
	/* Nobody has seen what was there before, nor will; a change there was all the same. */
	tree_prepare_version(view, entry, version);
	make_change(look, CHANGE_REPLACE);
	return true;
}

/* A broken source: the version that is shown stays, unless the settings say otherwise. */
static bool keeps_last_good(const struct view *view, const struct look *look)
{
	const struct version *version = look->entry->version;

	return view->composer.settings->on_error != ON_ERROR_FAIL && version &&
	       version->kind != VERSION_BROKEN;
}

/*
 * The bytes stay; but a right that was taken from a source is taken from them at once. The change's
 * version, a broken one, has the sources' present rights.
 */
static void keep_last_good(const struct view *view, const struct look *look)
{
	struct version *broken = look->change->version;

	look->change->version =
		version_narrow(look->entry->version, broken, &view->composer.mounter);
	version_unref(broken);
}

/* Returns 0 with a change, or 1. */
static int refresh_file(struct view *view, const struct look *look)
{
	CLEANUP(dependencies_fini) struct dependencies asked = {0};
	struct problem problem = {0};
	struct composer composer = view->composer;

	composer.takes_unfinished = look->takes_unfinished;
	int r = compose(
		&composer, look->path, &look->lookup, &asked, &look->change->version, &problem);
	pthread_mutex_lock(&view->lock);
	dependency_remember(view, look->entry, &asked);
	pthread_mutex_unlock(&view->lock);
	if (r == COMPOSE_MOVED || r == COMPOSE_UNSETTLED || union_is_shortage(r)) {
		settle(view, look,
			r == COMPOSE_MOVED       ? EVENTS_GONE_MS
			: r == COMPOSE_UNSETTLED ? EVENTS_QUIET_MS
						 : SHORTAGE_MS);
		return 1;
	}
	if (r < 0)
		r = compose_failed(look->path, -r, &problem);
	/* It may have begun to write while we read. */
	if (meets_writer(view, look, &asked) || meets_outsiders(view, look))
		return 1;
	if (r == PROBLEM) {
		if (compose_broken(
			    &view->composer, look->path, &look->lookup, &look->change->version) < 0)
			return 1;
		pthread_mutex_lock(&view->lock);
		if (keeps_last_good(view, look))
			keep_last_good(view, look);
		pthread_mutex_unlock(&view->lock);
		if (!look->change->version)
			return 1;
	}
	pthread_mutex_lock(&view->lock);
	bool is_news = take_composed(view, look, r, &problem);
	pthread_mutex_unlock(&view->lock);
	return is_news ? 0 : 1;
}

/* Returns 0 with a change, or 1. */
static int make_directory(struct view *view, const struct look *look)
{
	const struct era era = {.number = view->era, .composer = view->composer};

	make_change(look, CHANGE_MAKE_DIRECTORY);
	return tree_make_directory(view, &era, look->parent, look->entry->name, &look->lookup,
		       &look->change->directory) == 0
		       ? 0
		       : 1;
}

static int refresh_directory(struct view *view, const struct look *look)
{
	pthread_mutex_lock(&view->lock);
	struct directory *directory = look->entry->directory;
	bool is_unannounced = look->entry->is_unannounced;
	if (directory)
		directory->users++;
	pthread_mutex_unlock(&view->lock);
	if (!directory)
		return is_unannounced && look->is_known ? make_directory(view, look) : 1;

	bool is_changed =
		tree_update_directory(view, view->composer.settings, directory, &look->lookup);
	pthread_mutex_lock(&view->lock);
	if (is_changed) {
		make_change(look, CHANGE_ATTRIBUTES);
		look->change->attributes_ino = directory->inode.ino;
	} else if (is_unannounced) {
		/* The kernel has it from a lookup: mkdir(2) would be refused. */
		make_change(look, CHANGE_LISTING);
		look->entry->is_unannounced = false;
	}
	if (is_changed && is_unannounced)
		tree_queue(view, look->entry);
	tree_leave(view, directory);
	pthread_mutex_unlock(&view->lock);
	return is_changed || is_unannounced ? 0 : 1;
}

/*
 * rmdir(2) takes a directory away with all that is in it, but tells only those who watch the
 * directory. So what is known in it goes first, each by its own removal. Returns 0 with a change,
 * or 1 when it will be looked at again.
 */
static int remove_directory(struct view *view, const struct look *look)
{
	bool is_empty = true;

	pthread_mutex_lock(&view->lock);
	struct directory *directory = look->entry->directory;
	if (directory)
		directory->layers = 0; /* nothing shows in it any more, whatever hides it */
	for (size_t i = 0; directory && i < directory->bucket_count; i++)
		for (struct entry *entry = directory->buckets[i]; entry; entry = entry->next) {
			if (!entry->version && !entry->directory)
				continue;
			is_empty = false;
			if (!entry->is_settling)
				tree_queue(view, entry);
		}
	if (!is_empty)
		events_settle(view, look->entry, EVENTS_GONE_MS);
	pthread_mutex_unlock(&view->lock);
	make_change(look, CHANGE_REMOVE_DIRECTORY);
	return is_empty ? 0 : 1;
}

/*
 * The kernel does not know the directory, so nobody can see or watch the name: it is kept up to
 * date for those who refer to it.
 */
static int refresh_unknown(struct view *view, const struct look *look)
{
	enum union_kind now = look->lookup.kind;

	if (look->shown == UNION_DIRECTORY && now == UNION_DIRECTORY) {
		refresh_directory(view, look);
		return 1;
	}
	pthread_mutex_lock(&view->lock);
	/* A last good version is kept through it all, and must not outlive its trouble. */
	bool is_file = look->entry->version && (now == UNION_FILE || now == UNION_LINK);
	if (!is_file)
		tree_note(view, look->entry, now);
	pthread_mutex_unlock(&view->lock);
	if (!is_file || refresh_file(view, look) != 0)
		return 1;
	pthread_mutex_lock(&view->lock);
	bool is_known = look->parent->inode.kernel_refs > 0;
	if (!is_known)
		tree_show_version(view, look->entry, look->change->version);
	pthread_mutex_unlock(&view->lock);
	return is_known ? 0 : 1;
}

/* What must be published for the path to be what the layers say. Returns 0 with a change, or 1. */
static int decide(struct view *view, const struct look *look)
{
	enum union_kind now = look->lookup.kind;
	bool is_directory = now == UNION_DIRECTORY;

	switch (look->shown) {
	case UNION_DIRECTORY:
		return is_directory ? refresh_directory(view, look) : remove_directory(view, look);
	case UNION_FILE:
	case UNION_LINK:
		if (now != UNION_NONE && !is_directory)
			return refresh_file(view, look);
		make_change(look, CHANGE_REMOVE);
		return 0;
	case UNION_NONE:
		break;
	}
	if (now == UNION_NONE)
		return 1;
	return is_directory ? make_directory(view, look) : refresh_file(view, look);
}

/* The entry was taken from the queue, and its parent is in use for it. The lock is held. */
static bool begin_look(struct view *view, struct entry *entry, struct look *look)
{
	struct directory *parent = entry->parent;

	entry->is_queued = false;
	/* It will come again when its writer is done. */
	if (parent->is_dead || entry->is_settling || union_is_mark(entry->name))
		return false;
	if (directory_join(parent, entry->name, &look->path) < 0)
		return false;
	parent->generation++;
	entry->users++;
	look->parent = parent;
	look->entry = entry;
	look->layers = parent->layers;
	look->shown = entry->kind;
	look->change->shown_ino = entry->version ? entry->version->inode.ino : 0;
	look->is_known = parent->inode.kernel_refs > 0;
	look->writes = view->writes;
	look->takes_unfinished = entry->takes_unfinished;
	entry->takes_unfinished = false;
	look->is_rescanned = entry->is_rescanned;
	look->is_polled = entry->is_polled;
	look->is_unread = !entry->version && !entry->print && !entry->is_unannounced;
	look->shown_version =
		entry->is_polled && entry->version ? version_ref(entry->version) : NULL;
	look->is_event = entry->is_touched;
	if (entry->is_touched) {
		entry->is_touched = false;
		source_cache_touch(view->cache, look->path);
		dependency_touch(view, parent, entry->name);
	}
	return true;
}

/* Looked at again for no reason of its own, and as it was; or not known well enough to tell. */
static bool is_unmoved(struct view *view, const struct look *look)
{
	bool is_file = look->lookup.kind == UNION_FILE || look->lookup.kind == UNION_LINK;

	if (!look->is_rescanned || look->lookup.kind != look->shown || !is_file)
		return false;
	if (look->is_unread)
		return true;
	return look->is_polled && look->shown_version &&
	       compose_is_current(&view->composer, look->path, &look->lookup, look->shown_version);
}

/* No layer can be looked at, so a directory that is shown may be one still: it stays. */
static bool is_out_of_sight(const struct look *look)
{
	if (look->shown != UNION_DIRECTORY || !look->lookup.count)
		return false;
	for (unsigned i = 0; i < look->lookup.count; i++)
		if (!look->lookup.found[i].error)
			return false;
	return true;
}

static void touch(struct view *view, const struct look *look)
{
	pthread_mutex_lock(&view->lock);
	source_cache_touch(view->cache, look->path);
	dependency_touch(view, look->parent, look->entry->name);
	pthread_mutex_unlock(&view->lock);
}

/*
 * inotify tells of a write under the name that it was made by. A source that has other names may be
 * a source by those, too: whatever shows it is looked at again.
 */
static void queue_other_names(struct view *view, const struct look *look)
{
	bool has_links = false;

	for (unsigned i = 0; i < look->lookup.count; i++)
		has_links |= look->lookup.found[i].stat.st_nlink > 1;
	if (!has_links || !look->is_event || look->lookup.kind != UNION_FILE)
		return;
	pthread_mutex_lock(&view->lock);
	for (size_t i = 0; i < view->inodes.size; i++)
		for (struct inode *inode = view->inodes.buckets[i]; inode; inode = inode->next) {
			struct version *version = (struct version *)inode;
			if (inode->type != INODE_VERSION || !version->entry ||
				version->entry == look->entry)
				continue;
			for (unsigned j = 0; j < look->lookup.count; j++)
				if (version_has_source(version, &look->lookup.found[j].stat))
					tree_queue(view, version->entry);
		}
	pthread_mutex_unlock(&view->lock);
}

static int refresh(struct view *view, struct look *look)
{
	struct change *change = look->change;

	if (expand_look_up(&view->finder, view->composer.settings, look->layers, look->path,
		    &look->lookup) < 0) {
		settle(view, look, SHORTAGE_MS);
		return 1;
	}
	if (meets_writer(view, look, NULL))
		return 1;
	if (is_unmoved(view, look) || is_out_of_sight(look))
		return 1;
	queue_other_names(view, look);
	if (look->is_polled && look->lookup.kind != UNION_DIRECTORY)
		touch(view, look);
	int r = look->is_known ? decide(view, look) : refresh_unknown(view, look);
	if (r != 0)
		return r;
	change->parent = look->parent;
	change->entry = look->entry;
	change->parent_ino = look->parent->inode.ino;
	change->path = take_ptr(look->path);
	/* What is in the way goes first; then the same name is looked at again. */
	if ((change->kind == CHANGE_REMOVE || change->kind == CHANGE_REMOVE_DIRECTORY) &&
		look->lookup.kind != UNION_NONE) {
		pthread_mutex_lock(&view->lock);
		tree_queue(view, look->entry);
		pthread_mutex_unlock(&view->lock);
	}
	return 0;
}

/* Takes the next name from the queue. Returns 0 with a change, 1 with none, 2 for an empty queue.
 */
static int next_entry(struct view *view, struct look *look)
{
	pthread_mutex_lock(&view->lock);
	if (view->queue_first == view->queue_count) {
		view->queue_first = view->queue_count = 0;
		pthread_mutex_unlock(&view->lock);
		return 2;
	}
	struct entry *entry = view->queue[view->queue_first++];
	struct directory *parent = entry->parent;
	if (!begin_look(view, entry, look)) {
		tree_tidy(view, entry);
		tree_leave(view, parent);
		pthread_mutex_unlock(&view->lock);
		return 1;
	}
	pthread_mutex_unlock(&view->lock);

	int r = refresh(view, look);
	free(look->path);
	version_unref(look->shown_version);
	if (r != 0) {
		version_unref(look->change->version);
		pthread_mutex_lock(&view->lock);
		tree_end_look(view, entry);
		pthread_mutex_unlock(&view->lock);
	}
	return r;
}

/* The root has no name to be refreshed by. Returns 0 with a change, or 1. */
static int refresh_root(struct view *view, struct look *look)
{
	union_look_up(view->composer.settings, union_all_layers(view->composer.settings), "",
		&look->lookup);
	bool is_changed =
		look->lookup.kind == UNION_DIRECTORY &&
		tree_update_directory(view, view->composer.settings, view->root, &look->lookup);
	pthread_mutex_lock(&view->lock);
	view->is_root_looked_at = false;
	pthread_mutex_unlock(&view->lock);
	if (!is_changed)
		return 1;
	make_change(look, CHANGE_ATTRIBUTES);
	look->change->attributes_ino = VIEW_INO_ROOT;
	return 0;
}

static void look_freep(struct look **look)
{
	if (*look)
		union_lookup_fini(&(*look)->lookup);
	free(*look);
}

int view_next_change(struct view *view, struct change *ret)
{
	CLEANUP(look_freep) struct look *look = calloc(1, sizeof(*look));
	if (!look)
		return 1;
	union_lookup_init(&look->lookup);
	for (;;) {
		*ret = (struct change){0};
		look->change = ret;
		look->path = NULL;
		pthread_mutex_lock(&view->lock);
		bool is_root_changed = view->is_root_looked_at = view->is_root_changed;
		view->is_root_changed = false;
		pthread_mutex_unlock(&view->lock);
		if (is_root_changed && refresh_root(view, look) == 0)
			return 0;
		int r = next_entry(view, look);
		if (r == 0)
			return 0;
		if (r == 2 && !tree_scan_next(view))
			return 1;
	}
}
