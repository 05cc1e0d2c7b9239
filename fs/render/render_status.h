/*
 * What a rendered tree tells of itself: DIRECTORY/.plyfs/status, in JSON as a mount's, so that all
 * that works with a mount works with it.
 */
#pragma once

#include "rendered.h"
#include "view.h"

struct publisher;

struct render_status {
	struct rendered *rendered;
	const struct rendered_options *options;
	struct view *view;
	struct publisher *publisher;
	const struct sandbox_state *sandbox;
};

/** Writes it. 0 or -errno. */
int render_status_write(const struct render_status *status);
