/*
 * The output file: a file that a command writes. If it exists, it is overwritten. A file in a layer
 * is refused: an old one is a source, which would be lost, and a new one would be served.
 */
#pragma once

#include <stdio.h>

#include "settings.h"

/**
 * Opens `path` for writing. Returns EXIT_DONE with *ret for fclose(3), or EXIT_FAILED after an
 * error message.
 */
int output_file_open(const struct settings *settings, const char *path, FILE **ret);
