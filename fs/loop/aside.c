#include "aside.h"

#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "await.h"
#include "coroutine.h"

struct aside {
	void (*run)(void *context);
	void *context;
	int done_fd; /* eventfd */
};

static unsigned running;

bool aside_is_running(void)
{
	return running > 0;
}

static void *serve(void *context)
{
	const struct aside *aside = context;

	aside->run(aside->context);
	eventfd_write(aside->done_fd, 1);
	return NULL;
}

/* Blocks all signals in the thread, as the loop handles them. */
static bool start(struct aside *aside, pthread_t *ret)
{
	sigset_t all, old;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	int r = pthread_create(ret, NULL, serve, aside);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return r == 0;
}

bool aside_try(void (*run)(void *context), void *context)
{
	struct aside aside = {run, context, -1};
	pthread_t thread;

	if (!coroutine_is_alone())
		aside.done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	bool is_started = aside.done_fd >= 0 && start(&aside, &thread);
	if (is_started) {
		running++;
		await_fd(aside.done_fd, POLLIN, -1);
		pthread_join(thread, NULL);
		running--;
	}
	if (aside.done_fd >= 0)
		close(aside.done_fd);
	return is_started;
}

void aside_run(void (*run)(void *context), void *context)
{
	if (!aside_try(run, context))
		run(context);
}
