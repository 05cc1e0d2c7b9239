/*
 * Anchors: the names by which the settings were found: plyfs.yaml's, and each layer's. When one of
 * them leads to something else, the settings must be made anew.
 */
#pragma once

#include <stdbool.h>

#include "settings.h"

struct anchors;

/** Returns 0 with *ret for anchors_free(), or -errno. */
int anchors_new(const struct settings *settings, struct anchors **ret);
void anchors_free(struct anchors *anchors);

/** To be polled for POLLIN. */
int anchors_fd(const struct anchors *anchors);

/** Takes in all events, and whether one concerns an anchor. Never blocks. */
bool anchors_have_moved(struct anchors *anchors);

/** Sets the anchors for `settings` in place of those that were set. 0 or -ENOMEM. */
int anchors_set(struct anchors *anchors, const struct settings *settings);
