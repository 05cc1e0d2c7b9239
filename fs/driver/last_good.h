/*
 * The last good versions that only this process keeps (keep.h), handed to an heir.
 */
#pragma once

#include "keep.h"
#include "record.h"

/** While the keep is paused. */
void last_good_put(struct keep *keep, struct record *record);

/** Notes all of them. 0 or -ENOMEM; what is damaged spoils the record. */
int last_good_take(struct keep *keep, struct record *record);
