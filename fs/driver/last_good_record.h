/* The last good versions that are in memory only (last_good.h), handed to a new daemon. */
#pragma once

#include "last_good.h"
#include "record.h"

/** Writes the versions of last_good_each(). The caller has paused the store: last_good_pause(). */
void last_good_record_put(struct last_good *last_good, struct record *record);

/** Reads the versions into the store. Returns 0, -ENOMEM or -EBADMSG. */
int last_good_record_take(struct last_good *last_good, struct record *record);
