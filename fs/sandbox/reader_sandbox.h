/*
 * The sandbox of the processes that read layers: a mount's daemon, and a rendering.
 */
#pragma once

#include "sandbox.h"
#include "settings.h"

/**
 * Allows to read what the settings name, and what that needs. Loads the libraries that they need.
 * Returns 0, PROBLEM or -errno.
 */
int reader_sandbox_allow(
	struct sandbox *sandbox, const struct settings *settings, struct problem *problem);
