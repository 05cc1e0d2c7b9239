/*
 * What a rendered tree tells of itself: DIRECTORY/.plyfs/status, in JSON as a mount's, so that all
 * that works with a mount works with it.
 */
#pragma once

struct render;

/** Writes it. What can't be told is no trouble of the tree's. */
void render_status_write(const struct render *render);
