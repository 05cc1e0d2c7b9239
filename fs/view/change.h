/*
 * A change: one path that is to show something else, from when it is found out until the kernel has
 * taken it. The publisher's thread begins and ends it; between that the kernel's requests for it
 * come in, in other threads, and the first of them makes it.
 */
#pragma once

#include "view.h"

enum change_kind {
	CHANGE_REPLACE,          /* `version` takes the name, whether or not something had it */
	CHANGE_REMOVE,           /* the file or link goes */
	CHANGE_MAKE_DIRECTORY,   /* `directory` takes the name, which nothing had */
	CHANGE_REMOVE_DIRECTORY, /* the directory goes, with all that is in it */
	CHANGE_ATTRIBUTES,       /* a directory that stays has another mode or owner */
	CHANGE_LISTING, /* a directory was looked up before it was told: it is listed now */
	CHANGE_TIME,    /* a file or link that stays has another time: it shows it already */
};

/* Something to be published. */
struct change {
	enum change_kind kind;
	struct directory *parent; /* kept alive by this; NULL for the root's attributes */
	struct entry *entry;      /* likewise */
	char *path;               /* relative to the root */
	uint64_t parent_ino;
	uint64_t shown_ino; /* of the version that the name showed before it was looked at; 0 */
	uint64_t attributes_ino; /* CHANGE_ATTRIBUTES, CHANGE_TIME: the number of what has them */
	bool is_news;            /* those who depend on the name look at it again behind it */
	struct version *version; /* one reference */
	struct directory *directory; /* not yet shown: owned until applied */
};

/** The request threads may meet the change from here on: lookups by the publisher see its side. */
void view_begin_change(struct view *view, const struct change *change);

/**
 * What a staging name leads to: the version that is being published, with one more kernel
 * reference. Returns 0, VIEW_PASSING, or -ENOENT.
 */
int view_lookup_staged(struct view *view, struct stat *ret);

/**
 * Makes the change that was begun: called when the kernel's request for it has come in, or in place
 * of one (then a new directory is not `is_known`, and made when it is looked up). Does nothing when
 * it was made already. Returns 0, or VIEW_PASSING, with *stat (unless NULL) what a directory's name
 * shows now, a new one with a kernel reference; 0 without *stat; -ESTALE when nothing is to be
 * published in `parent_ino`; or -EAGAIN when view_is_overtaken().
 */
int view_apply_change(struct view *view, uint64_t parent_ino, bool is_known, struct stat *stat);

/**
 * Whether the tree changes, by view_begin_change() and view_apply_change(); or something is only
 * announced.
 */
bool change_is_of_tree(const struct change *change);

/**
 * Something is mounted on the path of the change that was begun, which stays: it is reported, and
 * view_end_change() has the path looked at again after a while.
 */
void view_cover_change(struct view *view, const struct change *change);

/** CHANGE_ATTRIBUTES: has the kernel ask for the directory's attributes again, by view->tell. */
void view_tell_attributes(struct view *view, const struct change *change);

/** Whether the change that was begun has been made. */
bool view_is_published(struct view *view);

/**
 * Whether it was not made, and must not be: a first look, which began later, has shown something
 * else meanwhile. Then view_end_change() has the name looked at again.
 */
bool view_is_overtaken(struct view *view);

/**
 * Ends what view_begin_change() began, and frees the change. The name of one that was not made is
 * looked at again after a while.
 */
void view_end_change(struct view *view, struct change *change);
