/*
 * The last-good store: the last good version of each path that was shown. It is needed when sources
 * are broken, and no reader holds the version any more.
 *
 *      version shown, or the kernel forgets it ─▶ last_good_note ─▶ memory ─▶ plyfs-state ─▶ files
 *      no version can be made, none is shown ───▶ last_good_find ◀─ memory
 *
 * The contract: if no new version of a path can be made, the last one is shown to users who could
 * read that version and may read the path now. This ends when a new version can be made, or when no
 * layer has the path.
 *
 * If versions take more than LAST_GOOD_MEMORY_MAX bytes, those noted or found longest ago are
 * dropped. If the mount has a directory for the store, files in it hold the same versions, and the
 * next mount begins with them. Only the process plyfs-state writes there (state_process.h). Without
 * a directory, no disk is used.
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
 * made. Returns 0 with *ret for last_good_free(); PROBLEM if the directory can't be opened, or is
 * not ours alone; or -errno.
 */
int last_good_open(
	const struct last_good_options *options, struct last_good **ret, struct problem *problem);

/**
 * Locks the directory and reads it. Call this function before requests are served. Returns 0;
 * PROBLEM if another mount has locked the directory, or if the directory can't be read; or -errno.
 * Logs how many files are damaged.
 */
int last_good_load(struct last_good *last_good, struct problem *problem);

/**
 * Returns a text that identifies the directory's inode; "": no directory. The text lives as long as
 * the store.
 */
const char *last_good_place(const struct last_good *last_good);

/**
 * For the trial of a take-over: finds out whether last_good_load() could lock the directory, and
 * leaves it unlocked. `own` is last_good_place() of the running daemon: that directory counts as
 * free. Returns as last_good_load().
 */
int last_good_try(const struct last_good *last_good, const char *own, struct problem *problem);

/** Returns a descriptor for poll(2); -1: none. When it is readable, call last_good_take(). */
int last_good_fd(const struct last_good *last_good);

/**
 * Answers the messages of plyfs-state. If plyfs-state has ended, closes last_good_fd() and returns
 * false. Only the root coroutine calls it.
 */
bool last_good_take(struct last_good *last_good);

/**
 * Makes plyfs-state write all versions. Later calls of last_good_note() do nothing. Waits 5 s at
 * most for each answer, and not at all if plyfs-state is suspended (SIGSTOP) or has ended, or the
 * disk is full. Only the root coroutine calls it.
 */
void last_good_stop(struct last_good *last_good);

/**
 * Makes plyfs-state write all versions and unlock the directory, so that another daemon can load
 * it. last_good_pause() returns false if plyfs-state does not answer in time. last_good_resume()
 * locks the directory again. While another daemon has it locked, plyfs-state writes nothing. Only
 * the root coroutine calls them.
 */
bool last_good_pause(struct last_good *last_good);
void last_good_resume(struct last_good *last_good);

void last_good_free(struct last_good *last_good);
void last_good_freep(struct last_good **last_good);

/** Returns the directory's path, which lives as long as the store; NULL: no directory. */
const char *last_good_directory(const struct last_good *last_good);

/**
 * Returns true if the caller must note a version when it is shown, and false if the caller must do
 * so when the kernel forgets the version.
 */
static inline bool last_good_is_lasting(const struct last_good *last_good)
{
	return last_good_directory(last_good);
}

/**
 * Notes the version that the path shows, for the users that it admits; NULL: no layer has the path,
 * or memory is short. Takes a reference: the version must not change any more.
 */
void last_good_note(struct last_good *last_good, const char *path, struct version *version);

/**
 * Finds the path's version. Returns 0 with *ret, a copy for version_unref(); -ENOENT; or -ENOMEM.
 * Reads no disk.
 */
int last_good_find(struct last_good *last_good, const char *path, struct version **ret);

/**
 * Calls `each`, which must not wait, for the versions that a new daemon would not find in the
 * directory. Without a directory, these are all versions, the one used longest ago first. With a
 * directory, these are the versions that are not written yet. If a path's file must still be
 * removed, `version` is NULL.
 */
void last_good_each(struct last_good *last_good,
	void (*each)(void *context, const char *path, struct version *version), void *context);

struct last_good_counts {
	size_t versions; /* with a directory, only those that are written there */
	size_t bytes;    /* of their memory */
	size_t lost;     /* versions that were dropped or not stored, for lack of room or memory */
};

void last_good_count(struct last_good *last_good, struct last_good_counts *ret);
