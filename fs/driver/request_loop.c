#include "request_loop.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "await.h"
#include "cleanup.h"
#include "coroutine.h"
#include "descriptor.h"

/* Coroutines that read requests. A request that has to wait, such as READ of a large file, holds
 * up only its own reader. */
#define READERS 4

/* Requests that a reader answers before other coroutines run. */
#define REQUESTS_MAX 64

/* Microseconds for which a reader without memory waits. */
#define BUFFER_PAUSE_US 1000

/* INIT, as words of 32 bits. Not every linux/fuse.h has the upper half of the flags. */
enum {
	ASKED_CODE = 1, /* in the header: which request */
	ASKED_FLAGS = 13,
	ASKED_FLAGS2 = 14,
	ASKED_WORDS = 26,
	SAID_ERROR = 1,
	SAID_UNIQUE = 2, /* two words; 0: no answer, but a notification */
	SAID_FLAGS = 7,
	SAID_FLAGS2 = 12,
	SAID_WORDS = 20,
};
#define CODE_INIT 26
#define PARALLEL_DIROPS (1u << 18)
#define INIT_EXT (1u << 30)         /* there are flags2 */
#define NO_EXPORT_SUPPORT (1u << 6) /* bit 38 */

/* Flags for the answer to INIT that libfuse does not set. */
struct more_flags {
	uint32_t flags;
	uint32_t flags2;
};

/* The request that libfuse is parsing. */
static struct span current;

/* A buffer for the next reader; .mem NULL: that reader allocates one. */
static struct fuse_buf spare;

struct request_loop {
	struct fuse_session *fuse;
	const struct request_loop_hook *hook;
	struct coroutine_queue readers; /* wait for a request */
	struct coroutine_queue main;    /* waits for the end */
	int error;                      /* 0, or -errno */
	bool rests;                     /* no further request is read */
	unsigned serving;               /* readers that read, or handle a request */
	unsigned count;
	struct coroutine *coroutines[READERS];
};

/* Leaves the buffer to the next reader. */
static void leave_to_next(const struct fuse_buf *buffer)
{
	if (spare.mem)
		free(buffer->mem);
	else
		spare = *buffer;
}

struct span request_loop_current(void)
{
	return current;
}

static void process(struct fuse_session *fuse, const struct fuse_buf *buffer)
{
	const struct span outer = current; /* whose handler calls request_loop_ask() */

	current = (struct span){buffer->mem, buffer->size};
	fuse_session_process_buf(fuse, buffer);
	current = outer;
}

void request_loop_ask(struct fuse_session *fuse, struct span request)
{
	process(fuse,
		&(struct fuse_buf){.mem = (char *)(uintptr_t)request.data, .size = request.len});
}

/* Returns whether the loop must end: the session has ended, or rests. */
static bool is_over(const struct request_loop *loop)
{
	return fuse_session_exited(loop->fuse) || loop->rests;
}

/* Answers one request. Returns whether to read another one. */
static bool serve_one(struct request_loop *loop, struct fuse_buf *buffer)
{
	int r = fuse_session_receive_buf(loop->fuse, buffer);

	if (r == -EINTR || r == -EAGAIN)
		return false;
	/* Memory is short, but another reader has a buffer. */
	if (r < 0 && !buffer->mem && loop->serving > 1) {
		await_pause_us(BUFFER_PAUSE_US);
		return false;
	}
	if (r < 0)
		loop->error = r;
	if (r <= 0) {
		fuse_session_exit(loop->fuse);
		return false;
	}
	process(loop->fuse, buffer);
	return true;
}

static void serve(struct request_loop *loop)
{
	struct fuse_buf buffer = spare;

	spare = (struct fuse_buf){0};
	loop->serving++;
	bool is_quiet = !coroutine_is_awaited();
	/* If a request has begun a job, the job comes first; then all descriptors are polled. */
	for (unsigned i = 0; i < REQUESTS_MAX && !is_over(loop) && serve_one(loop, &buffer); i++)
		if (is_quiet && coroutine_is_awaited())
			break;
	loop->serving--;
	leave_to_next(&buffer);
}

/*
 * Returns the flags that the kernel offers, and that libfuse leaves out of its answer:
 *
 * - PARALLEL_DIROPS: without it the kernel sends one LOOKUP or READDIR of a directory at a time, so
 *   a slow first look delays all others in that directory. libfuse 3.14 loses the flag (its issue
 *   861).
 * - NO_EXPORT_SUPPORT, from Linux 6.10 on: the kernel refuses file handles (name_to_handle_at(2),
 *   NFS) at once. Without it they work until the kernel forgets the file. libfuse has the flag from
 *   3.17 on.
 */
static struct more_flags offered_flags(const struct fuse_buf *request)
{
	const uint32_t *asked = request->mem;
	size_t words = request->size / sizeof(*asked);
	struct more_flags more = {0};

	if (words <= ASKED_FLAGS || asked[ASKED_CODE] != CODE_INIT)
		return more;
	more.flags = asked[ASKED_FLAGS] & PARALLEL_DIROPS;
	if (words >= ASKED_WORDS && asked[ASKED_FLAGS] & INIT_EXT)
		more.flags2 = asked[ASKED_FLAGS2] & NO_EXPORT_SUPPORT;
	if (more.flags2)
		more.flags |= INIT_EXT;
	return more;
}

/* Copies libfuse's answers, with `more` added to that to INIT. Returns whether that was one. */
static bool pass_answers(int from, int kernel, struct more_flags more)
{
	uint32_t said[PIPE_BUF / sizeof(uint32_t)];
	bool is_added = false;
	ssize_t n;

	while ((n = read(from, said, sizeof(said))) > 0) {
		bool is_answer = said[SAID_UNIQUE] || said[SAID_UNIQUE + 1];

		if (is_answer && !said[SAID_ERROR] && n == SAID_WORDS * sizeof(*said)) {
			said[SAID_FLAGS] |= more.flags;
			said[SAID_FLAGS2] |= more.flags2;
			is_added = true;
		}
		/* If the mount has ended, the next read reports it. */
		n = write(kernel, said, (size_t)n);
	}
	return is_added;
}

/* Lets libfuse answer INIT into a pipe. O_DIRECT: the pipe keeps separate writes apart. */
static int answer_with(struct fuse_session *fuse, const struct fuse_buf *request,
	struct more_flags more, bool *ret)
{
	int fd = fuse_session_fd(fuse), ends[2];
	CLEANUP(closep) int kernel = fcntl(fd, F_DUPFD_CLOEXEC, 0);

	if (kernel < 0 || pipe2(ends, O_CLOEXEC | O_NONBLOCK | O_DIRECT) < 0)
		return -errno;
	CLEANUP(closep) int from = ends[0];
	CLEANUP(closep) int to = ends[1];
	if (dup3(to, fd, O_CLOEXEC) < 0)
		return -errno;
	process(fuse, request);
	if (dup3(kernel, fd, O_CLOEXEC) < 0)
		return -errno;
	*ret = pass_answers(from, kernel, more);
	return 0;
}

/* libfuse assumes that no other request is read meanwhile. */
int request_loop_greet(struct fuse_session *fuse, struct span *ret, unsigned *in_force)
{
	struct fuse_buf buffer = {0};
	bool is_added = false;
	int r;

	do
		r = fuse_session_receive_buf(fuse, &buffer);
	while (r == -EINTR || r == -EAGAIN);
	if (r <= 0) {
		fuse_session_exit(fuse);
		free(buffer.mem);
		return r;
	}
	char *copy = malloc(buffer.size);
	if (copy)
		memcpy(copy, buffer.mem, buffer.size);
	const struct more_flags more = offered_flags(&buffer);
	if (more.flags)
		r = answer_with(fuse, &buffer, more, &is_added);
	else
		process(fuse, &buffer);
	if (is_added && more.flags & PARALLEL_DIROPS)
		*in_force |= FUSE_CAP_PARALLEL_DIROPS;
	leave_to_next(&buffer);
	*ret = (struct span){copy, copy ? buffer.size : 0};
	return r < 0 ? r : 0;
}

/* A reader: reads requests, and answers them or leaves the answer to a job. */
static void run(void *context)
{
	struct request_loop *loop = context;
	struct pollfd polled = {.fd = fuse_session_fd(loop->fuse), .events = POLLIN};

	while (!is_over(loop)) {
		coroutine_poll(&polled, 1, NULL, &loop->readers);
		if (polled.revents && !is_over(loop))
			serve(loop);
	}
	coroutine_wake(&loop->main);
}

/* Starts the readers. If memory is short, one is enough. */
static int start_readers(struct request_loop *loop)
{
	int r = 0;

	while (r == 0 && loop->count < READERS) {
		r = coroutine_new(run, loop, &loop->coroutines[loop->count]);
		loop->count += r == 0;
	}
	return loop->count ? 0 : r;
}

/* Waits for signals and for the hook's descriptors, until the loop is over. */
static void wait_for_end(struct request_loop *loop)
{
	const struct request_loop_hook *hook = loop->hook;
	struct pollfd polled[] = {{.fd = hook->fd, .events = POLLIN},
		{.fd = hook->helpers_fd, .events = POLLIN},
		{.fd = hook->last_good_fd, .events = POLLIN}};

	while (!is_over(loop)) {
		if (coroutine_poll(polled, 3, NULL, &loop->main) <= 0)
			continue;
		if (polled[0].revents)
			loop->rests = hook->handle(hook->context);
		if (polled[1].revents)
			hook->take_helpers(hook->context);
		if (polled[2].revents)
			polled[2].fd = hook->take_last_good(hook->context);
	}
}

int request_loop_run(struct fuse_session *fuse, const struct request_loop_hook *hook)
{
	struct request_loop loop = {.fuse = fuse, .hook = hook};
	int fd = fuse_session_fd(fuse);
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0)
		return -errno;
	int r = start_readers(&loop);
	if (r == 0 && hook->begun && !fuse_session_exited(fuse))
		hook->begun(hook->begun_context);
	if (r == 0)
		wait_for_end(&loop);
	loop.rests = true;
	coroutine_wake_all(&loop.readers);
	while (loop.count)
		coroutine_join(loop.coroutines[--loop.count]);
	/* A daemon of an earlier version, which may take the mount over, waits in read(2). */
	(void)fcntl(fd, F_SETFL, flags);
	return r < 0 ? r : loop.error;
}
