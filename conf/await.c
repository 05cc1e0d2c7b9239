#include "await.h"

#include <errno.h>
#include <stddef.h>

static await_function *used;

void await_use(await_function *await)
{
	used = await;
}

int await_poll(struct pollfd *fds, nfds_t count, const struct timespec *timeout)
{
	return used ? used(fds, count, timeout) : ppoll(fds, count, timeout, NULL);
}

int await_ms(struct pollfd *fds, nfds_t count, int timeout_ms)
{
	const struct timespec timeout = {timeout_ms / 1000, timeout_ms % 1000 * 1000000L};

	return await_poll(fds, count, timeout_ms < 0 ? NULL : &timeout);
}

int await_fd(int fd, short events, int timeout_ms)
{
	struct pollfd polled = {.fd = fd, .events = events};
	int n;

	do
		n = await_ms(&polled, 1, timeout_ms);
	while (n < 0 && errno == EINTR);
	return n;
}

void await_pause_us(long us)
{
	await_poll(NULL, 0, &(struct timespec){us / 1000000, us % 1000000 * 1000L});
}
