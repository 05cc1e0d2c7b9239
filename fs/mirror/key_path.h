/* Paths from keys: the part of an etcd key after the prefix is a path in the mirrored directory. */
#pragma once

#include "span.h"

/* Maximum length of a path, in bytes. PATH_MAX is 4096, and we append our own names to paths. */
#define KEY_PATH_MAX 3500

/* Maximum depth of directories. */
#define KEY_PATH_DEPTH_MAX 100

/**
 * Returns NULL if `path` can be a file's path. Otherwise returns the reason why it can't: a static
 * phrase, which a message puts after "the key".
 */
const char *key_path_refuse(struct span path);
