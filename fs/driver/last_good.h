/*
 * The last good versions that only this process keeps (keep.h), handed to an heir.
 */
#pragma once

#include "keep.h"
#include "record.h"

/** Writes them, while the store is paused. */
void last_good_put(struct keep *keep, struct record *record);

/** Reads and notes them. Returns 0 or -ENOMEM; damage spoils the record. */
int last_good_take(struct keep *keep, struct record *record);
