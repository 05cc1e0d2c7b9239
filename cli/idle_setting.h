/*
 * Settings without effect: places in a rule's options that no file has, presets without a file,
 * unused names of layers, and files that are not merged because their names differ slightly.
 */
#pragma once

#include "check_tree.h"

/** Reports them, for a tree whose files were all inspected. Returns 0 or -errno. */
int idle_settings_report(const struct check_tree *tree, struct check_report *report);
