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
	fuse_req_t req;
	fuse_ino_t ino;
	struct session *session;
	struct unanswered *unanswered;
	unsigned references; /* the waiting view, and the interrupt */
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
	struct session *session = waiting->session;
	fuse_req_t req = waiting->req;

	(void)stat;
	fuse_req_interrupt_func(req, NULL, NULL);
	if (result == 0 && !lets_in(session, req, caller->parent))
		result = -EACCES;
	if (result == 0)
		unanswered_handle(waiting->unanswered, req);
	else if (!unanswered_is_kept(&session->handover, waiting->unanswered, req, result))
		fuse_reply_err(req, -result);
	release(waiting);
}

static struct waiting *waiting_of(struct pool_job *job)
{
	return (struct waiting *)((char *)job - offsetof(struct waiting, job));
}

static void end_interrupt(struct pool_job *job)
{
	release(waiting_of(job));
}

static void interrupt(struct pool_job *job)
{
	struct waiting *waiting = waiting_of(job);

	if (view_give_up(waiting->session->view, waiting->ino, &waiting->caller))
		resume(&waiting->caller, -EINTR, NULL);
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
	view_run(waiting->session->view, &waiting->job, 0);
}

bool paused_waits(fuse_req_t req, fuse_ino_t ino)
{
	struct session *session = fuse_req_userdata(req);

	if (!view_is_placeholder(session->view, ino))
		return false;
	struct waiting *waiting = malloc(sizeof(*waiting));
	struct unanswered *unanswered = waiting ? unanswered_add(&session->handover) : NULL;
	if (!unanswered) {
		free(waiting);
		fuse_reply_err(req, ENOMEM);
		return true;
	}
	*waiting = (struct waiting){.caller.answer = resume,
		.req = req,
		.ino = ino,
		.session = session,
		.unanswered = unanswered,
		.references = 1};
	if (view_await(session->view, ino, &waiting->caller) == VIEW_LATER) {
		fuse_req_interrupt_func(req, on_interrupt, waiting);
		return true;
	}
	unanswered_end(unanswered);
	free(waiting);
	return false;
}
