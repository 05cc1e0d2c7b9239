/* The place of a problem: the source's line, as it is now, shown below the message. */
#pragma once

#include <stdio.h>

#include "settings.h"

/** Returns the path, relative to the layer, of the file `name`; NULL: it is not in the layer. */
const char *place_in_layer(const struct layer *layer, const char *name);

/** Returns whether a schema of `settings` (may be NULL) marks secrets. If so, show no line. */
bool place_is_secret(const struct settings *settings);

/**
 * Unless place_is_secret(), prints the problem's line, with a caret, on standard error. The source
 * of the problem is a file in a layer of `settings` (may be NULL), or any other file.
 */
void place_show(const struct settings *settings, const struct problem *problem);

/**
 * If the problem has no line, returns false. If place_is_secret(), returns true. If the problem's
 * source is a file in a layer, prints the line to `out`, indented by `indent` blanks, and returns
 * true. Otherwise returns false.
 */
bool place_print(
	FILE *out, int indent, const struct settings *settings, const struct problem *problem);

/**
 * Reads the problem's line from the file `name`, which may be outside of all layers, and prints the
 * line to `out`, indented by `indent` blanks. If that file is on the device `except` (0: no
 * exception), prints nothing.
 */
void place_print_file(
	FILE *out, int indent, const char *name, dev_t except, const struct problem *problem);
