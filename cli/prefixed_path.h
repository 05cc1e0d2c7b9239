/* A path that is to be relative to the layers, but begins with the directory of one. */
#pragma once

#include "settings.h"

enum prefixed_path {
	PREFIXED_PATH_OLD,  /* of a file that must exist */
	PREFIXED_PATH_NEW,  /* of a file that need not exist */
	PREFIXED_PATH_MADE, /* of a file that the command makes */
};

/**
 * Call it if no layer has the file. If `path` begins with a layer, reports the path without the
 * layer, and returns true. Otherwise returns false. If `kind` is not PREFIXED_PATH_OLD, returns
 * false, too, if any layer has the first name of `path`.
 */
bool prefixed_path_report(
	const struct settings *settings, const char *path, enum prefixed_path kind);
