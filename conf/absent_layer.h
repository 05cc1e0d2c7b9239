/*
 * An absent layer: an optional layer whose directory is missing. If the highest layer is absent, a
 * change for which the user names no layer would go to a lower layer, which other hosts or users
 * may share.
 */
#pragma once

#include "settings.h"

/**
 * Refuses a change for which the user names no layer, in two cases. First case: the highest layer
 * is absent. Second case: settings->around names a host, machine, user or fact, and the highest
 * layer's path depends on none of them. Returns 0, PROBLEM with the remedy, or -ENOMEM.
 */
int absent_layer_refuse(const struct settings *settings, struct problem *problem);

/**
 * Refuses a host, machine or user in settings->around if its layers are all missing, or if no
 * layer's path and no pattern of a virtual file depends on it. Refuses facts in settings->around if
 * layers have a fact in their paths, and all these layers are missing. Returns 0; PROBLEM, which
 * suggests the nearest name that has a layer; or -ENOMEM.
 */
int absent_layer_find(const struct settings *settings, struct problem *problem);
