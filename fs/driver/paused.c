#include "paused.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "cleanup.h"
#include "pool.h"
#include "unanswered.h"

struct waiting {
	struct view_caller caller; /* first */
	struct pool_job job;       /* for interrupt() */
	struct paused request;
	struct unanswered *unanswered;
	unsigned references; /* the waiting view, paused_run(), and the interrupt */
	bool is_interrupted; /* paused_run() sees it when it begins to wait */
	bool has_interrupt;
};

static void release(struct waiting *waiting)
{
	if (--waiting->references == 0)
		free(waiting);
}

/* A user that has lost the right to the directory since the lookup gets EACCES. */
static void resume(struct view_caller *caller, int result, const struct stat *stat)
{
	struct waiting *waiting = (struct waiting *)caller;
	struct paused *request = &waiting->request;

	(void)stat;
	fuse_req_interrupt_func(request->req, NULL, NULL);
	if (unanswered_is_kept(
		    &request->session->handover, waiting->unanswered, request->req, result)) {
		release(waiting);
		return;
	}
	if (result == 0 && !lets_in(request->session, request->req, caller->parent))
		result = -EACCES;
	if (result < 0)
		fuse_reply_err(request->req, -result);
	else
		request->go_on(request);
	release(waiting);
}

static void give_up(struct waiting *waiting)
{
	struct paused *request = &waiting->request;

	if (view_give_up(request->session->view, request->ino, &waiting->caller))
		resume(&waiting->caller, -EINTR, NULL);
}

static struct waiting *waiting_of(struct pool_job *job)
{
	return (struct waiting *)((char *)job - offsetof(struct waiting, job));
}

static void end_interrupt(struct pool_job *job)
{
	release(waiting_of(job));
}

/* If the request does not wait yet, paused_run() sees the mark. */
static void interrupt(struct pool_job *job)
{
	struct waiting *waiting = waiting_of(job);

	waiting->is_interrupted = true;
	give_up(waiting);
	release(waiting);
}

/* A job answers, as libfuse holds a lock of the request during this call. */
static void on_interrupt(fuse_req_t req, void *context)
{
	struct waiting *waiting = context;

	(void)req;
	if (waiting->has_interrupt)
		return;
	waiting->has_interrupt = true;
	waiting->references++;
	waiting->job = (struct pool_job){.run = interrupt, .drop = end_interrupt};
	view_run(waiting->request.session->view, &waiting->job, 0);
}

void paused_run(struct paused *request)
{
	struct view *view = request->session->view;
	struct waiting *waiting;

	if (!view_is_placeholder(view, request->ino)) {
		request->go_on(request);
		return;
	}
	waiting = calloc(1, sizeof(*waiting));
	if (waiting && !(waiting->unanswered = unanswered_add(&request->session->handover)))
		free(take_ptr(waiting));
	if (!waiting) {
		fuse_reply_err(request->req, ENOMEM);
		return;
	}
	waiting->caller.answer = resume;
	waiting->request = *request;
	waiting->references = 2;
	fuse_req_interrupt_func(request->req, on_interrupt, waiting);
	if (view_await(view, request->ino, &waiting->caller) != VIEW_LATER)
		resume(&waiting->caller, 0, NULL);
	else if (waiting->is_interrupted)
		give_up(waiting);
	release(waiting);
}
