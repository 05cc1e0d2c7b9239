/*
 * What could not be done in a rendered tree: it is logged once, told by the status, and tried
 * again.
 */
#pragma once

#include "manifest.h"
#include "problem.h"

struct render;

void failure_log_line(const struct render *render, const char *line);

/** Logs it, and notes it for the status. `result` is a PROBLEM with *problem, or -errno. */
void failure_note(struct render *render, const char *path, struct owned *owned, int result,
	const struct problem *problem);

/**
 * Says what could not be done, once, and has it done later. What has gone since it was listed
 * (-ESTALE) is not missed: the publisher knows of it.
 */
void failure_retry(struct render *render, const char *path, struct owned *owned, int result,
	const struct problem *problem);

/** After how long: ever longer, as long as nothing comes of it. */
int64_t failure_retry_ms(struct render *render, int result);

/** Whether `result` says that it was done, or was not by somebody's will: then it is none any more.
 */
bool failure_is_over(struct render *render, struct owned *owned, int result);
