/* A circle of mounts: a mount that is a layer of its own layer. */
#pragma once

#include "settings.h"

/**
 * Refuses settings with a layer that is the mount of another plyfs, if `mountpoint` is a layer of
 * that mount, or is reached from it through further mounts. A lookup in such a circle would wait
 * for itself. Finds circles of up to 5 mounts, and asks 64 mounts at most. Returns EXIT_DONE; or
 * EXIT_FAILED after a message.
 */
int mount_circle_refuse(const struct settings *settings, const char *mountpoint);
