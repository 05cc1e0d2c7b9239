/*
 * The output file: a file that a command writes. If it exists, it is overwritten. A file in a layer
 * is refused: an existing file is a source, which would be lost, and a new file would become one.
 */
#pragma once

#include <stdio.h>

#include "settings.h"

/**
 * Opens `path` for writing, unless it is in a layer of `settings`. A new file gets the mode, less
 * the umask. Returns EXIT_DONE with *ret for fclose(3), or EXIT_FAILED after an error message.
 */
int output_file_open(const struct settings *settings, const char *path, mode_t mode, FILE **ret);
