/* The sandbox of a mirror's process (fs/mirror), and of plyfs-keep. */
#pragma once

#include "sandbox.h"

/**
 * As sandbox_enter(), with all that comes before: `state_fd` is the state's directory, in which
 * anything may be written; in `beside`, where the link to it lies, links come and names go. Returns
 * 0, PROBLEM or -errno.
 */
int mirror_sandbox_enter(const struct sandbox_switches *switches, int state_fd, const char *beside,
	struct sandbox_state *ret, struct problem *problem);

/** Allows what the processes of mirrors need besides their states. Returns 0 or PROBLEM. */
int mirror_sandbox_allow(struct sandbox *sandbox, struct problem *problem);
