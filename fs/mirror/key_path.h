/*
 * From a key to a path below the mirrored directory: what stands behind the prefix. Any bytes that
 * a file's name may have are fine.
 */
#pragma once

#include "span.h"

/* Bytes of a path. Behind it stand names of our own, and PATH_MAX is 4096. */
#define KEY_PATH_MAX 3500

/* Directories in each other; what a person makes has ten. */
#define KEY_PATH_DEPTH_MAX 100

/**
 * Why `path` can't be one, as a phrase that goes on behind "the key …", with the remedy; NULL: it
 * can. Static.
 */
const char *key_path_refuse(struct span path);
