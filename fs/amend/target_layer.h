/*
 * The target layer: the one that a change goes to. It is found by its name, or is the highest; its
 * store is opened, if it is the copy of one; and it is locked for the time of the change.
 */
#pragma once

#include "layer_store.h"
#include "settings.h"

/**
 * Finds it: `name` NULL: the highest, which must be there (absent_layer.h). One that is named and
 * absent is made when it is written, unless a mirror is to make it. Returns 0 with *ret, PROBLEM or
 * -ENOMEM.
 */
int target_layer_find(const struct settings *settings, const char *name, struct layer **ret,
	struct problem *problem);

/** Opens its store, unless *store is open already; NULL where it has none. As layer_store_open(). */
int target_layer_open_store(const struct layer *layer, const struct store_access *access,
	struct layer_store **store, struct problem *problem);

/** Holds off others who change a file of it, until *ret is closed; -1 for one that is absent. */
int target_layer_lock(const struct layer *layer, int *ret, struct problem *problem);

/**
 * Whether each layer's directory is still where it was found: a mirror, or another process, may
 * have replaced it.
 */
bool target_layer_is_current(const struct settings *settings);

/**
 * Makes the directory of an absent layer, no wider open than the highest layer's that is there.
 * Returns 0 with *ret for layer_free(); -ESTALE when it is there by now; PROBLEM or -ENOMEM.
 */
int target_layer_make(const struct settings *settings, const struct layer *layer,
	struct layer **ret, struct problem *problem);
