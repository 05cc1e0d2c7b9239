/*
 * A promise: an inode for a file that takes long to compose. While the kernel waits for a LOOKUP it
 * holds the directory's lock, and nothing can be published there, nor anything else be looked up.
 * So it is answered with a number alone, and whoever wants more waits at the file: for its
 * attributes, without which he can't open it.
 *
 *      LOOKUP ──▶ look takes long ──▶ promise_give_locked()   "a file, ask for the rest"
 *      GETATTR, OPEN … ─────────────▶ promise_await_locked()  waits
 *                 look has ended ───▶ promise_keep_locked()   the version is that inode
 *                               or    promise_end_locked()    -ENOENT, or -ESTALE: the kernel walks
 *                                                             the path once more
 *
 * The kernel walks a path twice at most: a second -ESTALE is the reader's error. So a promise lives
 * as long as the path may still become a file: over looks that other settings have overtaken, and
 * over a take-over. As long as it lives, its entry is in use.
 */
#pragma once

#include "directory.h"

struct view;
struct view_caller;

struct promise {
	struct inode inode;  /* first */
	struct entry *entry; /* in use; NULL: not kept, and the kernel has yet to forget it */
	bool is_suspended;   /* no look is under way for it, as the view is paused */
	uint64_t narrowings; /* of the directories above, when it was given first */
	struct view_caller *waiters;
};

/**
 * Gives the kernel a reference to the entry's promise, which is made if there is none; it is ended
 * by the look at the entry. Returns 0 with *ret, which has the number and the type; or -ENOMEM.
 */
int promise_give_locked(struct view *view, struct entry *entry, struct stat *ret);

/** Whether `inode` is a promise; the caller is then answered when it has ended. */
bool promise_await_locked(struct inode *inode, struct view_caller *caller);

/** Whether the caller waited for it, and does no longer. */
bool promise_give_up_locked(struct inode *inode, struct view_caller *caller);

/**
 * Shows the first version of the entry, under the promise's number if it was given one and the
 * version may have it: not if it is no file, or if somebody was shut out of a directory above, who
 * may hold the promise.
 */
void promise_keep_locked(struct view *view, struct entry *entry, struct version *version);

/** Whether the kernel has the entry's promise, so that somebody may wait for it. */
bool promise_is_held(const struct entry *entry);

/**
 * Ends the entry's promise, if there is one, as its look came to `outcome`, a result of
 * view_lookup(). Its waiters are to be answered with *result: 0, -ENOENT or -ESTALE.
 */
struct view_caller *promise_end_locked(
	struct view *view, struct entry *entry, int outcome, int *result);

/** The look at the entry is dropped, and its promise, if there is one, waits for another. Returns
 * its waiters. */
struct view_caller *promise_suspend_locked(struct view *view, struct entry *entry);

/** The name is promised by a view before this one. `promise` is held. */
void promise_take_locked(struct view *view, struct promise *promise, struct entry *entry);

/** Has the names looked at whose promises were suspended. Takes the lock. 0 or -ENOMEM. */
int promise_look_again(struct view *view);

/** The kernel has forgotten it. */
void promise_forgotten_locked(struct view *view, struct promise *promise);
