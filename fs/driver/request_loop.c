#include "request_loop.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "cleanup.h"
#include "descriptor.h"

#define THREADS_MAX 16

/* Ends a thread's read(2), and does nothing else; SIGUSR1 and SIGUSR2 are for others (handover.h).
 */
#define WAKE_SIGNAL SIGURG

/* A thread that was just about to read when it was woken sleeps on: it is woken again. */
#define WAKE_AGAIN_NS 1000000

/*
 * INIT as the kernel's protocol has it, in words of 32 bits (linux/fuse.h, which not every libc has
 * with the upper half of the flags).
 */
enum {
	ASKED_CODE = 1, /* of the header: which request */
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

/* Flags for the answer to INIT that libfuse leaves out. */
struct more_flags {
	uint32_t flags;
	uint32_t flags2;
};

/* What is being taken apart. */
static _Thread_local struct span current;

struct request_loop {
	struct fuse_session *fuse;
	const struct request_loop_hook *hook;
	int ended_fd;        /* eventfd: threads that have ended */
	atomic_int error;    /* 0, or the last -errno */
	atomic_bool rests;   /* nothing is read any more, and what was read is answered */
	atomic_uint serving; /* threads */
	unsigned count;
	pthread_t threads[THREADS_MAX];
};

struct span request_loop_current(void)
{
	return current;
}

static void process(struct fuse_session *fuse, const struct fuse_buf *buffer)
{
	current = (struct span){buffer->mem, buffer->size};
	fuse_session_process_buf(fuse, buffer);
	current = (struct span){NULL, 0};
}

void request_loop_ask(struct fuse_session *fuse, struct span request)
{
	process(fuse,
		&(struct fuse_buf){.mem = (char *)(uintptr_t)request.data, .size = request.len});
}

static void on_wake(int signal)
{
	(void)signal;
}

/* Answers one request. Returns whether this thread may have more. */
static bool serve_one(struct request_loop *loop, struct fuse_buf *buffer)
{
	int r = fuse_session_receive_buf(loop->fuse, buffer);

	if (r == -EINTR || r == -EAGAIN)
		return true;
	if (r < 0 && buffer->mem)
		atomic_store(&loop->error, r);
	if (r <= 0)
		return false;
	process(loop->fuse, buffer);
	return true;
}

static void *run(void *context)
{
	struct request_loop *loop = context;
	struct fuse_buf buffer = {0};

	bool has_more = true;

	while (has_more && !fuse_session_exited(loop->fuse) && !atomic_load(&loop->rests))
		has_more = serve_one(loop, &buffer);
	/* Where there was no memory for one to read with, the others serve. */
	bool is_denied = !has_more && !buffer.mem;
	bool is_needless = is_denied && atomic_fetch_sub(&loop->serving, 1) > 1;
	if (is_denied && !is_needless)
		atomic_store(&loop->error, -ENOMEM);
	free(buffer.mem);
	if (!is_needless && !atomic_load(&loop->rests))
		fuse_session_exit(loop->fuse);
	eventfd_write(loop->ended_fd, 1);
	return NULL;
}

/*
 * Returns the flags that libfuse leaves out of its answer although the kernel offers them:
 *
 * - PARALLEL_DIROPS: without it the kernel sends one LOOKUP or READDIR of a directory at a time, so
 *   a slow first look delays all others in that directory. libfuse 3.14 loses the flag (its issue
 *   861).
 * - NO_EXPORT_SUPPORT, from Linux 6.10 on: the kernel refuses file handles (name_to_handle_at(2),
 *   NFS) at once. Otherwise they work until the kernel forgets the file, and then no more. libfuse
 *   has it from 3.17 on.
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

/* Passes on what libfuse writes, and adds `more` to its answer to INIT. Returns whether it did. */
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
		/* If the mount has ended, the next request says so. */
		n = write(kernel, said, (size_t)n);
	}
	return is_added;
}

/*
 * Has libfuse answer INIT through a pipe, and adds `more` to the answer. The pipe keeps apart what
 * is written apart (O_DIRECT).
 */
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

/* libfuse takes it for granted that no other is read meanwhile. */
int request_loop_greet(struct fuse_session *fuse, struct span *ret, bool *is_parallel)
{
	struct fuse_buf buffer = {0};
	bool is_added = false;
	int r;

	*is_parallel = false;
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
	*is_parallel = is_added && more.flags & PARALLEL_DIROPS;
	free(buffer.mem);
	*ret = (struct span){copy, copy ? buffer.size : 0};
	return r < 0 ? r : 0;
}

/* All but the first can be done without. */
static int start_threads(struct request_loop *loop, unsigned count)
{
	const struct sigaction action = {.sa_handler = on_wake};
	sigset_t others, old;
	int r = 0;

	sigaction(WAKE_SIGNAL, &action, NULL);
	sigfillset(&others);
	sigdelset(&others, WAKE_SIGNAL);
	pthread_sigmask(SIG_SETMASK, &others, &old);
	while (r == 0 && loop->count < count && loop->count < THREADS_MAX) {
		atomic_fetch_add(&loop->serving, 1);
		r = -pthread_create(&loop->threads[loop->count], NULL, run, loop);
		if (r < 0)
			atomic_fetch_sub(&loop->serving, 1);
		loop->count += r == 0;
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return loop->count ? 0 : r;
}

static void wake_threads(const struct request_loop *loop)
{
	for (unsigned i = 0; i < loop->count; i++)
		pthread_kill(loop->threads[i], WAKE_SIGNAL);
}

/* `waiting` is the signals that are blocked while it waits, and not between. */
static void await_threads(struct request_loop *loop, const sigset_t *waiting)
{
	const struct timespec again = {.tv_nsec = WAKE_AGAIN_NS};
	const struct request_loop_hook *hook = loop->hook;
	struct pollfd polled[] = {{.fd = loop->ended_fd, .events = POLLIN},
		{.fd = hook->fd, .events = POLLIN}, {.fd = hook->helpers_fd, .events = POLLIN},
		{.fd = hook->keep_fd, .events = POLLIN}};
	eventfd_t more;

	for (unsigned count = 0; count < loop->count;) {
		bool is_ending = fuse_session_exited(loop->fuse) || atomic_load(&loop->rests);

		if (is_ending)
			wake_threads(loop);
		int n = ppoll(polled, 4, is_ending ? &again : NULL, waiting);
		if (n > 0 && polled[1].revents && !is_ending)
			atomic_store(&loop->rests, hook->handle(hook->context));
		if (n > 0 && polled[2].revents)
			hook->take_helpers(hook->context);
		if (n > 0 && polled[3].revents && !hook->take_keep(hook->context))
			polled[3].fd = -1;
		if (is_ending)
			polled[1].fd = -1;
		if (eventfd_read(loop->ended_fd, &more) == 0)
			count += (unsigned)more;
	}
	for (unsigned i = 0; i < loop->count; i++)
		pthread_join(loop->threads[i], NULL);
}

int request_loop_run(
	struct fuse_session *fuse, unsigned threads, const struct request_loop_hook *hook)
{
	CLEANUP(closep) int ended_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	struct request_loop loop = {.fuse = fuse, .hook = hook, .ended_fd = ended_fd};
	sigset_t all, old;

	if (ended_fd < 0)
		return -errno;
	/* A signal that ends the session comes while it is waited for, or is waited for no more. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	int r = start_threads(&loop, threads);
	if (r == 0 && hook->begun && !fuse_session_exited(fuse))
		hook->begun(hook->begun_context);
	if (r == 0)
		await_threads(&loop, &old);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return r < 0 ? r : atomic_load(&loop.error);
}
