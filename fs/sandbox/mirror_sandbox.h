/*
 * The sandbox of who keeps a mirror of a store (fs/mirror).
 */
#pragma once

#include "sandbox.h"

/**
 * As sandbox_enter(), with all that comes before: `state_fd` is the state's directory, in which
 * anything may be written; in `beside`, where the link to it lies, links come and names go. Returns
 * 0, PROBLEM or -errno.
 */
int mirror_sandbox_enter(const struct sandbox_switches *switches, int state_fd, const char *beside,
	struct sandbox_state *ret, struct problem *problem);

/** Allows what each process needs that mirrors run in, besides their states. 0, or PROBLEM. */
int mirror_sandbox_allow(struct sandbox *sandbox, struct problem *problem);
