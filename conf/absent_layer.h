/*
 * An absent layer: an optional layer whose directory is missing.
 *
 * The layers of a host, a machine, a user or a fact (%H, %l, %d, %m, %u, %h and %{NAME} in their
 * paths) are often absent, as most hosts and users have no values of their own. If the highest
 * layer is absent, a change for which the user names no layer would go to the layer below, and so
 * apply to all hosts or users.
 */
#pragma once

#include "settings.h"

/**
 * Call it for a change for which the user names no layer. Refuses the change if the highest layer
 * is absent. Also refuses it if the environment (settings->around) names a host, machine, user or
 * fact, and the highest layer's path depends on nothing that the environment names. Returns 0,
 * PROBLEM with the remedy, or -ENOMEM.
 */
int absent_layer_refuse(const struct settings *settings, struct problem *problem);

/**
 * Refuses an environment (settings_environment.h) that names a host, machine or user for which no
 * layer exists. Also refuses one with facts if all layers with a fact in their path are missing.
 * Returns 0; PROBLEM, which suggests the nearest name that has a layer, if there is one; or
 * -ENOMEM.
 */
int absent_layer_find(const struct settings *settings, struct problem *problem);
