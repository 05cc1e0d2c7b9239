/*
 * The differences that layers make. layer_diff_sets() compares two sets of layers file by file, as
 * git compares two trees. layer_diff() shows how each layer changes one file, the lowest layer
 * first: it compares the merge of all lower layers with the merge that includes this layer, too.
 *
 *      nothing ── vendor ──▶ text ── site ──▶ text ── host ──▶ as in a mount
 */
#pragma once

#include "settings.h"
#include "unified.h"

/**
 * Prints the change that each layer makes to the file `path`, which is relative to the root and has
 * no "." or "..". Returns EXIT_DONE, or another exit code after an error message.
 */
int layer_diff(struct unified *how, struct settings *settings, const char *path);

/**
 * Prints the differences from sets[0] to sets[1] in the files at and below `paths` (ends with NULL;
 * none: all files). Reports and leaves out a file that can't be compared. If `is_found` is NULL, a
 * path that neither set has is an error. Otherwise is_found[i] becomes true for each paths[i] that
 * at least one set has, and that could be read in both. Returns an exit code.
 */
int layer_diff_sets(struct unified *how, struct settings *sets[2], char **paths, bool *is_found);
