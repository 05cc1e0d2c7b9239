/* Mounts of plyfs, as /proc/self/mountinfo lists them. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "path_list.h"
#include "probe.h"
#include "span.h"

struct document;
struct problem;
struct settings;
struct table_mount;

/* The message about a mount that answers ENOTCONN; the path stands before it. */
#define PLYFS_MOUNT_ENDED "the plyfs that served this mount has ended; unmount it, or mount again"

/**
 * Finds the mountpoint of the plyfs mount that contains `path`, which must exist. Returns 0 with
 * *ret for free(3), or -errno. -ENOENT: `path` lies in another file system. -ENOTCONN: the mount's
 * process has ended; but if the kernel has cached the path, the result is 0. -ETIMEDOUT: a mount on
 * the way does not answer; plyfs_mount_complain() reports it.
 */
int plyfs_mount_find(const char *path, char **ret);

/**
 * As plyfs_mount_find(). *ret_path, for free(3), is `path`, absolute and without links. If `path`
 * lies in a bind mount of a directory of the plyfs mount, and the plyfs mount itself is visible to
 * us, *ret_path is the path in the plyfs mount. Free the outputs also after a failure.
 */
int plyfs_mount_resolve(const char *path, char **ret_mountpoint, char **ret_path);

/**
 * Finds the innermost mount that contains `path` (absolute, without links) in the table of mounts.
 * Returns 0 with *ret; -ENOENT; or -errno.
 */
int plyfs_mount_entry(const char *path, struct table_mount *ret);

/** Adds to *ret the mountpoints of all plyfs mounts that are visible to us. Returns 0 or -errno. */
int plyfs_mount_all(struct path_list *ret);

/**
 * Reads the status of the mount at `mountpoint`. Any user can make a mount that looks like a plyfs,
 * so the text may be anything. Returns 0 with *ret, NUL-terminated, for free(3); or -errno, which
 * is -ETIMEDOUT after PROBE_MS.
 */
int plyfs_mount_status(const char *mountpoint, char **ret, size_t *ret_len);

/**
 * Reads and parses the status (report.h), which may be an empty document. Returns 0 with *ret for
 * document_free(), PROBLEM if it is not JSON, or -errno.
 */
int plyfs_mount_report(const char *mountpoint, struct document **ret, struct problem *problem);

/** As plyfs_mount_report(), without a time limit, for a caller in a probe's child (probe.h). */
int plyfs_mount_report_within(const char *mountpoint, struct document **ret);

/** Parses the text of plyfs_mount_status(). Results as plyfs_mount_report(). */
int plyfs_mount_read_report(
	const char *mountpoint, struct span text, struct document **ret, struct problem *problem);

/* The work of a probe on one mount, as a probe_call. */
typedef int plyfs_mount_call(void *context, const char *mountpoint, int out);

/**
 * Makes `call` on all mounts of the list `mounted`, each in a probe, many at a time. Calls `each`
 * for each mount, in the list's order, with the call's result (-ETIMEDOUT after `limit_ms`) and its
 * output. If `call` is NULL, the output is the mount's status. Stops at the first non-zero result
 * of `each`, and returns that; otherwise returns 0.
 */
int plyfs_mount_each(const struct path_list *mounted, unsigned limit_ms, plyfs_mount_call *call,
	int (*each)(void *context, const char *mountpoint, int result, struct span text),
	void *context);

#define PLYFS_MOUNT_SILENCE_MAX (2 * PATH_MAX)

/** Formats "/mnt/x: does not answer for 5 s (process 12 serves it)". */
void plyfs_mount_silence(
	const char *mountpoint, unsigned limit_ms, char ret[PLYFS_MOUNT_SILENCE_MAX]);

/**
 * Reports that a mount did not answer for PROBE_MS. `path` may be a list, "A:B". The message names,
 * in this order of preference: a silent mount that contains `path`; any silent mount, as a link in
 * `path` may lead there; a mount that contains `path`; `path` itself. Does nothing if the guard
 * (see plyfs_mount_guard()) has already reported a mount. Returns EXIT_FAILED.
 */
int plyfs_mount_complain(const char *path);

/** Returns whether the guard has reported a silent mount. */
bool plyfs_mount_has_reported(void);

/** Returns whether another process or machine serves the mount that the path is in. */
bool plyfs_mount_is_foreign(const char *path);

/** Returns whether there is a mount that another process or machine serves. */
bool plyfs_mount_may_be_silent(void);

/**
 * Makes the call in a probe, for PROBE_MS at most. If no mount may be silent, omits the call. If
 * the call does not return, calls plyfs_mount_complain() and returns EXIT_FAILED. Otherwise returns
 * EXIT_DONE, even if the call has failed.
 */
int plyfs_mount_wait(const char *path, probe_call *call, void *context);

/**
 * Waits, for PROBE_MS at most, until the mount that `path` leads to answers. Calls statfs(2), and
 * reads from `path` if it is a regular file. If the mount does not answer, calls
 * plyfs_mount_complain() and returns EXIT_FAILED. Otherwise returns EXIT_DONE, even if `path` does
 * not exist.
 */
int plyfs_mount_await(const char *path);

/**
 * Sets a guard (layer_guard()): layer_stat() and similar functions return -ETIMEDOUT for a path on
 * a silent mount. The first such call takes PROBE_NAME_MS + PROBE_MS; later calls for that mount
 * return at once. The guard reports each silent mount once. Use the guard only in a command that
 * ends soon: the guard does not learn of later mounts, and a silent mount counts as silent until
 * the command ends.
 */
void plyfs_mount_guard(void);

/**
 * Probes the mounts that contain a layer or lie in one. If a layer has `follow`, probes all mounts,
 * as a link may lead anywhere. If a mount that contains a layer or lies in one is silent, reports
 * it and returns true. Otherwise, or if there is no guard, returns false.
 */
bool plyfs_mount_guard_ask(const struct settings *settings);
