/*
 * A placeholder inode: the inode of a file that takes long to compose. While the kernel waits for a
 * LOOKUP, it holds the directory's lock, and nothing else there can be published or looked up. So
 * the daemon answers the LOOKUP with a number and a type, and readers wait for the attributes.
 *
 *      LOOKUP ──▶ look takes long ──▶ placeholder_give()   "a file, ask for the rest"
 *      GETATTR, OPEN … ─────────────▶ view_await()         waits
 *                 look has ended ───▶ placeholder_keep()   the version gets the number
 *                               or    placeholder_end()    -ENOENT; or -ESTALE: then the kernel
 *                                                          walks the path once more
 *
 * The kernel walks a path twice at most: a second -ESTALE becomes the reader's error. So a
 * placeholder lives as long as the path may still become a file, even if its look (look.h) begins
 * again after a take-over. Until the placeholder ends, it has its entry in use (directory.h).
 */
#pragma once

#include "directory.h"

struct view;
struct view_caller;

struct placeholder {
	struct inode inode;  /* must be first */
	struct entry *entry; /* in use; NULL: the placeholder has ended, but is not forgotten */
	bool is_suspended;   /* no look is under way for it until placeholder_look_again() */
	/* attributes_revocations() (attributes.h) of entry->parent when `entry` was set */
	uint64_t revocations;
	struct view_caller *waiters;
};

/**
 * Gives the kernel a reference to the entry's placeholder. If the entry has none, makes one.
 * Returns 0 with the number and the type in *ret; or -ENOMEM.
 */
int placeholder_give(struct view *view, struct entry *entry, struct stat *ret);

/**
 * Shows the first version of the entry. If the entry has a placeholder, the version takes over the
 * placeholder's number and kernel references. But the version gets another number if it is a link,
 * or if a right to a directory above the entry was taken away since the placeholder was made.
 */
void placeholder_keep(struct view *view, struct entry *entry, struct version *version);

/** Returns whether the kernel knows a placeholder of the entry. */
bool placeholder_is_held(const struct entry *entry);

/**
 * Ends the entry's placeholder, if any. `outcome` is the result of the look, as view_lookup()
 * returns it. Returns the waiters, which the caller answers with *result: 0, -ENOENT or -ESTALE.
 */
struct view_caller *placeholder_end(
	struct view *view, struct entry *entry, int outcome, int *result);

/**
 * Suspends the entry's placeholder, if there is one, until placeholder_look_again(). Returns its
 * waiters, which the caller answers.
 */
struct view_caller *placeholder_suspend(struct view *view, struct entry *entry);

/** Attaches the `placeholder` of an earlier view to `entry`, as a suspended one. */
void placeholder_take(struct view *view, struct placeholder *placeholder, struct entry *entry);

/** Begins the looks of suspended placeholders. Returns 0 or -ENOMEM. */
int placeholder_look_again(struct view *view);

/** Frees `placeholder`, which the kernel has forgotten, unless a look for it is under way. */
void placeholder_forgotten(struct view *view, struct placeholder *placeholder);
