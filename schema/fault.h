/* The conversion of a run's records (run.h) to faults (schema.h). */
#pragma once

#include "run.h"

/** Makes faults from the run's records, in `arena`. Returns 0 or -ENOMEM. */
int faults_make(const struct schema_run *run, struct arena *arena, struct faults *ret);
