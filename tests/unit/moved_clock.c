/*
 * A clock that the test moves, so that no test sleeps. The linker sends the calls that read a clock
 * or wait here (--wrap).
 *
 * A wait of the test takes no time: it moves the clock. Processes that the test has forked wait
 * until the clock has been moved that far.
 */
#include "moved_clock.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* Real time of a wait, in which other processes run and look at the clock. */
#define STEP_NS 500000

bool are_files_aging;
bool are_waits_real;

static _Atomic int64_t *ahead_ns; /* shared with forked processes */
static pid_t mover;

int __real_clock_gettime(clockid_t clock, struct timespec *ret);
int __wrap_clock_gettime(clockid_t clock, struct timespec *ret);
int __real_poll(struct pollfd *polled, nfds_t count, int timeout_ms);
int __wrap_poll(struct pollfd *polled, nfds_t count, int timeout_ms);
int __real_ppoll(
	struct pollfd *polled, nfds_t count, const struct timespec *timeout, const sigset_t *mask);
int __wrap_ppoll(
	struct pollfd *polled, nfds_t count, const struct timespec *timeout, const sigset_t *mask);
int __real_nanosleep(const struct timespec *time, struct timespec *left);
int __wrap_nanosleep(const struct timespec *time, struct timespec *left);
int __wrap_usleep(useconds_t us);
unsigned __wrap_sleep(unsigned seconds);

__attribute__((constructor)) static void begin(void)
{
	ahead_ns = mmap(
		NULL, sizeof(*ahead_ns), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (ahead_ns == MAP_FAILED)
		abort();
	mover = getpid();
}

static int64_t to_ns(struct timespec time)
{
	return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static struct timespec from_ns(int64_t ns)
{
	return (struct timespec){ns / 1000000000, ns % 1000000000};
}

static int64_t now_ns(void)
{
	struct timespec now;

	__wrap_clock_gettime(CLOCK_MONOTONIC, &now);
	return to_ns(now);
}

int __wrap_clock_gettime(clockid_t clock, struct timespec *ret)
{
	int r = __real_clock_gettime(clock, ret);

	if (r == 0 && (clock == CLOCK_MONOTONIC || (clock == CLOCK_REALTIME && are_files_aging)))
		*ret = from_ns(to_ns(*ret) + *ahead_ns);
	return r;
}

/* Waits for a step; the test itself moves the clock by `ns`. */
static void step(int64_t ns)
{
	if (gettid() == mover)
		*ahead_ns += ns;
	__real_nanosleep(&(struct timespec){.tv_nsec = STEP_NS}, NULL);
}

/* A wait of `ns`. */
static int wait_for(struct pollfd *polled, nfds_t count, int64_t ns)
{
	int64_t until = now_ns() + ns;
	int n;

	while ((n = __real_poll(polled, count, 0)) == 0 && now_ns() < until)
		step(ns);
	return n;
}

int __wrap_poll(struct pollfd *polled, nfds_t count, int timeout_ms)
{
	return timeout_ms <= 0 ? __real_poll(polled, count, timeout_ms)
			       : wait_for(polled, count, timeout_ms * (int64_t)1000000);
}

int __wrap_ppoll(
	struct pollfd *polled, nfds_t count, const struct timespec *timeout, const sigset_t *mask)
{
	return timeout && to_ns(*timeout) && !are_waits_real
		       ? wait_for(polled, count, to_ns(*timeout))
		       : __real_ppoll(polled, count, timeout, mask);
}

int __wrap_nanosleep(const struct timespec *time, struct timespec *left)
{
	int64_t until = now_ns() + to_ns(*time);

	(void)left;
	while (now_ns() < until)
		step(to_ns(*time));
	return 0;
}

int __wrap_usleep(useconds_t us)
{
	return __wrap_nanosleep(&(struct timespec){us / 1000000, us % 1000000 * 1000L}, NULL);
}

unsigned __wrap_sleep(unsigned seconds)
{
	return (unsigned)__wrap_nanosleep(&(struct timespec){.tv_sec = seconds}, NULL);
}
