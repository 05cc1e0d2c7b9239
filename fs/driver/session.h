/*
 * A session: one mount, from mount(2) to the last request.
 *
 *      session_mount()   the mountpoint is checked and mounted; nothing is read yet. Then the
 *                        process is in a sandbox (sandbox.h)
 *      session_serve()   requests are answered and changes published, until the mount ends: by
 *                        umount(8), fusermount3(1), or a signal
 *      session_free()
 *
 * From making the mount to serving it nothing that the daemon waits for looks a path up, as it may
 * lead through the mount (layers may lie beneath it, or all of /etc): nobody would answer. There
 * are two exceptions, which lead to no request: the mountpoint itself, and /proc/self/mountinfo.
 * All processes are started before, and have looked up what they need, so that none but the daemon
 * ever holds /dev/fuse: the kernel ends the mount when the daemon does.
 *
 * A program that goes into the background forks before session_mount(): threads and the mount
 * belong to the process that made them.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "mountpoint.h"
#include "problem.h"
#include "sandbox.h"
#include "settings.h"

struct heir;
struct successor_call;
struct session;

struct session_options {
	const char *mountpoint;
	const char *label; /* what mount(8) shows as the source: the config's path, or "A:B:C" */
	/* of the mirrors of layers; NULL: no plyfs.yaml may name some */
	struct supervisor *supervisor;
	const struct successor_call *call; /* how an heir is called; NULL: there is to be none */
	struct heir *heir;                 /* of whom served before; NULL: it is mounted */
	bool is_private;    /* only the mounting user may look; else allow_other is asked for */
	bool is_debugging;  /* libfuse prints every request on standard error */
	bool may_be_system; /* mounted over what the system lives in (mountpoint.h) */
	struct sandbox_switches switches;
	struct mount_flags flags;
	bool is_unpublished; /* changes invalidate the caches and wake nobody: the negative twin */
	void (*log)(void *context, const char *line); /* a line without newline; any thread */
	void *log_context;

	/*
	 * Has the service manager keep the socket until plyfs is started again; NULL, or false: it
	 * does not.
	 */
	bool (*store)(void *context, int socket);
	void *store_context;

	/* Has the system log a line: by a process of its own, monitor_log(). */
	void (*log_to_system)(const char *line);
};

/*
 * Positive results of session_serve(): another process serves the mount, or will when the manager
 * starts one. This one must end at once, by _exit(2), and free nothing: the kernel may hear no more
 * of it.
 */
#define SESSION_HANDED_OVER 2
#define SESSION_LEFT 3

/**
 * Mounts, and takes over the caller's reference to `settings`, also when it fails: layers that are
 * replaced must not be kept in use. A dead mount (ENOTCONN) that an earlier process left there is
 * cleared first. Returns 0 with *ret for session_free(); PROBLEM when the mountpoint does not
 * exist, is no directory, or is mounted already, with what to do; or -errno. What tells this
 * process to end waits from then on until it serves.
 *
 * With an heir, the mount of the previous daemon is taken over as it is. If that fails, this process
 * must end at once, by _exit(2), and change nothing that both processes share, so that the previous
 * daemon can go on.
 */
int session_mount(struct settings *settings, const struct session_options *options,
	struct session **ret, struct problem *problem);

/**
 * Serves until the mount ends; SIGTERM, SIGINT and SIGHUP end it cleanly. `ready` (may be NULL) is
 * called once when requests are answered. HANDOVER_LEAVE_SIGNAL, too, where the manager does not
 * keep the mount. Returns 0; -errno when the session broke; SESSION_HANDED_OVER with *successor the
 * process that serves; or SESSION_LEFT.
 */
int session_serve(
	struct session *session, void (*ready)(void *context), void *context, pid_t *successor);

/**
 * After session_serve() has failed: whether this is an heir that was not given the mount, and must
 * end as above.
 */
bool session_is_served_by_another(const struct session *session);

/** Unmounts if still mounted, and frees all. */
void session_free(struct session *session);
void session_freep(struct session **session);
