/* plyfs merge --watch: prints the merge again whenever it changes. */
#pragma once

#include "merge_job.h"

/**
 * Runs the job and prints its result. Runs it again after each change of a file that it reads, and
 * prints the result if it differs. A problem of the merge is reported, and does not end the watch.
 * Ends at SIGINT or SIGTERM, when standard output has no reader any more or can't be written, or
 * when memory or watches are short. With `ends_with_nul`, a NUL byte follows each result. Without
 * it, a separating line stands between two results; but if the output is no terminal, only in YAML
 * and TOML. Returns an exit code.
 */
int merge_watch(struct merge_job *job, bool ends_with_nul);
