/*
 * A session: one mount, from mount(2) to the last request.
 *
 *      session_mount()   checks the mountpoint, and mounts; no source is read yet
 *      session_serve()   answers requests and publishes changes, until the mount ends
 *      session_freep()
 *
 * Between mounting and serving, no process answers requests, so a lookup that leads through the
 * mount waits. Meanwhile, the daemon and the processes that it waits for may look up only two
 * paths, which cause no request: the mountpoint itself, and /proc/self/mountinfo.
 *
 * Each helper process is started before the mount, or closes /dev/fuse at once. So only the daemon
 * holds /dev/fuse, and the kernel ends the mount when the daemon ends.
 *
 * To run in the background, fork before session_mount().
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "mountpoint.h"
#include "problem.h"
#include "sandbox.h"
#include "settings.h"

struct handover_manager;
struct handover_terms;
struct previous;
struct program_call;
struct session;

/* Flags of a mount. The user who mounts sets most of them by words after -o. */
struct mount_flags {
	bool is_private;     /* only that user may use the mount; else allow_other */
	bool is_debugging;   /* libfuse prints every request on standard error */
	bool may_be_system;  /* the mountpoint may be a directory of the system (mountpoint.h) */
	bool is_unpublished; /* for tests: invalidates the kernel's caches, publishes nothing */
	uint64_t attributes; /* of mount_setattr(2): MOUNT_ATTR_NOEXEC, MOUNT_ATTR_NOSYMFOLLOW */
};

struct session_options {
	const char *mountpoint;
	const char *label; /* for the mount table and status: plyfs.yaml's path, or "A:B:C" */
	struct supervisor *supervisor;   /* of the layers' mirrors; NULL: no plyfs.yaml */
	const struct program_call *call; /* starts the next program; NULL: no take-over */
	unsigned tried;                  /* number of take-overs that this process has tried */
	struct previous *previous; /* has the previous daemon's state; NULL: we mount ourselves */
	struct sandbox_switches switches;
	struct mount_flags flags;
	void (*log)(void *context, const char *line); /* a line without newline */
	void *log_context;
	const struct handover_manager *manager; /* NULL: there is none */
};

/*
 * Positive result of session_serve(): the service manager keeps the mount for the plyfs that it
 * starts next. This process must free nothing, and end at once by _exit(2).
 */
#define SESSION_LEFT 3

/**
 * Mounts. Takes over the caller's reference to `settings`, even on failure. Unmounts a dead mount
 * (ENOTCONN) first. Blocks SIGTERM, SIGINT and SIGHUP until session_serve(). Returns 0 with *ret
 * for session_freep(); PROBLEM; or -errno. With options->previous, takes over the previous daemon's
 * mount as it is. If a call with options->previous fails, the session is not freed: the caller must
 * unmount, and end this process at once by _exit(2).
 */
int session_mount(struct settings *settings, const struct session_options *options,
	struct session **ret, struct problem *problem);

/**
 * Serves until the mount ends. SIGTERM, SIGINT and SIGHUP unmount. HANDOVER_LEAVE_SIGNAL
 * (handover.h) unmounts if the service manager does not keep the mount. SIGUSR2 starts a trial
 * (trial.h); if the trial succeeds, execs session_options.call. Calls `ready` (may be NULL) once,
 * when requests are answered. Returns 0; -ECONNABORTED: the kernel had ended the connection, and
 * session_serve() has removed the mount; another -errno: the session broke; or SESSION_LEFT.
 */
int session_serve(struct session *session, void (*ready)(void *context), void *context);

/**
 * For a trial (trial.h): returns 0 if these settings can serve the mount of the running daemon,
 * whose settings `terms` describes (handover.h); PROBLEM; or -errno.
 */
int session_try(struct settings *settings, const struct session_options *options,
	const struct handover_terms *terms, struct problem *problem);

/** Unmounts, unless the mount has ended, and frees the session. */
void session_freep(struct session **session);
