/*
 * Paths from keys: a key's part behind the prefix is a path below the mirrored directory. All bytes
 * that a file's name may have are allowed.
 */
#pragma once

#include "span.h"

/* Maximum length of a path, in bytes. Our own names are appended to it, and PATH_MAX is 4096. */
#define KEY_PATH_MAX 3500

/* Maximum depth of directories; what a person makes has ten. */
#define KEY_PATH_DEPTH_MAX 100

/**
 * Returns the reason why `path` can't be a path, as a phrase that follows "the key …", with the
 * remedy; NULL: it can. The string is static.
 */
const char *key_path_refuse(struct span path);
