/* Failed operations on a rendered tree: each is logged once, shown in the status, and retried. */
#pragma once

#include "manifest.h"
#include "problem.h"

struct render;

/** Logs a line. `problem` is the problem that the line reports; NULL: none. */
void failure_log_line(const struct render *render, const char *line, const struct problem *problem);

/**
 * Logs a failure, and stores it in `owned` if that is not NULL. `result` is PROBLEM, with *problem;
 * RENDERED_BROKEN (rendered.h); or -errno.
 */
void failure_note(struct render *render, const char *path, struct owned *owned, int result,
	const struct problem *problem);

/**
 * Logs a failure once. If `owned` has an inode number, schedules a retry, except after
 * RENDERED_BROKEN. Does nothing for -ESTALE: the path has gone since it was listed.
 */
void failure_retry(struct render *render, const char *path, struct owned *owned, int result,
	const struct problem *problem);

/** Notes that a change failed. Until the publisher retries it, nothing else renders the path. */
void failure_of_change(struct render *render, const char *path, struct owned *owned, int result,
	const struct problem *problem);

/**
 * Returns the delay before the next attempt, in ms. The delays grow up to 60 s. When a failure of
 * any path is over, they begin anew. For -ENOMEM the delay is always the shortest.
 */
int64_t failure_retry_ms(struct render *render, int result);

/** Returns whether `result` is 0 or RENDERED_KEPT (rendered.h). If so, ends the failure. */
bool failure_is_over(struct render *render, struct owned *owned, int result);
