/*
 * Messages between processes of plyfs, one of which may be under an attacker's control.
 */
#include <dirent.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cleanup.h"
#include "descriptor.h"
#include "fd_message.h"
#include "test.h"

static int ends[2];

static int connect_both(void **state)
{
	(void)state;
	return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends);
}

static int close_both(void **state)
{
	(void)state;
	return close(ends[0]) | close(ends[1]);
}

static int count_descriptors(void)
{
	DIR *directory = opendir("/proc/self/fd");
	int count = 0;

	assert_non_null(directory);
	while (readdir(directory))
		count++;
	closedir(directory);
	return count;
}

TEST(a_descriptor_comes_with_it)
{
	CLEANUP(closep) int fd = -1;
	char byte;

	assert_int_equal(fd_message_send(ends[0], "a", 1, ends[0]), 0);
	assert_int_equal(fd_message_take(ends[1], &byte, 1, &fd), 1);
	assert_true(fd >= 0);
}

TEST(of_descriptors_that_nobody_wants_none_stays_open)
{
	union {
		char bytes[CMSG_SPACE(2 * sizeof(int))];
		struct cmsghdr header;
	} control = {0};
	struct iovec part = {"a", 1};
	const struct msghdr head = {.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = CMSG_SPACE(2 * sizeof(int))};
	int before = count_descriptors(), fd;
	char byte;

	control.header = (struct cmsghdr){CMSG_LEN(2 * sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
	memcpy(CMSG_DATA(&control.header), ends, 2 * sizeof(int));
	for (int i = 0; i < 10; i++) {
		assert_int_equal(sendmsg(ends[0], &head, 0), 1);
		assert_int_equal(fd_message_take(ends[1], &byte, 1, &fd), 1);
		assert_int_equal(fd, -1);
	}
	assert_int_equal(count_descriptors(), before);
}

int main(void)
{
	return tests_run(connect_both, close_both);
}
