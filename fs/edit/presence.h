/*
 * Presence: whether a layer has or hides a path. A reset removes the layer's files at the path, so
 * that lower layers show again. Hiding adds a whiteout, so that nothing shows at the path.
 *
 * During the change the layer is locked (layer_edit.h). If a mirror fills the layer, the store is
 * changed instead, without a lock. Only the members `path`, `layer`, `mode` and `access` of a
 * layer_edit_request are used.
 */
#pragma once

#include "layer_edit.h"

/* Reports one change, without `before` and `after`. A result other than 0 stops the function. */
typedef int presence_report(void *context, const struct layer_edit *change);

/**
 * Removes the layer's part of the path: the file or link, its drop-ins, and its whiteout; for a
 * directory, the mark that makes it opaque. Calls `report` for each of these. Returns 0; -ENOENT if
 * no layer has the path; PROBLEM; the first non-zero result of `report`; or another -errno.
 * -ESTALE: the caller must open the layers again, and repeat the call.
 */
int presence_reset(const struct offline *offline, const struct layer_edit_request *request,
	presence_report *report, void *context, struct problem *problem);

/**
 * Adds the layer's whiteout of the path, and calls `report`. If the layer has that whiteout
 * already, does nothing. Returns as presence_reset().
 */
int presence_hide(const struct offline *offline, const struct layer_edit_request *request,
	presence_report *report, void *context, struct problem *problem);
