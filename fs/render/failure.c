#include "render_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backoff.h"
#include "cleanup.h"
#include "text.h"

static const struct backoff retry_ms = {RETRY_MS, 60000};

void failure_log_line(const struct render *render, const char *line, const struct problem *problem)
{
	if (render->options.log)
		render->options.log(render->options.context, line, problem);
}

int64_t failure_retry_ms(struct render *render, int result)
{
	/* A shortage of memory ends soon, or the process is killed. */
	return result == -ENOMEM ? RETRY_MS : backoff_pause(&retry_ms, render->retries++);
}

/* Reports the outcome of a failure. For a file that does not merge the view knows the reason. */
static void report_outcome(const struct render *render, const char *path, const struct owned *owned,
	int result, const char *line)
{
	CLEANUP(freep) char *text = NULL;

	if (!render->options.report)
		return;
	if (result == RENDERED_BROKEN && owned && owned->ino &&
		view_attribute(render->view, owned->ino, VIEW_CAUSE, &text) < 0)
		text = NULL;
	render->options.report(render->options.context,
		result == RENDERED_BROKEN ? OUTCOME_BROKEN : OUTCOME_FAILED, path,
		text ? text : line);
}

void failure_note(struct render *render, const char *path, struct owned *owned, int result,
	const struct problem *problem)
{
	char line[PROBLEM_SOURCE_MAX + PROBLEM_MESSAGE_MAX + 32];
	struct problem own;

	/* Nothing can be written there any more. */
	if (render->options.mode == RENDER_WATCH && rendered_is_removed(render->rendered)) {
		render_stop(render);
		return;
	}
	if (result != PROBLEM) {
		problem_set(&own, path, 0, 0, "%s",
			result != RENDERED_BROKEN ? text_error(result)
			: owned && owned->fingerprint.mode
				? "does not merge; the file that was rendered before stays"
				: "does not merge, and never did");
		problem = &own;
	}
	problem_format(problem, line, sizeof(line));
	report_outcome(render, path, owned, result, line);
	failure_log_line(render, line, problem);
	deferred_put_status(render->deferred);
	if (!owned)
		return;
	free(owned->fault);
	owned->fault = result == RENDERED_BROKEN ? NULL : strdup(line);
	owned->failure = result;
}

void failure_retry(struct render *render, const char *path, struct owned *owned, int result,
	const struct problem *problem)
{
	if (result == -ESTALE)
		return;
	render->failed++;
	if (!owned || owned->failure != result || rendered_is_removed(render->rendered))
		failure_note(render, path, owned, result, problem);
	if (owned && owned->ino && result != RENDERED_BROKEN)
		deferred_look(render->deferred, path, failure_retry_ms(render, result));
}

void failure_of_change(struct render *render, const char *path, struct owned *owned, int result,
	const struct problem *problem)
{
	if (!owned || owned->failure != result)
		failure_note(render, path, owned, result, problem);
	if (owned) {
		owned->is_publishing = true;
		deferred_look(render->deferred, path, RETRY_MS);
	}
}

bool failure_is_over(struct render *render, struct owned *owned, int result)
{
	if (result != 0 && result != RENDERED_KEPT)
		return false;
	if (owned->failure) {
		render->retries = 0;
		deferred_put_status(render->deferred);
	}
	owned->failure = 0;
	owned->is_publishing = false;
	free(take_ptr(owned->fault));
	return true;
}
