/* The last good versions that a daemon hands to the next daemon, in a record (record.h). */
#pragma once

#include "last_good.h"
#include "record.h"

/** Writes the versions that last_good_each() gives. Call last_good_pause() first. */
void last_good_record_put(struct last_good *last_good, struct record *record);

/** Reads these versions into the new daemon's store. Returns 0, -ENOMEM or -EBADMSG. */
int last_good_record_take(struct last_good *last_good, struct record *record);
