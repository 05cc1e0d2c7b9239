/*
 * The state of a rendering, which these source files share:
 *
 *      populate.c        lists a directory, looks its names up, and writes them
 *      shown_directory.c the rendered directories that the view shows, and events in them
 *      failure.c         failures and retries
 *      render_status.c   the status
 *      render.c          the publisher's operations; deferred work; begins and ends a rendering
 */
#pragma once

#include "coroutine.h"
#include "deferred.h"
#include "inotify.h"
#include "render.h"

struct render {
	struct rendered *rendered;
	struct manifest *manifest; /* of `rendered` */
	struct runner *runner;     /* NULL: there is no plyfs.yaml */
	struct view *view;
	struct publisher *publisher;
	struct deferred *deferred;
	struct rendered_options options;
	struct sandbox_state sandbox;  /* in force in each worker */
	int helpers_fd;                /* from helper_watch() (helper.h); -1: none */
	int commit_failure;            /* result of the last attempt at a generation; 0: success */
	struct problem commit_problem; /* set if `commit_failure` is not 0 */
	unsigned failed;               /* number of failures since render_all() began */
	unsigned retries;              /* of any paths, since a failure was over */

	struct inotify *inotify;    /* NULL: other programs' changes are not watched */
	struct subscription beside; /* to the directory that contains the generations */

	struct coroutine_queue answered; /* the coroutine that populates waits here for a lookup */
	const struct populate_lookup *awaited; /* the lookup that it waits for; NULL: none */

	void *directories;   /* a tsearch(3) tree of struct shown_directory, by inode number */
	size_t incomplete;   /* number of SHOWN_UNKNOWN directories (shown_directory.h) */
	bool is_removal_due; /* populate_remove_unseen() must be called again */
};

/* The remedy if a helper (helper.h) has ended. */
#define RENEWAL "start plyfs again"

/* The shortest delay, in ms, before a retry of a failure (failure_retry_ms()). */
#define RETRY_MS 500

/* A generation is made when nothing has changed for this time. */
#define GENERATION_QUIET_MS 20

/**
 * Writes the status: DIRECTORY/.plyfs/status, in the same JSON as a mount's. A failure is ignored.
 */
void render_status_write(const struct render *render);

/* Failed operations: each failure is logged once, and is in the status. */

/** Logs a line. `problem` is the problem that the line reports; NULL: it reports none. */
void failure_log_line(const struct render *render, const char *line, const struct problem *problem);

/**
 * Logs a failure, and stores it in `owned` (may be NULL). `result` is PROBLEM, with *problem;
 * RENDERED_BROKEN (rendered.h); or -errno. But if options.mode is RENDER_WATCH, and the rendered
 * directory was removed, does nothing of this, and ends the rendering.
 */
void failure_note(struct render *render, const char *path, struct owned *owned, int result,
	const struct problem *problem);

/**
 * Counts a failure. If the failure is new (`owned` is NULL, or owned->failure is not `result`), or
 * the rendered directory was removed, does failure_note(). If `owned` has an inode number,
 * schedules a retry, except after RENDERED_BROKEN. Ignores -ESTALE: the path has gone.
 */
void failure_retry(struct render *render, const char *path, struct owned *owned, int result,
	const struct problem *problem);

/** Notes a failed change. Until the publisher retries the change, nothing else renders the path. */
void failure_of_change(struct render *render, const char *path, struct owned *owned, int result,
	const struct problem *problem);

/**
 * Returns the delay before the next attempt, in ms. All paths share one delay, which begins with
 * RETRY_MS. Each call doubles the delay for the next call, up to 60 s. When a failure of any path
 * is over, the delay is RETRY_MS again. For -ENOMEM, returns RETRY_MS, and doubles nothing.
 */
int64_t failure_retry_ms(struct render *render, int result);

/** Returns whether `result` is 0 or RENDERED_KEPT (rendered.h). If so, ends the path's failure. */
bool failure_is_over(struct render *render, struct owned *owned, int result);
