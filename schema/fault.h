/*
 * Faults: records in words.
 */
#pragma once

#include "run.h"

/** The run's records as faults, in `arena`. Returns 0 or -ENOMEM. */
int faults_make(const struct schema_run *run, struct arena *arena, struct faults *ret);
