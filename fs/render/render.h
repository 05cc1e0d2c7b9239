/*
 * Rendering: the view is shown as ordinary files in a directory, instead of as a mount. This room
 * implements the publisher's operations (publisher.h).
 *
 *      walk: list, look up, put ──▶ rendered directory ◀── publisher: replace, remove, …
 *      (at first, and in new directories)
 */
#pragma once

#include "rendered.h"
#include "view.h"

struct render;

/**
 * Opens the directory, makes a view of the settings, and prepares the sandbox of workers. Takes
 * over the caller's reference to `settings`, also on failure. options->log gets the failures of
 * rendering, and the view's faults. Returns 0 with *ret for render_freep(), PROBLEM or -errno.
 */
int render_new(struct settings *settings, const struct rendered_options *options,
	struct render **ret, struct problem *problem);
void render_freep(struct render **place); /* *place NULL: does nothing */

/** Makes the directory match the layers. Logs each failure. Returns their number, or -errno. */
int render_all(struct render *render);

/** Returns the view of the layers, which lives as long as `render`. */
struct view *render_view(const struct render *render);

/** Keeps the directory up to date until render_stop(). Returns 0; -ENOENT: it was removed. */
int render_watch(struct render *render);

/** Ends render_watch(). A signal handler may call it. */
void render_stop(struct render *render);
