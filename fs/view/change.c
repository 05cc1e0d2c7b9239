#include "change.h"

#include <errno.h>
#include <stdlib.h>

#include "attach.h"
#include "attributes.h"
#include "clock.h"
#include "entry.h"
#include "queue.h"
#include "state.h"

/* Milliseconds after which a change that could not be published is tried again. */
#define RETRY_MS 500

/* A path walk that waits for the directory's lock may have been admitted by an older right. */
static int passing(const struct directory *parent)
{
	return attributes_revocations(parent) ? VIEW_PASSING : 0;
}

int view_lookup_staged(struct view *view, struct stat *ret)
{
	const struct change *change = view->publication.change;

	if (!change || change->kind != CHANGE_REPLACE)
		return -ENOENT;
	inode_hold(view, &change->version->inode);
	version_stat(change->version, ret);
	return passing(change->parent);
}

void view_begin_change(struct view *view, struct change *change)
{
	view->publication = (struct publication){.change = change};
}

enum publication_state view_publication(const struct view *view)
{
	const struct change *change = view->publication.change;
	enum entry_news outdates = change->kind == CHANGE_REPLACE ? NEWS_TIME : NEWS_FOUND;

	if (view->publication.done)
		return PUBLISHING_DONE;
	/* apply() does not make a directory where there is another object. */
	return change->kind != CHANGE_MAKE_DIRECTORY &&
			       entry_has_news(change->entry, outdates, change->began)
		       ? PUBLISHING_OVERTAKEN
		       : PUBLISHING_BEGUN;
}

static void apply(struct view *view, const struct change *change, bool is_known)
{
	struct entry *entry = change->entry;

	switch (change->kind) {
	case CHANGE_REPLACE:
		if (entry->use->directory)
			entry_hide(view, entry);
		entry_show_version(view, entry, change->version);
		entry->known = KNOWN_SHOWN;
		break;
	case CHANGE_REMOVE:
	case CHANGE_REMOVE_DIRECTORY:
		entry_clear_fault(view, entry);
		entry_hide(view, entry);
		break;
	case CHANGE_MAKE_DIRECTORY:
		if (entry->use->version || entry->use->directory)
			break;
		entry_show_directory(view, entry, is_known ? change->directory : NULL);
		entry->known = KNOWN_SHOWN;
		if (is_known)
			queue_scan(view, change->directory, SCAN_NAMES);
		break;
	case CHANGE_ATTRIBUTES:
	case CHANGE_LISTING:
	case CHANGE_TIME:
		break;
	}
	change->parent->attributes.mtime = clock_after(change->parent->attributes.mtime);
}

int view_apply_change(struct view *view, uint64_t parent_ino, bool is_known, struct stat *stat)
{
	const struct change *change = view->publication.change;
	if (!change || change->parent_ino != parent_ino)
		return -ESTALE;
	enum publication_state state = view_publication(view);
	if (state == PUBLISHING_OVERTAKEN)
		return -EAGAIN;
	if (state == PUBLISHING_BEGUN) {
		view->publication.done = change;
		apply(view, change, is_known);
		if (is_known && change->kind == CHANGE_MAKE_DIRECTORY &&
			change->entry->use->directory == change->directory)
			inode_hold(view, &change->directory->inode);
	}
	int r = 0;
	if (stat && change->directory && change->entry->use->directory == change->directory) {
		directory_stat(change->entry->use->directory, stat);
		r = passing(change->parent);
	}
	return r;
}

void view_cover_change(struct view *view, const struct change *change)
{
	struct problem problem;

	problem_set(&problem, change->path, 0, 0,
		"something is mounted on it, so it can't change; unmount that, and the change is "
		"shown");
	entry_set_fault(view, change->entry, &problem, NULL, false);
}

/* Milliseconds after which the kernel is notified again. It returns -ENOENT until it has our answer
 * to the LOOKUP that makes the directory known to it. */
#define NOTIFY_AGAIN_MS 2

void view_notify_attributes(struct view *view, const struct change *change)
{
	struct directory *directory = inode_directory(view, change->attributes_ino);
	if (directory) {
		directory->users++;
		attributes_notify_waits(view, directory);
		struct entry *entry = directory_own_entry(directory);
		if (attributes_are_unnotified(directory) && entry)
			queue_debounce(view, entry, NOTIFY_AGAIN_MS);
		directory_leave(view, directory);
	}
}

void view_end_change(struct view *view, struct change *change)
{
	/* A change that is only announced was never begun. */
	bool is_begun = view->publication.change;
	enum publication_state state = is_begun ? view_publication(view) : PUBLISHING_DONE;
	bool is_covered = is_begun && entry_is_covered(change->entry);
	bool is_uncovered = is_covered && state == PUBLISHING_DONE;
	if (is_uncovered)
		entry_clear_fault(view, change->entry);
	/* If a mount that covered the path is gone, look again: the path may have another fault. */
	if (is_uncovered || state == PUBLISHING_OVERTAKEN) {
		queue_entry(view, change->entry);
	} else if (state == PUBLISHING_BEGUN) {
		/* Names that depend on it have found the old version meanwhile. */
		if (change->is_news && !is_covered)
			queue_touch(view, change->entry);
		queue_later(view, change->entry, RETRY_MS);
	}
	view->publication = (struct publication){0};
	if (change->directory && change->entry->use->directory == change->directory)
		directory_leave(view, change->directory);
	else if (change->directory)
		attach_drop(view, change->directory);
	version_unref(change->version);
	if (change->entry)
		entry_leave(view, change->entry);
	free(change->path);
	*change = (struct change){0};
}
