/*
 * What is kept: the last good version of each path that was shown, for when its sources are broken
 * and nobody has it any more.
 *
 *      shown, or forgotten by the kernel ──▶ keep_note ──▶ waits ──▶ a thread ──▶ keep_store
 *      can't be made, and nothing is shown ──▶ keep_find: what waits, or a store
 *
 * The promise: what a path has shown once it shows again, for whoever may read it then and now,
 * until something newer can be made of its layers, or no layer has it.
 *
 * Without a directory, what everybody may read goes to a file without a name, and all else stays in
 * memory, up to KEEP_MEMORY_MAX: what was meant for few comes to no disk unless somebody names one.
 * With a directory all goes to a file there, and the next mount finds it.
 */
#pragma once

#include "problem.h"
#include "version.h"

/* Bytes that are kept in memory. */
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

/** Makes the thread, after the last fork(2). 0 or -errno. */
int keep_start(struct keep *keep);

/** What waits is stored, if it is to outlive us; then the thread ends, and nothing more is noted.
 */
void keep_stop(struct keep *keep);

/**
 * Stores all, and lets go of the directory, so that another daemon can open it; and takes it back.
 * It was started. Where another has the directory then, he is not waited for: what is noted waits
 * until he has gone, and it is told. keep_resume(): 0 or -errno.
 */
void keep_pause(struct keep *keep);
int keep_resume(struct keep *keep);

void keep_free(struct keep *keep);
void keep_freep(struct keep **keep);

/** Where what is kept outlives us; NULL: it does not. */
const char *keep_directory(const struct keep *keep);

/** Whether it does: then what is shown must be noted, else what is forgotten. */
static inline bool keep_is_lasting(const struct keep *keep)
{
	return keep_directory(keep);
}

/**
 * Notes what the path shows; NULL: nothing, by the layers' own word. `is_public`: everybody may
 * read it. Under the view's lock, as it reads the version's layers and sources. What there is no
 * memory for is not kept.
 */
void keep_note(struct keep *keep, const char *path, struct version *version, bool is_public);

/**
 * What is kept of the path, as a version of its own that nobody has seen: 0 with *ret for
 * version_unref(), -ENOENT, or another -errno. Waits for a disk.
 */
int keep_find(struct keep *keep, const char *path, struct version **ret);

/**
 * Calls `each` for all that is kept as keep_note() was: also for a path of which nothing is kept
 * any more, behind what was kept. While it is paused. Nothing where it outlives us. What can't be
 * read is passed over.
 */
void keep_each(struct keep *keep,
	void (*each)(void *context, const char *path, struct version *version, bool is_public),
	void *context);

struct keep_counts {
	size_t versions;
	size_t bytes; /* that they take, wherever they are */
	size_t lost;  /* versions that could not be kept */
};

/** As it was when something was stored last. */
void keep_count(struct keep *keep, struct keep_counts *ret);
