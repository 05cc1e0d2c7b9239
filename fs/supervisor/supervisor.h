/*
 * The supervisor: a coroutine of the daemon, which runs a mirror for each layer that comes out of a
 * store (conf/store_spec.h).
 *
 *      a start:  settings_outline()   what plyfs.yaml says of stores; no layer is open
 *                supervisor_new()     starts the mirrors
 *                supervisor_wait()    each layer that is not optional has a state
 *                settings_open()      opens the layers, through links that mirrors switch
 *                supervisor_start()   the coroutine
 *
 * The path of such a layer follows from the store's settings in plyfs.yaml (store_spec.h). The path
 * is that of a link. When the mirror switches the link, the publisher gets an event: plyfs-settings
 * has added the watch (settings_reader.h). If plyfs.yaml changes, the publisher passes the new
 * settings to supervisor_use().
 *
 * - A mirror runs without capabilities, and inherits neither our environment nor our descriptors.
 *   If we are root, the mirror runs as another user: the store's `user:`, or SUPERVISOR_USER.
 * - The kernel kills a mirror when the thread that has forked it ends. So only the daemon's main
 *   thread forks mirrors.
 * - From supervisor_start() on, the daemon waits for no mirror, and looks up no path of a mirror:
 *   the disk may not answer. A new mirror looks its own paths up. Under a service manager,
 *   plyfs-report looks them up, too, for the status line (mirror_process.h).
 * - If a mirror or plyfs-report ends, the supervisor starts it again, after ever longer pauses.
 * - If several supervisors have the same store, one of their mirrors works, and the others wait.
 * - At the end all mirrors are killed, even those suspended by SIGSTOP. Their state on disk stays.
 */
#pragma once

#include "sandbox.h"
#include "settings.h"

/* The user that mirrors run as when root mounts. The package makes it. */
#define SUPERVISOR_USER "plyfs-mirror"

struct supervisor;

struct supervisor_options {
	struct sandbox_switches switches; /* for the mirrors */

	/* Called by the coroutine and by supervisor_wait(). `log` and `say` must not wait. */
	void (*log)(void *context, const char *line);
	/* Gets each new status line for the service manager, without "STATUS=". May be NULL. */
	void (*say)(void *context, const char *text);
	void *context;
};

/**
 * Checks that the mirrors of `outline` can be started, and starts them. `outline` comes from
 * settings_outline(), called with the absolute path of plyfs.yaml; *ret takes a reference to
 * `outline`. Call this function before there are coroutines. Returns 0 with *ret for
 * supervisor_freep(), PROBLEM or -errno.
 */
int supervisor_new(struct settings *outline, const struct supervisor_options *options,
	struct supervisor **ret, struct problem *problem);

/**
 * Waits until each layer that comes out of a store, and is not optional, has a state: the layer's
 * path leads to a directory that the mirror has written, now or in an earlier run. With `is_fresh`,
 * also waits until the store of each such layer has answered; if this takes too long, an old state
 * is enough. Returns 0; or PROBLEM if a layer has no state in time.
 */
int supervisor_wait(struct supervisor *supervisor, bool is_fresh, struct problem *problem);

/** Starts the coroutine, in the thread that called supervisor_new(). Returns 0 or -ENOMEM. */
int supervisor_start(struct supervisor *supervisor);

/** From now on, runs the mirrors of the stores in `settings`. Takes a reference to `settings`. */
void supervisor_use(struct supervisor *supervisor, struct settings *settings);

/**
 * Makes the coroutine log which mirrors were stopped or continued. Call it after a SIGCHLD. NULL:
 * does nothing.
 */
void supervisor_look(struct supervisor *supervisor);

/** Ends the coroutine, but no mirror. NULL: does nothing. */
void supervisor_stop(struct supervisor *supervisor);

/**
 * Kills the mirrors, without waiting for their ends. If the coroutine goes on, as after a failed
 * take-over, it starts them again. NULL: no effect.
 */
void supervisor_kill(const struct supervisor *supervisor);

/** Ends the mirrors and frees the supervisor. *place NULL: does nothing. */
void supervisor_freep(struct supervisor **place);
