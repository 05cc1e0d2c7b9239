/* plyfs merge --watch: prints the merge again whenever it changes. */
#pragma once

#include "merge_job.h"

/**
 * Runs the job and prints its result. Runs the job again after each change of a file that the job
 * reads, and prints the result if it differs. If the merge fails, reports that and goes on. Ends at
 * SIGINT or SIGTERM. Also ends if standard output has no reader or can't be written, or if no watch
 * can be made. With `ends_with_nul`, a NUL byte follows each result. Returns an exit code.
 */
int merge_watch(struct merge_job *job, bool ends_with_nul);
