/* The place of a problem: shows the present line of the source below the message. */
#pragma once

#include <stdio.h>

#include "settings.h"

/**
 * Prints the line of the problem, with a caret, on standard error: a line of a layer's file, or
 * else of the file with that name, such as plyfs.yaml. `settings` may be NULL.
 */
void place_show(const struct settings *settings, const struct problem *problem);

/**
 * Does the same to `out`, indented by `indent` blanks, for a layer's file only. Returns whether it
 * is one.
 */
bool place_print(
	FILE *out, int indent, const struct settings *settings, const struct problem *problem);

/** Does the same for the file `name`, unless it is on the device `except` (0: on any device). */
void place_print_file(
	FILE *out, int indent, const char *name, dev_t except, const struct problem *problem);
