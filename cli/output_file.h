/*
 * The output file: a file that a command writes. It may be overwritten, but nothing in a layer is:
 * a source would be lost, and what is new there would be served.
 */
#pragma once

#include <stdio.h>

#include "settings.h"

/**
 * Opens `path` for writing. Returns EXIT_DONE with *ret for fclose(3), or EXIT_FAILED when it has
 * complained.
 */
int output_file_open(const struct settings *settings, const char *path, FILE **ret);
