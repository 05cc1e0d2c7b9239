/* The settings of fusermount3, which mounts for ordinary users. */
#pragma once

#include <stdbool.h>

#define FUSE_SETTINGS "/etc/fuse.conf"

/** Returns whether FUSE_SETTINGS lets ordinary users give other users access to their mounts. */
bool fuse_settings_allow_others(void);
