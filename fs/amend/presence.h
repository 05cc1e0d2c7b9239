/*
 * Presence: whether a layer has a say about a path. What it has there is taken away, so that what
 * lies below shows again, or a whiteout is put there, so that nothing shows.
 *
 * Sources are not read, so one that is broken can be taken away, too. As for an amendment, the layer
 * is locked meanwhile, and one that is a copy of a store is changed there.
 */
#pragma once

#include "amendment.h"

/* Of a request only `path`, `layer`, `is_dry` and `access` are looked at; of a change there are no
 * `before` and `after`. */
typedef int presence_report(void *context, const struct amendment *change);

/**
 * Removes what the layer has of the path: the file or link, its drop-ins, and the whiteout of it; of a
 * directory the mark that makes it opaque. Calls `report` for each. Returns 0; -ENOENT when no layer
 * has such a path; PROBLEM; -ESTALE as amendment_make(); what `report` returned; or -errno.
 */
int presence_reset(const struct offline *offline, const struct amendment_request *request,
	presence_report *report, void *context, struct problem *problem);

/** Puts a whiteout there. Calls `report` unless there is one already. Results as above. */
int presence_hide(const struct offline *offline, const struct amendment_request *request,
	presence_report *report, void *context, struct problem *problem);
