/*
 * plyfs merge --watch: the merge, printed anew whenever it changes.
 */
#pragma once

#include "merge_job.h"

/**
 * Runs the job and prints its result, now and after each change of a file that it was made of, if
 * the bytes differ; until a signal ends it, or nobody reads any more. Problems are complained
 * about, and it goes on. `ends_with_nul`: each result is followed by a NUL byte; else a line stands
 * between two, unless they are JSON. Returns an exit code.
 */
int merge_watch(struct merge_job *job, bool ends_with_nul);
