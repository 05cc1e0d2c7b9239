/*
 * Mounts of plyfs, as /proc/self/mountinfo lists them.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "probe.h"
#include "span.h"

struct document;
struct problem;

/* Behind the path of a mount that answers ENOTCONN. */
#define PLYFS_MOUNT_ENDED "the plyfs that served this mount has ended; unmount it, or mount again"

/**
 * The mountpoint of the plyfs that `path`, which must exist, lies in. Returns 0 with *ret for
 * free(3), -ENOENT when it lies in another file system, or another -errno: -ENOTCONN where a mount
 * is found whose process has ended, though the kernel may not notice as long as it need not ask it;
 * -ETIMEDOUT where a mount on the way does not answer (plyfs_mount_find_silence()).
 */
int plyfs_mount_find(const char *path, char **ret);

/* The mountpoints of all plyfs that can be seen here. */
struct plyfs_mounts {
	char **paths;
	size_t count;
};

/** Returns 0 with *ret for plyfs_mount_fini(), or -errno. */
int plyfs_mount_all(struct plyfs_mounts *ret);
void plyfs_mount_fini(struct plyfs_mounts *mounted);

/**
 * What the mount at `mountpoint` tells of itself. Any user may make a mount that says it is a plyfs:
 * the text may be anything. Returns 0 with *ret, NUL-terminated, for free(3), or -errno: -ETIMEDOUT
 * after PROBE_MS.
 */
int plyfs_mount_status(const char *mountpoint, char **ret, size_t *ret_len);

/** The same, for a child that is a probe itself (probe.h): it waits for ever. */
int plyfs_mount_status_within(const char *mountpoint, char **ret, size_t *ret_len);

/**
 * The same, read (report.h): a document that may be empty. Returns 0 with *ret for document_free(),
 * PROBLEM where it is no JSON, or -errno.
 */
int plyfs_mount_report(const char *mountpoint, struct document **ret, struct problem *problem);

/** Reads the text of plyfs_mount_status(). As plyfs_mount_report(). */
int plyfs_mount_read_report(
	const char *mountpoint, struct span text, struct document **ret, struct problem *problem);

/* What a probe does on one mount: a probe_call. */
typedef int plyfs_mount_call(void *context, const char *mountpoint, int out);

/**
 * Makes the call on all mounts at once, each by a probe, and then calls `each` for each, in their
 * order, with what came of it: -ETIMEDOUT after PROBE_OTHERS_MS. `call` NULL: it writes the status.
 * A result of `each` that is not 0 ends that and is returned.
 */
int plyfs_mount_each(const struct plyfs_mounts *mounted, plyfs_mount_call *call,
	int (*each)(void *context, const char *mountpoint, int result, struct span text),
	void *context);

#define PLYFS_MOUNT_SILENCE_MAX (2 * PATH_MAX)

/** "/mnt/x: does not answer for 5 s (process 12 serves it)". */
void plyfs_mount_silence(
	const char *mountpoint, unsigned limit_ms, char ret[PLYFS_MOUNT_SILENCE_MAX]);

/**
 * The same, after PROBE_MS, of the mount that keeps `path`, or what it leads to or names, from being
 * looked at: that which does not answer now, or else of `path` itself.
 */
void plyfs_mount_find_silence(const char *path, char ret[PLYFS_MOUNT_SILENCE_MAX]);

/** Whether there is a mount that another process or machine answers for. */
bool plyfs_mount_may_be_silent(void);
