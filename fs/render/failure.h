/* Failed operations on a rendered tree: each is logged once, shown in the status, and retried. */
#pragma once

#include "manifest.h"
#include "problem.h"

struct render;

/** Logs a line. `problem` is the same in its parts; NULL: it has none. */
void failure_log_line(const struct render *render, const char *line, const struct problem *problem);

/** Logs a failure, and stores it for the status. `result` is PROBLEM, with *problem, or -errno. */
void failure_note(struct render *render, const char *path, struct owned *owned, int result,
	const struct problem *problem);

/**
 * Logs a failure once, and retries it later. A path that has gone since it was listed (-ESTALE) is
 * no failure: the publisher knows of it.
 */
void failure_retry(struct render *render, const char *path, struct owned *owned, int result,
	const struct problem *problem);

/**
 * Notes that a change failed, which the publisher retries. Until then the view has the version
 * before it, and the name may have the new one: so the agenda examines the name only when nothing
 * is left to publish (populate_again()).
 */
void failure_of_change(struct render *render, const char *path, struct owned *owned, int result,
	const struct problem *problem);

/** Returns the delay before the next attempt. It grows until an attempt succeeds. */
int64_t failure_retry_ms(struct render *render, int result);

/**
 * Returns whether `result` is a success, or a change of another program that is kept on purpose.
 * Then the failure is over.
 */
bool failure_is_over(struct render *render, struct owned *owned, int result);
