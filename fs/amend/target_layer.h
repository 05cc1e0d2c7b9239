/*
 * The target layer: the layer that an edit changes. If a mirror fills the layer, the edit opens the
 * layer's store. Otherwise the edit locks the layer.
 */
#pragma once

#include "layer_file.h"
#include "layer_store.h"
#include "settings.h"

/**
 * Finds the layer `name`. It may be absent, as the edit can make its directory. NULL: finds the
 * highest layer; PROBLEM if absent_layer_refuse() refuses that layer. Returns 0 with *ret, which
 * belongs to the settings; PROBLEM, also for an absent layer that comes out of a store; or -ENOMEM.
 */
int target_layer_find(const struct settings *settings, const char *name, struct layer **ret,
	struct problem *problem);

/** If *store is NULL, and the layer has a store, opens the store. Returns 0, PROBLEM or -errno. */
int target_layer_open_store(const struct layer *layer, const struct store_access *access,
	struct layer_store **store, struct problem *problem);

/**
 * Locks the layer against edits by other processes, until the descriptor *ret is closed. If the
 * layer is absent, *ret stays unchanged. Returns 0 or PROBLEM.
 */
int target_layer_lock(const struct layer *layer, int *ret, struct problem *problem);

/** Returns whether layer_is_current() is true for each layer that is not absent. */
bool target_layer_is_current(const struct settings *settings);

/**
 * Writes the file, called `name` in messages. If its layer is absent, first makes the layer's
 * directory, with a mode no wider than the highest existing layer's. Returns 0; LAYER_FILE_MOVED;
 * -ESTALE if another process has made the layer's directory meanwhile; PROBLEM; or -ENOMEM.
 */
int target_layer_write(const struct settings *settings, struct layer_file file, const char *name,
	struct problem *problem);
