/*
 * The sandbox of who reads layers: a mount's daemon, and who renders.
 */
#pragma once

#include "sandbox.h"
#include "settings.h"

/**
 * Allows reading what settings name, with what comes with it. What they need of libraries is
 * loaded. Returns 0, PROBLEM or -errno.
 */
int reader_sandbox_allow(
	struct sandbox *sandbox, const struct settings *settings, struct problem *problem);
