/* The settings of fusermount3, which mounts for ordinary users. */
#pragma once

#include <stdbool.h>

#define FUSE_SETTINGS "/etc/fuse.conf"

/** Returns whether a line of FUSE_SETTINGS lets ordinary users open their mounts to others. */
bool fuse_settings_allow_others(void);
