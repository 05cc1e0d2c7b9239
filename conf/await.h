/* Waiting for descriptors and for time, by the calling coroutine (fs/loop) or the whole process. */
#pragma once

#include <poll.h>
#include <time.h>

/** Waits as ppoll(2) does without a signal mask. */
typedef int await_function(struct pollfd *fds, nfds_t count, const struct timespec *timeout);

/** Makes this header's functions wait by `await` instead of ppoll(2); NULL: by ppoll(2) again. */
void await_use(await_function *await);

/** As ppoll(2) without a signal mask. If `timeout` is NULL, waits for ever. */
int await_poll(struct pollfd *fds, nfds_t count, const struct timespec *timeout);

/** As poll(2). */
int await_ms(struct pollfd *fds, nfds_t count, int timeout_ms);

/** As poll(2), for one descriptor. After a signal, waits again for the whole `timeout_ms`. */
int await_fd(int fd, short events, int timeout_ms);

/** Pauses; a signal may end the pause early. */
void await_pause_us(long us);
