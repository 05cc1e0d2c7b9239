/*
 * Paths from keys: the part of a key after the prefix is a path below the mirrored directory. It
 * may have every byte that a file's name may have.
 */
#pragma once

#include "span.h"

/* Maximum length of a path, in bytes. Our own names are appended to it, and PATH_MAX is 4096. */
#define KEY_PATH_MAX 3500

/* Maximum depth of directories; a tree that a person makes has ten. */
#define KEY_PATH_DEPTH_MAX 100

/**
 * Returns a static phrase to follow "the key …": why `path` can't be a file's path, and the remedy.
 * NULL: it can.
 */
const char *key_path_refuse(struct span path);
