/* plyfs merge --watch: prints the merge again whenever it changes. */
#pragma once

#include "merge_job.h"

/**
 * Runs the job and prints its result. Runs it again after each change of a file that it reads, and
 * prints the result if it differs. Reports a problem and continues. Ends at SIGINT or SIGTERM, or
 * when standard output has no reader any more. With `ends_with_nul`, a NUL byte follows each
 * result. Otherwise a line separates two results: always on a terminal, elsewhere only in YAML and
 * TOML. Returns an exit code.
 */
int merge_watch(struct merge_job *job, bool ends_with_nul);
