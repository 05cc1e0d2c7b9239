/* A circle of mounts: each mount is a layer of the next, and the last is a layer of the first. */
#pragma once

#include "settings.h"

/**
 * Refuses settings that would make a mount at `mountpoint` part of a circle, in which a lookup
 * would wait for itself. Finds circles of up to 5 mounts, and examines at most 64 layers of other
 * mounts. Returns EXIT_DONE; or EXIT_FAILED after a message.
 */
int mount_circle_refuse(const struct settings *settings, const char *mountpoint);
