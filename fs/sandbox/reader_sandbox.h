/* The sandbox of the processes that read layers: a mount's daemon, and plyfs render. */
#pragma once

#include "sandbox.h"
#include "settings.h"

/**
 * Allows reading the files that the settings name, and those that reading them needs. Loads the
 * libraries that the settings need. Returns 0, PROBLEM or -errno.
 */
int reader_sandbox_allow(
	struct sandbox *sandbox, const struct settings *settings, struct problem *problem);
