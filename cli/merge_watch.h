/* plyfs merge --watch: prints the merge again whenever it changes. */
#pragma once

#include "merge_job.h"

/**
 * Runs the job and prints its result, now and, if the bytes differ, after each change of a file
 * that it reads; until a signal arrives, or standard output has no reader any more. Problems are
 * reported, and it continues. `ends_with_nul`: a NUL byte follows each result; else a separator
 * line stands between two, unless they are JSON. Returns an exit code.
 */
int merge_watch(struct merge_job *job, bool ends_with_nul);
