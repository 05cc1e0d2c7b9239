/*
 * A session: one mount, from mount(2) to the last request.
 *
 *      session_mount()   the mountpoint is checked and mounted; nothing is read yet. Then the
 *                        process is in a sandbox (sandbox.h)
 *      session_serve()   requests are answered and changes published, until the mount ends: by
 *                        umount(8), fusermount3(1), or a signal
 *      session_free()
 *
 * Between mounting and serving, the daemon and the processes that it waits for look up no path: it
 * may lead through the mount (layers may lie beneath it, or all of /etc), where no process answers
 * yet. There are two exceptions, which lead to no request: the mountpoint itself, and
 * /proc/self/mountinfo. All helper processes are started before the mount, so that only the daemon
 * ever holds /dev/fuse: the kernel ends the mount when the daemon ends.
 *
 * To run in the background, fork before session_mount(): threads and the mount belong to the
 * process that made them.
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
	/* of the layers' mirrors; NULL: there is no plyfs.yaml */
	struct supervisor *supervisor;
	const struct successor_call *call; /* the call of the next daemon; NULL: no take-over */
	struct heir *heir;                 /* the previous daemon; NULL: we mount */
	bool is_private;    /* only the user who mounts may use it; else allow_other */
	bool is_debugging;  /* libfuse prints every request on standard error */
	bool may_be_system; /* mounted over what the system lives in (mountpoint.h) */
	struct sandbox_switches switches;
	struct mount_flags flags;
	bool is_unpublished; /* changes only invalidate the caches: for negative twins of tests */
	void (*log)(void *context, const char *line); /* a line without newline; any thread */
	void *log_context;

	/*
	 * Makes the service manager keep the socket until plyfs is started again. Returns whether
	 * it does. May be NULL.
	 */
	bool (*store)(void *context, int socket);
	void *store_context;

	/* Sends a line to the system's log, through plyfs-monitor: monitor_log(). */
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
 * Mounts, and takes over the caller's reference to `settings`, also on failure: replaced layers
 * must not stay in use. A dead mount (ENOTCONN) is cleared first. Returns 0 with *ret for
 * session_free(); PROBLEM, with the remedy, if the mountpoint does not exist, is no directory, or
 * is mounted already; or -errno. Signals that end this process wait from then on until it serves.
 *
 * With an heir, this takes over the previous daemon's mount as it is. If that fails, this process
 * must end at once, by _exit(2), and change nothing that both processes share, so that the previous
 * daemon can go on.
 */
int session_mount(struct settings *settings, const struct session_options *options,
	struct session **ret, struct problem *problem);

/**
 * Serves until the mount ends. SIGTERM, SIGINT and SIGHUP end it cleanly, and so does
 * HANDOVER_LEAVE_SIGNAL if the manager does not keep the mount. `ready` (may be NULL) is called
 * once, when requests are answered. Returns 0; -errno: the session broke; SESSION_HANDED_OVER, with
 * the process that serves in *successor; or SESSION_LEFT.
 */
int session_serve(
	struct session *session, void (*ready)(void *context), void *context, pid_t *successor);

/**
 * Returns, after session_serve() has failed, whether this is an heir that did not get the mount,
 * and must end as above.
 */
bool session_is_served_by_another(const struct session *session);

/** Unmounts if still mounted, and frees all. */
void session_free(struct session *session);
void session_freep(struct session **session);
