/*
 * The place of a problem: the line of the source as it is now, shown below the message.
 */
#pragma once

#include <stdio.h>

#include "settings.h"

/**
 * Shows the line that the problem is in, with a caret, on standard error: a line of some layer's
 * file, or else of the file that has the name, plyfs.yaml for one. `settings` may be NULL.
 */
void place_show(const struct settings *settings, const struct problem *problem);

/** The same to `out`, `indent` blanks in, for a layer's file only. Returns whether it is one. */
bool place_print(
	FILE *out, int indent, const struct settings *settings, const struct problem *problem);

/** The same for the file `name`, unless that lies on the device `except` (0: wherever it lies). */
void place_print_file(
	FILE *out, int indent, const char *name, dev_t except, const struct problem *problem);
