/*
 * The last-good store: the last good version of each path that was shown, for when its sources are
 * broken and no reader holds it any more.
 *
 *      shown, or forgotten by the kernel ──▶ keep_note ──▶ memory ──▶ plyfs-state ──▶ the directory
 *      can't be made, and nothing is shown ──▶ keep_find ◀── memory
 *
 * The promise: a path that can't be made shows again what it has shown last, to the users who may
 * read it then and now, until its layers give something newer, or no layer has it.
 *
 * Up to KEEP_MEMORY_MAX bytes are kept; a version that was noted or found longest ago makes room.
 * With a directory, files there hold the same, and the next mount begins with them. Only the process
 * plyfs-state writes there (state_process.h). Without a directory, no version comes to a disk.
 */
#pragma once

#include "problem.h"
#include "sandbox.h"
#include "version.h"

/* Bytes that are kept: the configuration of a large machine is a tenth of that. */
#define KEEP_MEMORY_MAX ((size_t)16 << 20)

struct keep;

struct keep_options {
	const char *directory;            /* made if need be, with mode 0700; NULL: none */
	struct sandbox_switches switches; /* of plyfs-state */
	void (*log)(void *context, const char *line);
	void *context;
};

/**
 * Makes an empty one, and starts plyfs-state if there is a directory. Before the mount is made, and
 * the sandbox entered. Returns 0 with *ret for keep_free(); PROBLEM for a directory that other users
 * may write to or read; or -errno.
 */
int keep_open(const struct keep_options *options, struct keep **ret, struct problem *problem);

/**
 * Locks the directory and reads it, before the sandbox is entered. Returns 0; PROBLEM if another
 * mount has it; or -errno. Reports damaged files by the log.
 */
int keep_load(struct keep *keep, struct problem *problem);

/** Returns a descriptor for poll(2); -1: none. If it is readable, the main thread calls keep_take().
 */
int keep_fd(const struct keep *keep);

/** Answers plyfs-state. False: the descriptor is closed, as the process has ended. */
bool keep_take(struct keep *keep);

/**
 * Has all written. Then nothing more is noted. Does not wait for a process that is stopped or has
 * ended, nor for a disk that is full or hangs. By the main thread, as the next two.
 */
void keep_stop(struct keep *keep);

/**
 * Has all written and the directory unlocked, so that another daemon can load it. keep_resume()
 * takes it back. While another daemon holds it then, what is noted waits, which is logged.
 */
void keep_pause(struct keep *keep);
void keep_resume(struct keep *keep);

void keep_free(struct keep *keep);
void keep_freep(struct keep **keep);

/** Returns the directory; NULL: nothing outlives us. */
const char *keep_directory(const struct keep *keep);

/** If versions outlive us, those that are shown must be noted; else those that are forgotten. */
static inline bool keep_is_lasting(const struct keep *keep)
{
	return keep_directory(keep);
}

/**
 * Notes what the path shows; NULL: nothing, as no layer has it. `is_public`: all users may read it.
 * The caller holds the view's lock, which guards the version's layers and sources. If memory is
 * short, nothing is kept of the path.
 */
void keep_note(struct keep *keep, const char *path, struct version *version, bool is_public);

/**
 * Finds the version that is kept of the path. Returns 0 with *ret, a copy for version_unref();
 * -ENOENT; or -ENOMEM. Waits for no disk.
 */
int keep_find(struct keep *keep, const char *path, struct version **ret);

/**
 * Calls `each` for what another daemon does not find in the directory: for all that is kept, the one
 * used longest ago first; with a directory, for paths that could not be written, or with NULL
 * removed there.
 */
void keep_each(struct keep *keep,
	void (*each)(void *context, const char *path, struct version *version, bool is_public),
	void *context);

struct keep_counts {
	size_t versions; /* with a directory: those that are written */
	size_t bytes;    /* of memory that they take */
	size_t lost;     /* versions that had to make room, or that there was no memory for */
};

void keep_count(struct keep *keep, struct keep_counts *ret);
