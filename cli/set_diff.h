/*
 * Two sets of layers compared: every file that is not the same in both, as git compares two trees.
 */
#pragma once

#include "settings.h"
#include "unified.h"

/**
 * Prints the differences from sets[0] to sets[1]. `paths` ends with NULL; of none, all files are
 * compared, and of a directory all in it. *differs is set when there are any differences. What
 * can't be compared is complained about, and left out. Returns an exit code.
 */
int set_diff(const struct unified *how, struct settings *sets[2], char **paths, bool *differs);
