/* The last good versions that are in memory only (keep.h), handed to a new daemon. */
#pragma once

#include "keep.h"
#include "record.h"

/** Writes the versions of keep_each(). The caller has paused the store: keep_pause(). */
void last_good_put(struct keep *keep, struct record *record);

/** Reads the versions into the store. Returns 0, -ENOMEM or -EBADMSG. */
int last_good_take(struct keep *keep, struct record *record);
