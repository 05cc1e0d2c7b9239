/*
 * Settings that change nothing: places in a rule's options that no file has, presets without a file,
 * layers' names that stand for nothing, and files that are not merged as their names differ by
 * little.
 */
#pragma once

#include "check_tree.h"

/** Tells them, of a tree all files of which were inspected. Returns 0 or -errno. */
int idle_settings_tell(const struct check_tree *tree, struct check_report *report);
