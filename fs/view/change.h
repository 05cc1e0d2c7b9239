/*
 * A change: one path that is about to show something else. The publisher's thread begins and ends
 * it. In between, the kernel's requests for it arrive in other threads, and the first of them makes
 * the change.
 */
#pragma once

#include "view.h"

enum change_kind {
	CHANGE_REPLACE,          /* `version` takes the name, whether or not something had it */
	CHANGE_REMOVE,           /* the file or link goes */
	CHANGE_MAKE_DIRECTORY,   /* `directory` takes the name, which nothing had */
	CHANGE_REMOVE_DIRECTORY, /* the directory goes, with all that is in it */
	CHANGE_ATTRIBUTES,       /* a directory that stays has another mode or owner */
	CHANGE_LISTING, /* a directory was looked up before it was announced: it is listed now */
	CHANGE_TIME,    /* a file or link that stays has another time: it shows it already */
};

/* Something to be published. */
struct change {
	enum change_kind kind;
	struct directory *parent; /* kept alive by this; NULL for the root's attributes */
	struct entry *entry;      /* likewise */
	char *path;               /* relative to the root */
	uint64_t parent_ino;
	uint64_t shown_ino;      /* of the version that the name showed before the look; 0: none */
	uint64_t attributes_ino; /* CHANGE_ATTRIBUTES, CHANGE_TIME: of the changed object */
	bool is_news;            /* names that depend on this one are queued after it */
	struct version *version; /* one reference */
	struct directory *directory; /* not yet shown: owned until applied */
};

/** Begins the change: from now on the publisher's own lookups see its result. */
void view_begin_change(struct view *view, const struct change *change);

/**
 * Looks up a staging name: finds the version that is being published, with one more kernel
 * reference. Returns 0, VIEW_PASSING, or -ENOENT.
 */
int view_lookup_staged(struct view *view, struct stat *ret);

/**
 * Makes the change that was begun, unless it was made already. Call it for the kernel's request, or
 * instead of one (then a new directory is not `is_known`, and is made when it is looked up).
 * Returns 0 or VIEW_PASSING, with *stat (unless NULL) of the directory that the name shows now, if
 * it is one; a new directory has a kernel reference. -ESTALE: no change is begun in `parent_ino`.
 * -EAGAIN: view_is_overtaken().
 */
int view_apply_change(struct view *view, uint64_t parent_ino, bool is_known, struct stat *stat);

/**
 * Returns whether the change needs view_begin_change() and view_apply_change(); else it is only
 * announced.
 */
bool change_is_of_tree(const struct change *change);

/**
 * Reports that another file system is mounted on the path, so that the change can't be made.
 * view_end_change() then queues the path again after a while.
 */
void view_cover_change(struct view *view, const struct change *change);

/** CHANGE_ATTRIBUTES: makes the kernel drop the directory's attributes, by view->tell. */
void view_tell_attributes(struct view *view, const struct change *change);

/** Whether the change that was begun has been made. */
bool view_is_published(struct view *view);

/**
 * Returns whether the change must not be made any more, because a first look that began later has
 * shown something else. Then view_end_change() queues the name again.
 */
bool view_is_overtaken(struct view *view);

/**
 * Ends the change that view_begin_change() began, and frees it. If it was not made, its name is
 * queued again after a while.
 */
void view_end_change(struct view *view, struct change *change);
