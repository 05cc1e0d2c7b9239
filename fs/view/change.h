/*
 * A change: one path that is about to show something else. The publisher begins the change, makes a
 * system call, and ends the change. The kernel's request for the system call makes the change.
 */
#pragma once

#include "view.h"

enum change_kind {
	CHANGE_REPLACE,          /* the name shows `version`, whatever it showed before */
	CHANGE_REMOVE,           /* the file or link goes */
	CHANGE_MAKE_DIRECTORY,   /* the name shows `directory`; it showed nothing before */
	CHANGE_REMOVE_DIRECTORY, /* the directory goes, with all that is in it */
	/* These three are never begun (view_begin_change()), but only announced to the kernel. */
	CHANGE_ATTRIBUTES, /* a directory has another mode or owner */
	CHANGE_LISTING,    /* a shown directory is missing in the kernel's cached listing */
	CHANGE_TIME,       /* announces a new time that a file or link shows already */
};

struct change {
	enum change_kind kind;
	/* parent, entry, path: NULL if a directory's attributes change without a look (look.h). */
	struct directory *parent;
	struct entry *entry; /* in use by the change (entry.h) until view_end_change() */
	char *path;          /* owned; relative to the root */
	uint64_t parent_ino;
	uint64_t began;              /* look->began; the change is outdated by later news */
	uint64_t attributes_ino;     /* CHANGE_ATTRIBUTES, CHANGE_TIME: of the changed object */
	bool is_news;                /* names that depend on this one must be looked up again */
	struct version *version;     /* CHANGE_REPLACE: one reference */
	struct directory *directory; /* CHANGE_MAKE_DIRECTORY: in use until view_end_change() */
};

/** Begins the change, which must stay valid until view_end_change(). */
void view_begin_change(struct view *view, struct change *change);

/**
 * Looks up the version that is being published, for a lookup in STAGE_PATH (driver.h). Gives the
 * version one more kernel reference. Returns 0 or VIEW_PASSING (view.h), with the version's
 * attributes in *ret; -ENOENT: no CHANGE_REPLACE is begun.
 */
int view_lookup_staged(struct view *view, struct stat *ret);

/**
 * Makes the change that was begun in the directory `parent_ino`, unless it was made already. If
 * `is_known` is true, the caller answers a request of the kernel, and a new directory gets one
 * kernel reference. If `is_known` is false, CHANGE_MAKE_DIRECTORY shows the name alone, and the
 * name's first lookup makes the directory. Returns 0 or VIEW_PASSING (view.h), with the attributes
 * of a new directory in *stat (`stat` may be NULL); -ESTALE: no change is begun in `parent_ino`;
 * -EAGAIN: PUBLISHING_OVERTAKEN.
 */
int view_apply_change(struct view *view, uint64_t parent_ino, bool is_known, struct stat *stat);

/** Sets the path's fault: the change can't be made while something is mounted on the path. */
void view_cover_change(struct view *view, const struct change *change);

/**
 * For CHANGE_ATTRIBUTES: calls view_callbacks.notify (view.h) for the directory. If the kernel does
 * not know the directory yet, queues the directory again.
 */
void view_notify_attributes(struct view *view, const struct change *change);

/* The state of the change that was begun. */
enum publication_state {
	PUBLISHING_BEGUN,
	PUBLISHING_DONE, /* the change is made */
	/* It is not made: since change->began, a request has shown another object or time; or, if
	 * the change removes the object, has found it in the layers. */
	PUBLISHING_OVERTAKEN,
};

enum publication_state view_publication(const struct view *view);

/**
 * Ends a change, begun or only announced, and frees what the change holds. If the change was begun
 * but not made, queues its name again.
 */
void view_end_change(struct view *view, struct change *change);
