/* The sandbox of a mirror's process (fs/mirror). */
#pragma once

#include "sandbox.h"

/**
 * Enters the sandbox of a mirror. The mirror may write in its state directory (STATE in store.h),
 * open as `state_fd`. In the directory `beside`, which has the link to the mirror's present tree,
 * the mirror may make links and remove names. Returns 0 with *ret, the parts in force; PROBLEM; or
 * -errno.
 */
int mirror_sandbox_enter(const struct sandbox_switches *switches, int state_fd, const char *beside,
	struct sandbox_state *ret, struct problem *problem);
