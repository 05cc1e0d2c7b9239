/*
 * The supervisor: a process, plyfs-keep, that runs a mirror for each layer out of a store
 * (conf/store_spec.h), as long as the daemon lives.
 *
 *      daemon ──"look again"──▶ plyfs-keep ──▶ plyfs mirror …, as another user
 *          ◀─ lines for the log, "a layer has a state now", the status line ─┘
 *
 *      a start:  settings_outline()   what plyfs.yaml says of stores; no layer is open
 *                supervisor_new()         plyfs-keep, and its mirrors
 *                supervisor_wait()        each layer has a state
 *                settings_read()      layers are opened, by the link that the mirror switches
 *
 * The settings of a store in plyfs.yaml give its layer's directory (store_spec.h), so every command
 * finds it. The daemon sees a link that switches between directories, and no network. If a first
 * state arrives after the start, a hook of the publisher reads the settings again. If plyfs.yaml
 * changes, the publisher notifies plyfs-keep.
 *
 * - plyfs-keep reads plyfs.yaml itself, and starts nothing but what that names. It holds no mount,
 *   layer or terminal, and ends, with its mirrors, when the other end of the socket is closed.
 * - A mirror runs without capabilities, without a way to get more rights, with an environment and
 *   descriptors made for it. If we are root it is another user, `user:` or SUPERVISOR_USER.
 * - plyfs-keep enters a sandbox before it starts the first mirror. It keeps only the rights of root
 *   that it needs. It and its mirrors can write only in the directories for states that are known
 *   then.
 * - A mirror that ends is started again after a pause, which grows.
 * - Of several supervisors of the same store one runs the mirror, and another takes over when that
 *   ends.
 */
#pragma once

#include "sandbox.h"
#include "settings.h"

/* The user that mirrors run as when root mounts. The package makes it. */
#define SUPERVISOR_USER "plyfs-mirror"

struct supervisor;

struct supervisor_options {
	struct sandbox_switches switches; /* of plyfs-keep, and of the mirrors that it starts */

	/* Called in supervisor_take() and supervisor_wait(). */
	void (*log)(void *context, const char *line);
	void (*say)(
		void *context, const char *text); /* "STATUS=…", for a service manager; or NULL */
	void *context;
};

/**
 * Starts the process, before there are threads; `outline` is settings_outline()'s, of an absolute
 * path. Checks first what a mirror needs. Returns 0 with *ret for supervisor_freep(); PROBLEM, with
 * the remedy; or -errno.
 */
int supervisor_new(const struct settings *outline, const struct supervisor_options *options,
	struct supervisor **ret, struct problem *problem);

/**
 * Waits until all layers of the outline but the optional ones have a state, the last good one or a
 * new one. With `is_fresh` it waits for an answer of the store, and takes the last good state if
 * that takes too long. Returns 0, PROBLEM: it takes too long, or -errno.
 */
int supervisor_wait(struct supervisor *supervisor, const struct settings *outline, bool is_fresh,
	struct problem *problem);

/**
 * Return the descriptor to poll for POLLIN; and handle messages: true if a layer has a state now.
 */
int supervisor_fd(const struct supervisor *supervisor);
bool supervisor_take(struct supervisor *supervisor);

/** Returns whether the process has ended: then no layer out of a store is kept up to date. */
bool supervisor_is_gone(const struct supervisor *supervisor);

/** Makes it read plyfs.yaml again. */
void supervisor_reload(struct supervisor *supervisor);

/** Ends it, with its mirrors. NULL in *place: nothing. */
void supervisor_freep(struct supervisor **place);
