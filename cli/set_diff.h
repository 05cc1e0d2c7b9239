/* The difference between two sets of layers: every file that differs, as git compares two trees. */
#pragma once

#include "settings.h"
#include "unified.h"

/**
 * Prints the differences from sets[0] to sets[1] in the files at and below `paths` (ends with NULL;
 * none: all files). Reports and leaves out a file that can't be compared. Returns an exit code.
 */
int set_diff(struct unified *how, struct settings *sets[2], char **paths);
