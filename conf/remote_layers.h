/*
 * The layers that lie on network and FUSE file systems, which may not answer.
 */
#pragma once

#include "settings.h"

/**
 * Notes which layers lie on a network or FUSE file system, or have one mounted beneath
 * (layer_note_remote()), by the table of mounts alone: no file system is asked.
 * `mounts_fd` as mount_table_each() takes it. Returns 0 or -errno.
 */
int settings_note_remote(const struct settings *settings, int mounts_fd);

/** Returns whether a delegate looks into one of the layers (layer.h). */
bool settings_have_delegated(const struct settings *settings);
