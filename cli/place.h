/* The place of a problem: the source's line, as it is now, shown below the message. */
#pragma once

#include <stdio.h>

#include "settings.h"

/** Returns whether no line may be shown, as a schema of `settings` (may be NULL) marks secrets. */
bool place_is_secret(const struct settings *settings);

/**
 * Prints the line of the problem, with a caret, on standard error. The problem's source may be a
 * file in a layer of `settings`, or any other file, such as plyfs.yaml. `settings` may be NULL.
 */
void place_show(const struct settings *settings, const struct problem *problem);

/**
 * As place_show(), but prints to `out`, indented by `indent` blanks, and only if the problem's
 * source is a layer's file. Returns whether the problem has a line in a layer's file, or one that
 * may not be shown.
 */
bool place_print(
	FILE *out, int indent, const struct settings *settings, const struct problem *problem);

/**
 * Prints the problem's line as place_print() does, but out of the file at the path `name`, which
 * need not be in a layer. Prints nothing if the file is on the device `except` (0: no exception).
 */
void place_print_file(
	FILE *out, int indent, const char *name, dev_t except, const struct problem *problem);
