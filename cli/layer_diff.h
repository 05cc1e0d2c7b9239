/*
 * The difference between two sets of layers: every file that differs, as git compares two trees.
 * And the change that each layer of one set makes to one file, from the lowest layer up: the
 * difference between the merge without the layer and the merge with it, both without the higher
 * layers.
 *
 *      nothing ── vendor ──▶ text ── site ──▶ text ── host ──▶ as in a mount
 */
#pragma once

#include "settings.h"
#include "unified.h"

/**
 * Prints the differences. `path` is relative to the root, with no "." or "..". Returns EXIT_DONE,
 * or another exit code after an error message.
 */
int layer_diff(struct unified *how, struct settings *settings, const char *path);

/**
 * Prints the differences from sets[0] to sets[1] in the files at and below `paths` (ends with NULL;
 * none: all files). Reports and leaves out a file that can't be compared. Returns an exit code.
 */
int layer_diff_sets(struct unified *how, struct settings *sets[2], char **paths);
