#include "fd_message.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

#include "descriptor.h"

struct fd_message {
	struct msghdr message;
	struct iovec part;
	union {
		char data[CMSG_SPACE(FD_MESSAGE_FDS_MAX * sizeof(int))];
		struct cmsghdr aligned;
	} control;
};

static void fd_message_init(struct fd_message *whole, void *data, size_t size)
{
	*whole = (struct fd_message){.part = {data, size}};
	whole->message.msg_iov = &whole->part;
	whole->message.msg_iovlen = 1;
	whole->message.msg_control = &whole->control;
	whole->message.msg_controllen = sizeof(whole->control);
}

int fd_message_send_all(int socket, const void *data, size_t size, const int *fds, size_t count)
{
	struct fd_message whole;

	fd_message_init(&whole, (void *)(uintptr_t)data, size);
	whole.message.msg_controllen = count ? CMSG_SPACE(count * sizeof(*fds)) : 0;
	if (count) {
		struct cmsghdr *header = CMSG_FIRSTHDR(&whole.message);
		*header = (struct cmsghdr){CMSG_LEN(count * sizeof(*fds)), SOL_SOCKET, SCM_RIGHTS};
		memcpy(CMSG_DATA(header), fds, count * sizeof(*fds));
	}
	return sendmsg(socket, &whole.message, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

int fd_message_send(int socket, const void *data, size_t size, int fd)
{
	return fd_message_send_all(socket, data, size, &fd, fd >= 0);
}

static size_t take_descriptors(struct msghdr *message, int *fds)
{
	const struct cmsghdr *header = CMSG_FIRSTHDR(message);

	if (!header || header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS)
		return 0;
	size_t size = header->cmsg_len - CMSG_LEN(0);
	memcpy(fds, CMSG_DATA(header), size);
	return size / sizeof(*fds);
}

ssize_t fd_message_take_all(
	int socket, void *data, size_t size, int fds[FD_MESSAGE_FDS_MAX], size_t *count)
{
	struct fd_message whole;
	ssize_t n;

	*count = 0;
	do {
		fd_message_init(&whole, data, size);
		n = recvmsg(socket, &whole.message, MSG_CMSG_CLOEXEC);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	*count = take_descriptors(&whole.message, fds);
	/* The kernel drops a descriptor for which this process has no number left. */
	int r = whole.message.msg_flags & MSG_CTRUNC  ? -EMFILE
		: whole.message.msg_flags & MSG_TRUNC ? -EBADMSG
						      : 0;
	if (r == 0)
		return n;
	descriptor_close_all(fds, *count);
	*count = 0;
	return r;
}

ssize_t fd_message_take(int socket, void *data, size_t size, int *fd)
{
	int fds[FD_MESSAGE_FDS_MAX];
	size_t count;
	ssize_t n = fd_message_take_all(socket, data, size, fds, &count);

	*fd = count == 1 ? fds[0] : -1;
	if (count > 1)
		descriptor_close_all(fds, count);
	return n;
}
