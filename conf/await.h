/*
 * Waiting for descriptors and for time. A process that does several things at once waits by its
 * coroutines (fs/loop), every other process by ppoll(2).
 */
#pragma once

#include <poll.h>
#include <time.h>

/** Waits as ppoll(2) without a mask does. */
typedef int await_function(struct pollfd *fds, nfds_t count, const struct timespec *timeout);

/** Makes await_poll() and await_ms() call `await`; NULL: ppoll(2). */
void await_use(await_function *await);

/** As poll(2), with a timeout in nanoseconds; NULL: waits for ever. */
int await_poll(struct pollfd *fds, nfds_t count, const struct timespec *timeout);

/** As poll(2). */
int await_ms(struct pollfd *fds, nfds_t count, int timeout_ms);

/** As poll(2), for one descriptor. A signal does not end the wait, but restarts its timeout. */
int await_fd(int fd, short events, int timeout_ms);

/** Pauses; a signal may end the pause early. */
void await_pause_us(long us);
