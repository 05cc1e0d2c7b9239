/* The layers that lie on network and FUSE file systems, which may not answer. */
#pragma once

#include "settings.h"

/**
 * Calls layer_note_remote() for each layer that lies on a network or FUSE file system, or contains
 * one. Asks no file system. Returns 0 or -errno.
 */
int settings_note_remote(const struct settings *settings);

/** Returns whether a call on a layer may have to wait for the delegate (layer.h). */
bool settings_may_wait(const struct settings *settings);
