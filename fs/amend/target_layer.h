/*
 * The target layer: the layer that an edit changes. If a mirror fills it, its store is opened;
 * otherwise the layer is locked during the edit.
 */
#pragma once

#include "layer_file.h"
#include "layer_store.h"
#include "settings.h"

/**
 * Finds the layer `name`; NULL: the highest layer, which must not be absent (absent_layer.h). A
 * named layer may be absent, as the edit can make its directory. Returns 0 with *ret, which belongs
 * to the settings; PROBLEM, also for an absent layer that comes out of a store; or -ENOMEM.
 */
int target_layer_find(const struct settings *settings, const char *name, struct layer **ret,
	struct problem *problem);

/**
 * Opens the layer's store, unless *store is open already. If the layer has no store, *store stays
 * NULL. Returns as layer_store_open().
 */
int target_layer_open_store(const struct layer *layer, const struct store_access *access,
	struct layer_store **store, struct problem *problem);

/**
 * Locks the layer against edits by other processes, until the descriptor *ret is closed. *ret stays
 * unchanged for an absent layer. Returns 0 or PROBLEM.
 */
int target_layer_lock(const struct layer *layer, int *ret, struct problem *problem);

/**
 * Returns whether each open layer is still the directory at the layer's path. A mirror, or another
 * process, may have put another directory there.
 */
bool target_layer_is_current(const struct settings *settings);

/**
 * Writes the file. If its layer is absent, first makes the layer's directory, with a mode no wider
 * than the highest existing layer's. Messages call the file `name`. Returns 0; LAYER_FILE_MOVED;
 * -ESTALE if another process has made the layer's directory meanwhile; PROBLEM; or -ENOMEM.
 */
int target_layer_write(const struct settings *settings, struct layer_file file, const char *name,
	struct problem *problem);
