/*
 * The supervisor: a process, plyfs-keep, that runs a mirror for each layer out of a store
 * (conf/store_spec.h), as long as the daemon lives.
 *
 *      daemon ──"read again"──▶ plyfs-keep ──▶ plyfs mirror …, as another user
 *          ◀─ lines for the log, "a layer has a state now", the status line ─┘
 *
 *      a start:  settings_outline()   what plyfs.yaml says of stores; no layer is open
 *                supervisor_new()     plyfs-keep, and its mirrors
 *                supervisor_wait()    each layer has a state
 *                settings_read()      layers are opened, by the link that the mirror switches
 *
 * The layer's directory follows from the store's settings in plyfs.yaml (store_spec.h), so every
 * command finds it. The daemon reads a link that switches between directories, and uses no network.
 * If a first state arrives after the start, a hook of the publisher reads the settings again. If
 * plyfs.yaml changes, the publisher notifies plyfs-keep.
 *
 * - plyfs-keep reads plyfs.yaml itself, and starts no mirrors but those that plyfs.yaml names. It
 *   has no mount, layer or terminal open. When the daemon's end of the socket is closed, plyfs-keep
 *   ends, with its mirrors.
 * - A mirror runs without capabilities, and can't get more rights. It gets an environment and
 *   descriptors made for it, and none of ours. If we are root, it runs as another user: `user:` or
 *   SUPERVISOR_USER.
 * - plyfs-keep enters a sandbox before it starts the first mirror. It keeps only the rights of root
 *   that it needs. plyfs-keep and its mirrors can write only beneath the directories for states
 *   (`base` in store_spec.h) that plyfs.yaml names at that time.
 * - A mirror that ends is started again after a pause, which grows.
 * - If several supervisors have the same store, one of them runs the mirror. When that one ends,
 *   another takes over.
 */
#pragma once

#include "sandbox.h"
#include "settings.h"

/* The user that mirrors run as when root mounts. The package makes it. */
#define SUPERVISOR_USER "plyfs-mirror"

struct supervisor;

struct supervisor_options {
	struct sandbox_switches switches; /* for plyfs-keep, and for the mirrors that it starts */

	/* Called in supervisor_take() and supervisor_wait(). `say` may be NULL. */
	void (*log)(void *context, const char *line);
	void (*say)(void *context, const char *text); /* "STATUS=…", for the service manager */
	void *context;
};

/**
 * Starts plyfs-keep, before there are coroutines. `outline` is from settings_outline(), with an
 * absolute path. Checks first that the mirrors can be started. Returns 0 with *ret for
 * supervisor_freep(); PROBLEM, with the remedy; or -errno.
 */
int supervisor_new(const struct settings *outline, const struct supervisor_options *options,
	struct supervisor **ret, struct problem *problem);

/**
 * Waits until all layers of the outline, except optional ones, have a state: the last good one or a
 * new one. With `is_fresh`, waits for an answer of the store first; if that takes too long, the
 * last good state is enough. Returns 0; PROBLEM: a layer has no state in time; or -errno.
 */
int supervisor_wait(struct supervisor *supervisor, const struct settings *outline, bool is_fresh,
	struct problem *problem);

int supervisor_fd(const struct supervisor *supervisor); /* for poll(2): POLLIN */
/** Handles the messages at that descriptor. Returns whether a layer got its first state. */
bool supervisor_take(struct supervisor *supervisor);

/** Returns whether plyfs-keep has ended: then no layer out of a store is kept up to date. */
bool supervisor_is_gone(const struct supervisor *supervisor);

/** Makes plyfs-keep read plyfs.yaml again. */
void supervisor_reload(struct supervisor *supervisor);

/** Ends plyfs-keep and its mirrors. NULL in *place: does nothing. */
void supervisor_freep(struct supervisor **place);
