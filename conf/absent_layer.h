/*
 * An absent layer: one that is optional, and whose directory is missing. The layers of a host, of a
 * machine or of a user (%H, %m, %u and %h in their paths) often are, as most have nothing of their
 * own. A change that then goes to the layer below it is a change for all of them.
 */
#pragma once

#include "settings.h"

/**
 * Whether a change whose layer is not named would go astray: the highest layer is absent, or, with
 * the host of another machine in the surroundings, it is not that host's. Returns 0, PROBLEM with
 * the remedy, or -ENOMEM.
 */
int absent_layer_refuse(const struct settings *settings, struct problem *problem);

/**
 * Whether the surroundings name a host, machine or user of which there is no layer at all. Returns
 * 0, PROBLEM with the nearest that has one, or -ENOMEM.
 */
int absent_layer_find(const struct settings *settings, struct problem *problem);
