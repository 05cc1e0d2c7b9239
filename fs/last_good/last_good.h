/*
 * The last-good store: the last good version of each path that was shown.
 *
 *      version shown, or the kernel forgets it ─▶ last_good_note ─▶ memory ─▶ plyfs-state ─▶ files
 *      no version can be made, none is shown ───▶ last_good_find ◀─ memory
 *
 * The contract: if no new version of a path can be made, the last good version is shown to users
 * who could read that version and may read the path now. This ends when a new version can be made,
 * or when no layer has the path.
 *
 * If the versions take more than LAST_GOOD_MEMORY_MAX bytes, the store drops the versions that were
 * noted or found longest ago. If the mount has a directory for the store, plyfs-state
 * (state_process.h) writes the versions there, and the next mount reads them.
 */
#pragma once

#include "problem.h"
#include "sandbox.h"
#include "version.h"

/* Size of last_good_place(), in bytes. */
#define LAST_GOOD_PLACE_MAX 40

/* Maximum bytes of all versions. The configuration of a large machine has a tenth of that. */
#define LAST_GOOD_MEMORY_MAX ((size_t)16 << 20)

struct last_good;

struct last_good_options {
	const char *directory;            /* made if it is missing, with mode 0700; NULL: none */
	struct sandbox_switches switches; /* for plyfs-state */
	void (*log)(void *context, const char *line);
	void *context;
};

/**
 * Makes an empty store, and starts plyfs-state if there is a directory. Call it before the mount is
 * made. Returns 0 with *ret for last_good_freep(); PROBLEM if the directory can't be made or
 * opened, belongs to another user, or is open to other users; or -errno.
 */
int last_good_open(
	const struct last_good_options *options, struct last_good **ret, struct problem *problem);

/**
 * Locks the directory, reads it, and logs how many files are damaged. Call it before requests are
 * served. Returns 0; PROBLEM if another mount has locked the directory, or if the directory can't
 * be read; or -errno.
 */
int last_good_load(struct last_good *last_good, struct problem *problem);

/** Returns a text that identifies the directory's inode, lent by the store; "": no directory. */
const char *last_good_place(const struct last_good *last_good);

/**
 * For the trial of a take-over: finds out whether last_good_load() could lock the directory. The
 * directory of the running daemon, whose last_good_place() is `own`, counts as free. Returns as
 * last_good_load().
 */
int last_good_try(const struct last_good *last_good, const char *own, struct problem *problem);

/** Returns a descriptor for poll(2); -1: none. When it is readable, call last_good_take(). */
int last_good_fd(const struct last_good *last_good);

/**
 * Answers the messages of plyfs-state. If plyfs-state has ended, closes last_good_fd() and returns
 * false. Only the root coroutine (coroutine.h) calls it.
 */
bool last_good_take(struct last_good *last_good);

/**
 * Makes plyfs-state write all versions. Later calls of last_good_note() do nothing. Waits 5 s at
 * most for each answer of plyfs-state; does not wait if plyfs-state is suspended (SIGSTOP) or has
 * ended, or if writing has failed. Only the root coroutine calls it.
 */
void last_good_stop(struct last_good *last_good);

/**
 * Does last_good_stop(), and makes plyfs-state unlock the directory, so that another daemon can
 * load it. Returns false if plyfs-state does not answer in time. Only the root coroutine calls it.
 */
bool last_good_pause(struct last_good *last_good);

/**
 * Undoes last_good_pause(). While another daemon has locked the directory, plyfs-state writes
 * nothing. Only the root coroutine calls it.
 */
void last_good_resume(struct last_good *last_good);

void last_good_freep(struct last_good **place);

/** Returns the directory's path, which lives as long as the store; NULL: no directory. */
const char *last_good_directory(const struct last_good *last_good);

/**
 * Returns whether the store has a directory. If so, note a version when it is shown; otherwise,
 * when the kernel forgets it.
 */
static inline bool last_good_is_lasting(const struct last_good *last_good)
{
	return last_good_directory(last_good);
}

/**
 * Notes the version that the path shows, and takes a reference of its own. The caller must not
 * change that version afterwards. Forgets the path if `version` is NULL (no layer has the path, or
 * memory is short), or is larger than LAST_GOOD_MEMORY_MAX.
 */
void last_good_note(struct last_good *last_good, const char *path, struct version *version);

/** Returns 0 with *ret, a copy of the path's version, for version_unref(); -ENOENT; or -ENOMEM. */
int last_good_find(struct last_good *last_good, const char *path, struct version **ret);

/**
 * Calls `each`, which must not wait, for all versions that are not written to the directory yet.
 * For a path that was forgotten, but whose file is not removed yet, `version` is NULL. Without a
 * directory, calls `each` for all versions, the one used longest ago first.
 */
void last_good_each(struct last_good *last_good,
	void (*each)(void *context, const char *path, struct version *version), void *context);

struct last_good_counts {
	size_t versions; /* with a directory, only those that are written there */
	size_t bytes;    /* the memory of `versions` */
	size_t lost;     /* versions that were dropped or not stored, for lack of room or memory */
};

void last_good_count(struct last_good *last_good, struct last_good_counts *ret);
