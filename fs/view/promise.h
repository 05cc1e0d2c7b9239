/*
 * A promise: an inode for a file that takes long to compose. While the kernel waits for a LOOKUP it
 * holds the directory's lock, and nothing can be published there, nor anything else be looked up.
 * So it is answered with a number alone, and whoever wants more waits at the file: for its
 * attributes, without which he can't open it.
 *
 *      LOOKUP ──▶ look takes long ──▶ promise_give_locked()   "a file, ask for the rest"
 *      GETATTR, OPEN … ─────────────▶ promise_await_locked()  waits
 *                 look has ended ───▶ promise_keep_locked()   the version is that inode
 *                               or    promise_end_locked()    -ESTALE: the kernel walks once more
 */
#pragma once

#include "directory.h"

struct view;
struct view_caller;

struct promise {
	struct inode inode;  /* first */
	struct entry *entry; /* NULL: not kept; the kernel has yet to forget it */
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
 * version may have it: not if the kernel remembers other content by it, if it is no file, or if
 * somebody was shut out of a directory above, who may hold the promise.
 */
void promise_keep_locked(struct view *view, struct entry *entry, struct version *version);

/**
 * Ends the entry's promise, if there is one: its waiters are to be answered with *result, 0 or
 * -ESTALE.
 */
struct view_caller *promise_end_locked(struct entry *entry, int *result);

/** The kernel has forgotten it. */
void promise_forgotten_locked(struct promise *promise);
