/*
 * Settings without effect, such as unused options, presets that merge no file, and empty layers;
 * and files that are not merged because their names differ slightly, such as app.yaml and app.yml.
 */
#pragma once

#include "check_tree.h"

/** Reports these settings and files. Inspect all of `tree` before. Returns 0 or -errno. */
int idle_settings_report(const struct check_tree *tree, struct check_report *report);
