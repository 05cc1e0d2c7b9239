/* The status of a rendered tree: DIRECTORY/.plyfs/status, in the same JSON as a mount's. */
#pragma once

struct render;

/** Writes the status. A failure to write it is ignored. */
void render_status_write(const struct render *render);
