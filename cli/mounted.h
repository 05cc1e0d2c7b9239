/*
 * Mounts of plyfs, as /proc/self/mountinfo lists them.
 */
#pragma once

#include <stddef.h>

struct document;
struct problem;

/* Behind the path of a mount that answers ENOTCONN. */
#define MOUNTED_ENDED "the plyfs that served this mount has ended; unmount it, or mount again"

/**
 * The mountpoint of the plyfs that `path`, which must exist, lies in. Returns 0 with *ret for
 * free(3), -ENOENT when it lies in another file system, or another -errno: -ENOTCONN where a mount
 * is found whose process has ended, though the kernel may not notice as long as it need not ask it.
 */
int mounted_find(const char *path, char **ret);

/* The mountpoints of all plyfs that can be seen here. */
struct mounted {
	char **paths;
	size_t count;
};

/** Returns 0 with *ret for mounted_fini(), or -errno. */
int mounted_all(struct mounted *ret);
void mounted_fini(struct mounted *mounted);

/**
 * What the mount at `mountpoint` tells of itself, as JSON. Returns 0 with *ret, NUL-terminated, for
 * free(3), or -errno.
 */
int mounted_status(const char *mountpoint, char **ret, size_t *ret_len);

/**
 * The same, read (report.h): a document that may be empty. Returns 0 with *ret for document_free(),
 * PROBLEM where it is no JSON, or -errno.
 */
int mounted_report(const char *mountpoint, struct document **ret, struct problem *problem);
