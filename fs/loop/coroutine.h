/*
 * Coroutines: several things that one thread does by turns, each on a stack of its own.
 *
 *      coroutine ── coroutine_poll(), coroutine_wait() ──▶ the next one that is ready
 *                                                          none: ppoll(2) for all that wait
 *
 * Contract: a coroutine runs until it waits. Between two waits nothing else runs, so the data that
 * it reads and changes needs no lock. After a wait, everything may have changed. If some coroutines
 * wake each other for ever, the others run nevertheless.
 *
 * The stack on which a thread began is a coroutine, too: the root. Each thread has its own
 * coroutines, which no other thread may wake or join.
 */
#pragma once

#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <time.h>

struct coroutine;

/* Maximum number of descriptors for which one coroutine may wait at a time. */
#define COROUTINE_FDS_MAX 16

/* Coroutines that wait for the same thing; the first one has waited longest. All zero: none. */
struct coroutine_queue {
	struct coroutine *first;
	struct timespec wake_at; /* `at` of coroutine_wake_at(); 0: never */
};

/** Makes a coroutine that is ready to run. Returns 0 with *ret for coroutine_join(), or -ENOMEM. */
int coroutine_new(void (*run)(void *context), void *context, struct coroutine **ret);

/** Waits until the coroutine has returned from its function, and frees it. NULL: does nothing. */
void coroutine_join(struct coroutine *coroutine);

/** Returns whether the thread has no coroutine besides the root. */
bool coroutine_is_alone(void);

/** Returns whether another coroutine can go on at once. */
bool coroutine_is_awaited(void);

const struct coroutine *coroutine_self(void);

/**
 * Waits as ppoll(2) does, and at the same time in `queue` (NULL: in none), where another coroutine
 * can wake this one. Of the coroutines in a queue, only the first one waits for its descriptors.
 * Returns the number of ready descriptors; or 0 if the time is over or the coroutine was woken. If
 * a signal was handled, the root gets -1 with errno EINTR; other coroutines go on waiting.
 */
int coroutine_poll(struct pollfd *fds, nfds_t count, const struct timespec *timeout,
	struct coroutine_queue *queue);

/** Waits in the queue, at most until `until` (CLOCK_MONOTONIC; NULL: for ever). */
void coroutine_wait(struct coroutine_queue *queue, const struct timespec *until);

/** Makes the first coroutine of the queue ready. */
void coroutine_wake(struct coroutine_queue *queue);

/** Sets the time (CLOCK_MONOTONIC; NULL: never) at which the queue's first coroutine is woken. */
void coroutine_wake_at(struct coroutine_queue *queue, const struct timespec *at);

void coroutine_wake_all(struct coroutine_queue *queue);

/**
 * Sets the signal mask of this thread in ppoll(2); NULL: the thread's own. *mask must stay valid. A
 * coroutine that changes the thread's own mask must restore it before it waits.
 */
void coroutine_mask(const sigset_t *mask);

/** Gives each coroutine its own value of *variable, at first 0. A thread has one such variable. */
void coroutine_keeps(int *variable);

/* Exit status of a process of coroutine_fork() that has no memory for its stack. */
#define COROUTINE_NO_MEMORY 3

/**
 * Forks a process that has no coroutines, in a session of its own, so that no terminal sends it
 * signals. The process runs `run` on a stack as large as a program's. `run` must not return. All
 * signals are blocked when `run` begins. `run` must first close the descriptors that the process
 * must not hold. Returns the process's number or -errno.
 */
pid_t coroutine_fork(void (*run)(void *context), void *context);
