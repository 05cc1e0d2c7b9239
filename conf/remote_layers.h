/* The layers that lie on network and FUSE file systems, which may not answer. */
#pragma once

#include "settings.h"

/**
 * Calls layer_note_remote() for each layer that lies on a network or FUSE file system, or contains
 * one. Reads only the table of mounts: no file system is asked. Returns 0 or -errno.
 */
int settings_note_remote(const struct settings *settings);

/**
 * Returns whether the delegate looks into one of the layers (layer.h), or may do so: the links of a
 * layer with `follow` may lead to a remote file system.
 */
bool settings_may_wait(const struct settings *settings);
