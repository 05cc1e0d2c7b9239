#include "unanswered.h"

#include <errno.h>
#include <linux/fuse.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "pool.h"
#include "request_loop.h"

/* Until the answer, microseconds between two checks whether a later signal kills the program. */
#define SIGNAL_US 100000u

static struct unanswered *add(struct session_handover *handover, struct span bytes)
{
	struct unanswered *request = malloc(sizeof(*request) + bytes.len);

	if (!request)
		return NULL;
	*request = (struct unanswered){0};
	memcpy(request->data, bytes.data, bytes.len);
	request->bytes = (struct span){request->data, bytes.len};
	request->next = handover->unanswered;
	request->place = &handover->unanswered;
	if (request->next)
		request->next->place = &request->next;
	handover->unanswered = request;
	return request;
}

struct unanswered *unanswered_add(fuse_req_t req, fuse_ino_t ino)
{
	struct session *session = fuse_req_userdata(req);
	struct unanswered *request = add(&session->handover, request_loop_current());

	if (!request) {
		fuse_reply_err(req, ENOMEM);
		return NULL;
	}
	request->session = session;
	request->req = req;
	request->ino = ino;
	return request;
}

struct unanswered *unanswered_of(struct view_caller *caller)
{
	return (struct unanswered *)((char *)caller - offsetof(struct unanswered, caller));
}

static void take_out(struct unanswered *request)
{
	*request->place = request->next;
	if (request->next)
		request->next->place = request->place;
}

void unanswered_end(struct unanswered *request)
{
	take_out(request);
	free(request);
}

bool unanswered_is_kept(struct unanswered *request, int result)
{
	if (result != -ENOTCONN || !session_handover_is_at_rest(&request->session->handover)) {
		unanswered_end(request);
		return false;
	}
	fuse_reply_none(take_ptr(request->req));
	return true;
}

void unanswered_drop(struct pool_job *job)
{
	struct unanswered *request = (struct unanswered *)job;
	fuse_req_t req = request->req;

	if (!unanswered_is_kept(request, -ENOTCONN))
		fuse_reply_err(req, ENOTCONN);
}

const char *unanswered_name(const struct unanswered *request)
{
	return request->data + sizeof(struct fuse_in_header);
}

void unanswered_run(struct unanswered *request, void (*run)(struct pool_job *job), uint64_t bytes)
{
	request->job = (struct pool_job){.run = run, .drop = unanswered_drop};
	view_run(request->session->view, &request->job, bytes);
}

void unanswered_put(const struct session_handover *handover, struct record *record)
{
	uint64_t count = 0;

	size_t place = record_put_count(record);
	for (const struct unanswered *request = handover->unanswered; request;
		request = request->next) {
		record_put_bytes(record, request->bytes.data, request->bytes.len);
		count++;
	}
	record_set_count(record, place, count);
}

static struct unanswered *take_given_up(struct session_handover *handover)
{
	struct unanswered *request = handover->unanswered;
	while (request && request->req)
		request = request->next;
	if (request)
		take_out(request);
	return request;
}

/* The kernel does not report again a signal that it has reported before. */
static bool asks_again;

void unanswered_ask_again(struct session_handover *handover, struct fuse_session *fuse)
{
	struct unanswered *request;

	asks_again = true;
	while ((request = take_given_up(handover))) {
		request_loop_ask(fuse, request->bytes);
		free(request);
	}
	asks_again = false;
}

int unanswered_take(struct session_handover *handover, struct record *record)
{
	size_t count = record_get_count(record, sizeof(uint64_t));

	for (size_t i = 0; i < count && !record_error(record); i++)
		if (!add(handover, record_get_bytes(record)))
			return -ENOMEM;
	return 0;
}

void unanswered_free(struct session_handover *handover)
{
	while (handover->unanswered) {
		struct unanswered *request = handover->unanswered;

		handover->unanswered = request->next;
		free(request);
	}
}

/* A request that waits for a placeholder's file. */
struct waiting {
	struct view_caller caller; /* first */
	struct pool_job job;       /* for heed_signal() */
	fuse_req_t req;
	fuse_ino_t ino;
	struct session *session;
	struct unanswered *unanswered;
	unsigned references; /* the waiting view, and the job */
	unsigned signals;    /* that the kernel has reported */
};

static void release(struct waiting *waiting)
{
	if (--waiting->references == 0)
		free(waiting);
}

/* Handles the request as a new one. Frees the copy, and makes libfuse forget the request. */
static void handle(struct unanswered *request)
{
	take_out(request);
	fuse_reply_none(request->req);
	request_loop_ask(request->session->connection.fuse, request->bytes);
	free(request);
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
		handle(waiting->unanswered);
	else if (!unanswered_is_kept(waiting->unanswered, result))
		fuse_reply_err(req, -result);
	release(waiting);
}

static struct waiting *waiting_of(struct pool_job *job)
{
	return (struct waiting *)((char *)job - offsetof(struct waiting, job));
}

/* Ends the wait, unless it has ended. */
static void give_up(struct waiting *waiting, int result)
{
	if (waiting->references > 1 &&
		view_give_up(waiting->session->view, waiting->ino, &waiting->caller))
		resume(&waiting->caller, result, NULL);
	release(waiting);
}

/* The view ends or pauses. */
static void drop_job(struct pool_job *job)
{
	give_up(waiting_of(job), -ENOTCONN);
}

/* Returns whether a signal ends the program; if we can't see the program, any signal does. */
static bool is_dying(const struct waiting *waiting)
{
	unsigned long long pending;

	if (!status_bits(fuse_req_ctx(waiting->req)->pid, "SigPnd", &pending))
		return waiting->signals > 0;
	return pending >> (SIGKILL - 1) & 1;
}

static void heed_signal(struct pool_job *job)
{
	struct waiting *waiting = waiting_of(job);

	/* The kernel reports only the first signal. */
	if (waiting->references > 1 && !is_dying(waiting))
		view_run_later(waiting->session->view, job, SIGNAL_US);
	else
		give_up(waiting, -EINTR);
}

/* A job answers, as libfuse may hold a lock of the request during this call. */
static void heed_signals(struct waiting *waiting)
{
	if (waiting->job.run)
		return;
	waiting->references++;
	waiting->job = (struct pool_job){.run = heed_signal, .drop = drop_job};
	view_run(waiting->session->view, &waiting->job, 0);
}

static void on_interrupt(fuse_req_t req, void *context)
{
	struct waiting *waiting = context;

	(void)req;
	waiting->signals++;
	heed_signals(waiting);
}

bool unanswered_waits(fuse_req_t req, fuse_ino_t ino)
{
	struct session *session = fuse_req_userdata(req);

	if (!view_is_placeholder(session->view, ino))
		return false;
	struct unanswered *unanswered = unanswered_add(req, ino);
	if (!unanswered)
		return true;
	struct waiting *waiting = malloc(sizeof(*waiting));
	if (!waiting) {
		unanswered_end(unanswered);
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
		if (asks_again)
			heed_signals(waiting);
		fuse_req_interrupt_func(req, on_interrupt, waiting);
		return true;
	}
	unanswered_end(unanswered);
	free(waiting);
	return false;
}
