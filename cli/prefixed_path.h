/* A path that is to be relative to the layers, but begins with the directory of one. */
#pragma once

#include "settings.h"

/**
 * If `path` begins with a layer, reports the path without the layer, and returns true. `is_new`:
 * the file need not exist, and no layer has its directory.
 */
bool prefixed_path_report(const struct settings *settings, const char *path, bool is_new);
