#include "change.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "events.h"
#include "tree.h"

/* What could not be published is tried again after this time. */
#define RETRY_MS 500

int view_lookup_staged(struct view *view, struct stat *ret)
{
	int r = -ENOENT;

	pthread_mutex_lock(&view->lock);
	if (view->publishing && view->publishing->kind == CHANGE_REPLACE) {
		tree_hold(view, &view->publishing->version->inode);
		version_stat(view->publishing->version, ret);
		r = 0;
	}
	pthread_mutex_unlock(&view->lock);
	return r;
}

void view_begin_change(struct view *view, const struct change *change)
{
	pthread_mutex_lock(&view->lock);
	view->publishing = change;
	view->is_published = view->is_overtaken = view->is_directory_taken = false;
	pthread_mutex_unlock(&view->lock);
}

static void apply(struct view *view, const struct change *change, bool is_known)
{
	struct entry *entry = change->entry;

	switch (change->kind) {
	case CHANGE_REPLACE:
		if (entry->directory)
			tree_hide(view, entry);
		tree_show_version(view, entry, change->version);
		entry->is_unannounced = false;
		break;
	case CHANGE_REMOVE:
	case CHANGE_REMOVE_DIRECTORY:
		tree_clear_trouble(view, entry);
		tree_hide(view, entry);
		break;
	case CHANGE_MAKE_DIRECTORY:
		if (entry->version || entry->directory)
			break;
		entry->is_unannounced = false;
		tree_show_directory(view, entry, is_known ? change->directory : NULL);
		if (!is_known)
			break;
		tree_queue_scan(view, change->directory, false);
		change->directory->users--;
		view->is_directory_taken = true;
		break;
	case CHANGE_ATTRIBUTES:
	case CHANGE_LISTING:
		break;
	}
	clock_gettime(CLOCK_REALTIME, &change->parent->mtime);
}

/* Whether a request has shown another version since: to go back would be seen. */
static bool is_older(const struct change *change)
{
	const struct version *version = change->entry->version;

	return (change->kind == CHANGE_REPLACE || change->kind == CHANGE_REMOVE) && version &&
	       version->inode.ino != change->shown_ino;
}

int view_apply_change(struct view *view, uint64_t parent_ino, bool is_known, struct stat *stat)
{
	pthread_mutex_lock(&view->lock);
	const struct change *change = view->publishing;
	if (!change || change->parent_ino != parent_ino) {
		pthread_mutex_unlock(&view->lock);
		return -ESTALE;
	}
	view->is_overtaken |= !view->is_published && is_older(change);
	if (view->is_overtaken) {
		pthread_mutex_unlock(&view->lock);
		return -EAGAIN;
	}
	if (!view->is_published) {
		view->is_published = true;
		apply(view, change, is_known);
		if (is_known && change->kind == CHANGE_MAKE_DIRECTORY &&
			change->entry->directory == change->directory)
			tree_hold(view, &change->directory->inode);
	}
	if (stat && change->directory && change->entry->directory == change->directory)
		directory_stat(change->entry->directory, stat);
	pthread_mutex_unlock(&view->lock);
	return 0;
}

bool view_is_published(struct view *view)
{
	pthread_mutex_lock(&view->lock);
	bool is_published = view->is_published;
	pthread_mutex_unlock(&view->lock);
	return is_published;
}

bool view_is_overtaken(struct view *view)
{
	pthread_mutex_lock(&view->lock);
	bool is_overtaken = view->is_overtaken;
	pthread_mutex_unlock(&view->lock);
	return is_overtaken;
}

void view_end_change(struct view *view, struct change *change)
{
	pthread_mutex_lock(&view->lock);
	if (view->is_overtaken) {
		tree_queue(view, change->entry);
	} else if (view->publishing && !view->is_published) {
		change->entry->unsettled_ms = 0; /* its writer is not waited for */
		events_settle(view, change->entry, RETRY_MS);
	}
	view->publishing = NULL;
	view->is_overtaken = false;
	if (change->directory && !view->is_directory_taken)
		tree_drop_directory(view, change->directory);
	version_unref(change->version);
	if (change->entry)
		tree_end_look(view, change->entry);
	pthread_mutex_unlock(&view->lock);
	free(change->path);
	*change = (struct change){0};
}
