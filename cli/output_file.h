/*
 * The output file: a file that a command writes. It may be overwritten, unless it is in a layer: a
 * source would be lost, and a new file would be served.
 */
#pragma once

#include <stdio.h>

#include "settings.h"

/**
 * Opens `path` for writing. Returns EXIT_DONE with *ret for fclose(3), or EXIT_FAILED after an
 * error message.
 */
int output_file_open(const struct settings *settings, const char *path, FILE **ret);
