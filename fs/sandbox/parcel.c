#include "parcel.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct parcel {
	struct msghdr message;
	struct iovec part;
	union {
		char data[CMSG_SPACE(sizeof(int))];
		struct cmsghdr aligned;
	} control;
};

static void parcel_init(struct parcel *parcel, void *data, size_t size)
{
	*parcel = (struct parcel){.part = {data, size}};
	parcel->message.msg_iov = &parcel->part;
	parcel->message.msg_iovlen = 1;
	parcel->message.msg_control = &parcel->control;
	parcel->message.msg_controllen = sizeof(parcel->control);
}

int parcel_send(int socket, const void *data, size_t size, int fd)
{
	struct parcel parcel;

	parcel_init(&parcel, (void *)(uintptr_t)data, size);
	if (fd >= 0) {
		struct cmsghdr *header = CMSG_FIRSTHDR(&parcel.message);
		*header = (struct cmsghdr){CMSG_LEN(sizeof(fd)), SOL_SOCKET, SCM_RIGHTS};
		memcpy(CMSG_DATA(header), &fd, sizeof(fd));
	} else {
		parcel.message.msg_control = NULL;
		parcel.message.msg_controllen = 0;
	}
	return sendmsg(socket, &parcel.message, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

/* Returns the only descriptor; -1: none, or several: the room for one may hold two. */
static int take_descriptor(struct msghdr *message)
{
	const struct cmsghdr *header = CMSG_FIRSTHDR(message);
	int fds[sizeof(((struct parcel *)0)->control) / sizeof(int)];

	if (!header || header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS)
		return -1;
	size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(*fds);
	memcpy(fds, CMSG_DATA(header), count * sizeof(*fds));
	if (count == 1)
		return fds[0];
	for (size_t i = 0; i < count; i++)
		close(fds[i]);
	return -1;
}

ssize_t parcel_take(int socket, void *data, size_t size, int *fd)
{
	struct parcel parcel;
	ssize_t n;

	*fd = -1;
	do {
		parcel_init(&parcel, data, size);
		n = recvmsg(socket, &parcel.message, MSG_CMSG_CLOEXEC);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	*fd = take_descriptor(&parcel.message);
	/* The kernel drops a descriptor for which this process has no number left. */
	return *fd < 0 && parcel.message.msg_flags & MSG_CTRUNC ? -EMFILE : n;
}
