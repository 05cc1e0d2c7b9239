#include "parcel.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

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
	const struct cmsghdr *header = CMSG_FIRSTHDR(&parcel.message);
	if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS &&
		header->cmsg_len == CMSG_LEN(sizeof(*fd)))
		memcpy(fd, CMSG_DATA(header), sizeof(*fd));
	return n;
}
