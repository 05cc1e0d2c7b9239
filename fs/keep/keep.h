/*
 * The last-good store: the last good version of each path that was shown, for when its sources are
 * broken and no reader holds it any more.
 *
 *      shown, or forgotten by the kernel ──▶ keep_note ──▶ memory ──▶ a thread ──▶ the directory
 *      can't be made, and nothing is shown ──▶ keep_find ◀── memory
 *
 * The promise: a path that can't be made shows again what it has shown last, to the users who may
 * read it then and now, until its layers give something newer, or no layer has it.
 *
 * Up to KEEP_MEMORY_MAX bytes are kept; a version that was noted or found longest ago makes room.
 * With a directory, a file there holds the same, and the next mount begins with that. Without one,
 * no version comes to a disk.
 */
#pragma once

#include "problem.h"
#include "version.h"

/* Bytes that are kept: the configuration of a large machine is a tenth of that. */
#define KEEP_MEMORY_MAX ((size_t)16 << 20)

struct keep;

struct keep_options {
	const char *directory; /* made if need be, with mode 0700; NULL: none */
	void (*log)(void *context, const char *line);
	void *context;
};

/**
 * Returns 0 with *ret for keep_free(); PROBLEM for a directory that somebody else may write to or
 * read, or uses; or -errno.
 */
int keep_open(const struct keep_options *options, struct keep **ret, struct problem *problem);

/** Makes the thread, if there is a directory, after the last fork(2). 0 or -errno. */
int keep_start(struct keep *keep);

/** Writes what is to outlive us, and ends the thread. Then nothing more is noted. */
void keep_stop(struct keep *keep);

/**
 * Writes all, and releases the directory, so that another daemon can open it. keep_resume() takes
 * it back; while another daemon holds it then, it does not wait, and what is noted waits, which is
 * logged. keep_start() was called. keep_resume() returns 0 or -errno.
 */
void keep_pause(struct keep *keep);
int keep_resume(struct keep *keep);

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
 * Calls `each` for all that is kept, the one used longest ago first; not with a directory, where
 * another daemon finds it.
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
