/* Failed operations on a rendered tree: each failure is logged once, and is in the status. */
#pragma once

#include "manifest.h"
#include "problem.h"

struct render;

/** Logs a line. `problem` is the problem that the line reports; NULL: it reports none. */
void failure_log_line(const struct render *render, const char *line, const struct problem *problem);

/**
 * Logs a failure, and stores it in `owned` (may be NULL). `result` is PROBLEM, with *problem;
 * RENDERED_BROKEN (rendered.h); or -errno. If a watched tree was removed, only ends the rendering.
 */
void failure_note(struct render *render, const char *path, struct owned *owned, int result,
	const struct problem *problem);

/**
 * Counts a failure. If owned->failure is not `result`, does failure_note(). If `owned` has an inode
 * number, schedules a retry, except after RENDERED_BROKEN. Ignores -ESTALE: the path has gone.
 */
void failure_retry(struct render *render, const char *path, struct owned *owned, int result,
	const struct problem *problem);

/** Notes a failed change. Until the publisher retries the change, nothing else renders the path. */
void failure_of_change(struct render *render, const char *path, struct owned *owned, int result,
	const struct problem *problem);

/**
 * Returns the delay before the next attempt, in ms. All paths share one delay, which grows to 60 s.
 * When a failure of any path is over, it is RETRY_MS again. For -ENOMEM it is always RETRY_MS.
 */
int64_t failure_retry_ms(struct render *render, int result);

/** Returns whether `result` is 0 or RENDERED_KEPT (rendered.h). If so, ends the path's failure. */
bool failure_is_over(struct render *render, struct owned *owned, int result);
