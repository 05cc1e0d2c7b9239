/* Mounts of plyfs, as /proc/self/mountinfo lists them. */
#pragma once

#include <limits.h>
#include <stdbool.h>

#include "path_list.h"
#include "probe.h"
#include "span.h"

struct document;
struct problem;
struct settings;
struct table_mount;

/* The message about a mount that answers ENOTCONN; the path stands before it. */
#define PLYFS_MOUNT_ENDED "the plyfs that served this mount has ended; unmount it, or mount again"

/* The message about a mount that only another user may look into; the path stands before it. */
#define PLYFS_MOUNT_PRIVATE                                                                        \
	"permission denied: another user has mounted it for that user alone; do this as that "     \
	"user, or have it mounted with -o allow_other"

/* The message about a mount whose status does not parse; the mountpoint stands before it. */
#define PLYFS_MOUNT_NO_JSON "its status is no JSON; another program may serve this mount"

/**
 * Finds the mountpoint of the plyfs mount that contains `path`, which must exist. Returns 0 with
 * *ret for free(3), or -errno. -ENOENT: `path` lies in another file system. -ENOTCONN: the mount's
 * process has ended. -ETIMEDOUT: a mount on the way to `path` does not answer.
 */
int plyfs_mount_find(const char *path, char **ret);

/**
 * As plyfs_mount_find(). *ret_path is `path`, absolute and without links. If `path` is in a bind
 * mount of a part of a plyfs mount, and this process sees that plyfs mount, too, both outputs are
 * paths of the plyfs mount. The outputs must be NULL before; free(3) them even after a failure.
 */
int plyfs_mount_resolve(const char *path, char **ret_mountpoint, char **ret_path);

/** Finds the innermost mount around `path` (absolute, no links). Returns 0, -ENOENT or -errno. */
int plyfs_mount_entry(const char *path, struct table_mount *ret);

/** Adds to *ret the mountpoints of all plyfs mounts that are visible to us. Returns 0 or -errno. */
int plyfs_mount_all(struct path_list *ret);

/**
 * Reads and parses the status of the mount at `mountpoint` (report.h); the text may be hostile.
 * Returns 0 with *ret, which has one root, for document_free(), and the text in *ret_text (may be
 * NULL) for free(3); PROBLEM if the status is not JSON; -ETIMEDOUT after PROBE_MS; or another
 * -errno.
 */
int plyfs_mount_report(
	const char *mountpoint, char **ret_text, struct document **ret, struct problem *problem);

/** As plyfs_mount_report(), without a time limit, for a caller in a probe's child (probe.h). */
int plyfs_mount_report_within(const char *mountpoint, struct document **ret);

/** Parses the text of a status. Returns as plyfs_mount_report(). */
int plyfs_mount_read_report(
	const char *mountpoint, struct span text, struct document **ret, struct problem *problem);

/* A probe_call (probe.h) that gets the mountpoint, too. */
typedef int plyfs_mount_call(void *context, const char *mountpoint, int out);

/**
 * Makes `call` on all mounts of the list `mounted`, each in a probe, many at a time. Calls `each`
 * for each mount, in the list's order, with the call's result (-ETIMEDOUT after `limit_ms`) and its
 * output. If `call` is NULL, the output is the mount's status. Returns 0, or the first non-zero
 * result of `each`, at which it stops.
 */
int plyfs_mount_each(const struct path_list *mounted, unsigned limit_ms, plyfs_mount_call *call,
	int (*each)(void *context, const char *mountpoint, int result, struct span text),
	void *context);

#define PLYFS_MOUNT_SILENCE_MAX (2 * PATH_MAX)

/** Formats "/mnt/x: does not answer for 5 s (process 12 serves it)". */
void plyfs_mount_silence(
	const char *mountpoint, unsigned limit_ms, char ret[PLYFS_MOUNT_SILENCE_MAX]);

/**
 * Reports that a mount did not answer a call on `path` for PROBE_MS. `path` may be a list, "A:B".
 * The message names the mount; if the mount can't be found, `path`. If the guard
 * (plyfs_mount_guard()) has reported a mount, prints nothing. Returns EXIT_FAILED.
 */
int plyfs_mount_complain(const char *path);

/** Returns whether `path`, which gave -EACCES, is in a private mount of another user. */
bool plyfs_mount_is_private(const char *path);

/** Returns whether the guard has reported a silent mount. */
bool plyfs_mount_has_reported(void);

/** Returns whether another process or machine serves the mount that contains `path`. */
bool plyfs_mount_is_foreign(const char *path);

/** Returns whether there is a mount that another process or machine serves. */
bool plyfs_mount_may_be_silent(void);

/**
 * If plyfs_mount_may_be_silent() is false, returns EXIT_DONE without the call. Otherwise makes the
 * call in a probe. If the call does not return within PROBE_MS, calls plyfs_mount_complain() and
 * returns EXIT_FAILED. If it returns, even with an error, returns EXIT_DONE.
 */
int plyfs_mount_wait(const char *path, probe_call *call, void *context);

/**
 * Does plyfs_mount_wait() with a call that does statfs(2) on `path` and, if `path` is a regular
 * file, reads from it. Returns EXIT_DONE even if `path` does not exist.
 */
int plyfs_mount_await(const char *path);

/**
 * Sets a guard (layer_guard()): for a path on a silent mount, layer_stat() and similar functions
 * return -ETIMEDOUT. The guard reports each silent mount once. The guard does not learn of a new
 * mount, nor of a silent mount that answers again. So use a guard only in a command that ends soon.
 */
void plyfs_mount_guard(void);

/**
 * Probes the mounts that contain a layer or lie in a layer. Reports those that are silent, and
 * returns whether there are any. If a layer has `follow`, probes all other mounts, too, without a
 * report. If there is no guard, returns false.
 */
bool plyfs_mount_guard_ask(const struct settings *settings);
