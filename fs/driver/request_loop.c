#include "request_loop.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "cleanup.h"
#include "descriptor.h"

#define THREADS_MAX 16

/* Ends a thread's read(2), and does nothing else. */
#define WAKE_SIGNAL SIGUSR1

/* A thread that was just about to read when it was woken sleeps on: it is woken again. */
#define WAKE_AGAIN_NS 1000000

struct request_loop {
	struct fuse_session *fuse;
	int ended_fd;     /* eventfd: threads that have ended */
	atomic_int error; /* 0, or the last -errno */
	unsigned count;
	pthread_t threads[THREADS_MAX];
};

static void on_wake(int signal)
{
	(void)signal;
}

/* Answers one request. Returns whether there may be more. */
static bool serve_one(struct request_loop *loop, struct fuse_buf *buffer)
{
	int r = fuse_session_receive_buf(loop->fuse, buffer);

	if (r == -EINTR || r == -EAGAIN)
		return true;
	if (r < 0)
		atomic_store(&loop->error, r);
	if (r <= 0)
		return false;
	fuse_session_process_buf(loop->fuse, buffer);
	return true;
}

static void *run(void *context)
{
	struct request_loop *loop = context;
	struct fuse_buf buffer = {0};

	while (!fuse_session_exited(loop->fuse) && serve_one(loop, &buffer))
		;
	free(buffer.mem);
	fuse_session_exit(loop->fuse);
	eventfd_write(loop->ended_fd, 1);
	return NULL;
}

/* The kernel's first request. libfuse takes it for granted that no other is read meanwhile. */
static void shake_hands(struct request_loop *loop)
{
	struct fuse_buf buffer = {0};

	if (!serve_one(loop, &buffer))
		fuse_session_exit(loop->fuse);
	free(buffer.mem);
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
		r = -pthread_create(&loop->threads[loop->count], NULL, run, loop);
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
	struct pollfd ended = {.fd = loop->ended_fd, .events = POLLIN};
	eventfd_t more;

	for (unsigned count = 0; count < loop->count;) {
		bool is_ending = fuse_session_exited(loop->fuse);

		if (is_ending)
			wake_threads(loop);
		ppoll(&ended, 1, is_ending ? &again : NULL, waiting);
		if (eventfd_read(loop->ended_fd, &more) == 0)
			count += (unsigned)more;
	}
	for (unsigned i = 0; i < loop->count; i++)
		pthread_join(loop->threads[i], NULL);
}

int request_loop_run(struct fuse_session *fuse, unsigned threads)
{
	CLEANUP(closep) int ended_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	struct request_loop loop = {.fuse = fuse, .ended_fd = ended_fd};
	sigset_t all, old;

	if (ended_fd < 0)
		return -errno;
	/* A signal that ends the session comes while it is waited for, or is waited for no more. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	shake_hands(&loop);
	int r = start_threads(&loop, threads);
	if (r == 0)
		await_threads(&loop, &old);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return r < 0 ? r : atomic_load(&loop.error);
}
