/*
 * The last-good store: the last good version of each path that was shown. It is needed when sources
 * are broken, and no reader holds the version any more.
 *
 *      shown, or forgotten by the kernel ──▶ keep_note ──▶ memory ──▶ plyfs-state ──▶ the directory
 *      can't be made, and nothing is shown ──▶ keep_find ◀── memory
 *
 * The contract: if a path can't be made, its last version is shown again, to users who could read
 * that version and may read the path now. That ends when a new one can be made, or no layer has it.
 *
 * If versions take more than KEEP_MEMORY_MAX bytes, those noted or found longest ago are dropped.
 * With a directory, files there hold the same versions, and the next mount begins with them. Only
 * the process plyfs-state writes there (state_process.h). Without a directory, no disk is used.
 */
#pragma once

#include "problem.h"
#include "sandbox.h"
#include "version.h"

/* Size of keep_place(), in bytes. */
#define KEEP_PLACE_MAX 40

/* Bytes of kept versions: the configuration of a large machine has a tenth of that. */
#define KEEP_MEMORY_MAX ((size_t)16 << 20)

struct keep;

struct keep_options {
	const char *directory;            /* made if it is missing, with mode 0700; NULL: none */
	struct sandbox_switches switches; /* for plyfs-state */
	void (*log)(void *context, const char *line);
	void *context;
};

/**
 * Makes an empty store, and starts plyfs-state if there is a directory. Call it before the mount is
 * made and the sandbox entered. Returns 0 with *ret for keep_free(); PROBLEM if the directory can't
 * be opened, or is not ours alone; or -errno.
 */
int keep_open(const struct keep_options *options, struct keep **ret, struct problem *problem);

/**
 * Locks the directory and reads it, before the sandbox is entered. Returns 0; PROBLEM if another
 * mount has locked it, or it can't be read; or -errno. Logs how many files are damaged.
 */
int keep_load(struct keep *keep, struct problem *problem);

/** Returns a name of the directory's inode, which stays the store's; "": there is none. */
const char *keep_place(const struct keep *keep);

/**
 * Finds out whether keep_load() could lock the directory once the mount whose keep_place() is `own`
 * no longer has it. Returns as keep_load().
 */
int keep_try(const struct keep *keep, const char *own, struct problem *problem);

/** Returns a descriptor for poll(2); -1: none. When it is readable, call keep_take(). */
int keep_fd(const struct keep *keep);

/** Answers plyfs-state, in the root. False: it has ended, and the descriptor is closed. */
bool keep_take(struct keep *keep);

/**
 * Makes plyfs-state write all versions; later notes are ignored. Does not wait if plyfs-state is
 * stopped or has ended, or the disk is full; waits 5 s at most for each answer. Only
 * the root coroutine calls it.
 */
void keep_stop(struct keep *keep);

/**
 * Makes plyfs-state write all versions and unlock the directory: another daemon can then load it.
 * keep_pause() returns false if plyfs-state does not answer in time. keep_resume() locks the
 * directory again. If another daemon holds it then, that is logged, and writing waits. Only the
 * root coroutine calls them.
 */
bool keep_pause(struct keep *keep);
void keep_resume(struct keep *keep);

void keep_free(struct keep *keep);
void keep_freep(struct keep **keep);

/** Returns the directory; NULL: there is none. */
const char *keep_directory(const struct keep *keep);

/** Returns whether versions must be noted when they are shown; else, when they are forgotten. */
static inline bool keep_is_lasting(const struct keep *keep)
{
	return keep_directory(keep);
}

/**
 * Notes the version that the path shows; NULL: none, as no layer has it. `is_public`: all users may
 * read it. If memory is short, the path has no kept version.
 */
void keep_note(struct keep *keep, const char *path, struct version *version, bool is_public);

/**
 * Finds the kept version of the path. Returns 0 with *ret, a copy for version_unref(); -ENOENT; or
 * -ENOMEM. Reads no disk.
 */
int keep_find(struct keep *keep, const char *path, struct version **ret);

/**
 * Calls `each`, which must not wait, for the versions that another daemon can't read in the
 * directory. Without a directory, these are all versions, the one used longest ago first. With one,
 * these are the versions that are not written yet; `version` NULL: a file to remove.
 */
void keep_each(struct keep *keep,
	void (*each)(void *context, const char *path, struct version *version, bool is_public),
	void *context);

struct keep_counts {
	size_t versions; /* with a directory, those that are written there */
	size_t bytes;    /* of their memory */
	size_t lost;     /* versions that were dropped or not stored, for lack of room or memory */
};

void keep_count(struct keep *keep, struct keep_counts *ret);
