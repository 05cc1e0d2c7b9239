/* Failed operations on a rendered tree: each is logged once, shown in the status, and retried. */
#pragma once

#include "manifest.h"
#include "problem.h"

struct render;

/** Logs a line. `problem` is the problem that the line reports; NULL: none. */
void failure_log_line(const struct render *render, const char *line, const struct problem *problem);

/**
 * Logs and stores a failure. `result` is PROBLEM, with *problem; RENDERED_BROKEN (rendered.h); or
 * -errno.
 */
void failure_note(struct render *render, const char *path, struct owned *owned, int result,
	const struct problem *problem);

/**
 * Logs a failure once. Schedules a retry, but not after RENDERED_BROKEN. -ESTALE is no failure: the
 * path has gone since it was listed, and the publisher will remove it.
 */
void failure_retry(struct render *render, const char *path, struct owned *owned, int result,
	const struct problem *problem);

/**
 * Notes that a change failed. The publisher retries the change. Until the retry, nothing else
 * renders the path, as the new file may already be there.
 */
void failure_of_change(struct render *render, const char *path, struct owned *owned, int result,
	const struct problem *problem);

/**
 * Returns the delay before the next attempt, in ms. Each delay is longer than the last, up to 60 s,
 * until a failure is over. But for -ENOMEM the delay is always the shortest.
 */
int64_t failure_retry_ms(struct render *render, int result);

/** Returns whether `result` is 0 or RENDERED_KEPT (rendered.h). If so, ends the failure. */
bool failure_is_over(struct render *render, struct owned *owned, int result);
