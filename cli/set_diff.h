/* The difference between two sets of layers: every file that differs, as git compares two trees. */
#pragma once

#include "settings.h"
#include "unified.h"

/**
 * Prints the differences from sets[0] to sets[1]. `paths` ends with NULL. Without paths, all files
 * are compared. A directory stands for all files in it. A file that can't be compared is reported
 * and left out. Returns an exit code.
 */
int set_diff(struct unified *how, struct settings *sets[2], char **paths);
