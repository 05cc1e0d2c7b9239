/*
 * The settings watch: the names by which the settings were found: plyfs.yaml's, and each layer's.
 * When one of them leads to something else, the settings must be made anew.
 */
#pragma once

#include <stdbool.h>

#include "settings.h"

struct settings_watch;

/** Returns 0 with *ret for settings_watch_free(), or -errno. */
int settings_watch_new(const struct settings *settings, struct settings_watch **ret);
void settings_watch_free(struct settings_watch *watch);

/** To be polled for POLLIN. */
int settings_watch_fd(const struct settings_watch *watch);

/** Takes in all events, and whether one concerns a watched name. Never blocks. */
bool settings_watch_has_event(struct settings_watch *watch);

/** Sets the watch for `settings` in place of those that were set. 0 or -ENOMEM. */
int settings_watch_set(struct settings_watch *watch, const struct settings *settings);
