/*
 * Rendering: the view, shown by ordinary files instead of a mount. The second implementation of the
 * publisher's operations, and nothing else: what a mount would show, in the same order.
 *
 *      walk: list, look up, put ──▶ rendered directory ◀── publisher: replace, remove, …
 *      (once, and of each new directory)
 */
#pragma once

#include "rendered.h"
#include "view.h"

struct render;

/**
 * Opens the directory and makes a view of the settings, to which it takes over the caller's
 * reference. From then on the process is in a sandbox (sandbox.h). The options' log gets what is
 * wrong with the layers, too. Returns 0 with *ret for render_freep(), PROBLEM or -errno.
 */
int render_new(struct settings *settings, const struct rendered_options *options,
	struct render **ret, struct problem *problem);
void render_freep(struct render **place); /* NULL is fine */

/**
 * Makes the directory what the layers say now. Returns how many paths could not be made, each of
 * which was logged; or -errno.
 */
int render_all(struct render *render);

/**
 * Runs the on_change commands of what render_all() changed, and waits for them; render_watch() does
 * so by itself. Returns how many failed, each of which was logged.
 */
unsigned render_tell(struct render *render);

/** Keeps it so, until render_stop(), which any thread or signal handler may call. */
void render_watch(struct render *render);
void render_stop(struct render *render);
