/* Failed operations on a rendered tree: each is logged once, shown in the status, and retried. */
#pragma once

#include "manifest.h"
#include "problem.h"

struct render;

/** Logs a line. `problem`: the problem that the line reports; NULL: none. */
void failure_log_line(const struct render *render, const char *line, const struct problem *problem);

/** Logs a failure, and stores it for the status. `result` is PROBLEM, with *problem, or -errno. */
void failure_note(struct render *render, const char *path, struct owned *owned, int result,
	const struct problem *problem);

/**
 * Logs a failure once, and retries it later, unless the version is broken. A path that has gone
 * since it was listed (-ESTALE) is no failure: the publisher knows of it.
 */
void failure_retry(struct render *render, const char *path, struct owned *owned, int result,
	const struct problem *problem);

/**
 * Notes that a change failed; the publisher retries it. Until the retry the view shows the version
 * before the change, but the new file may already be at the name. So the agenda examines the name
 * only when nothing is left to publish (populate_again()).
 */
void failure_of_change(struct render *render, const char *path, struct owned *owned, int result,
	const struct problem *problem);

/**
 * Returns the ms before the next attempt. They grow until a success, unless `result` is -ENOMEM.
 */
int64_t failure_retry_ms(struct render *render, int result);

/**
 * Ends the failure, and returns true, if `result` is a success or another program's change is kept
 * on purpose.
 */
bool failure_is_over(struct render *render, struct owned *owned, int result);
