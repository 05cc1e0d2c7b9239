/* The taking of a mount from a daemon of version 0.2, whose end of the socket the test holds. */
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "cleanup.h"
#include "descriptor.h"
#include "handover.h"
#include "place.h"
#include "record.h"
#include "test.h"

/* As handover.c has them; version 0.2 has the same. */
enum { RECORD = 0, OTHER = 99 };

/* Connects to a name, as only a daemon of version 0.2 has one. Returns the daemon's end. */
static int connect_ends(int *ret)
{
	const struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "socket"};
	CLEANUP(closep) int listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	*ret = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(listener, (const struct sockaddr *)&name, sizeof(name)), 0);
	assert_int_equal(listen(listener, 1), 0);
	assert_int_equal(connect(*ret, (const struct sockaddr *)&name, sizeof(name)), 0);
	return accept(listener, NULL, NULL);
}

/* Sends a message, with a descriptor unless `fd` is -1. */
static void send_one(int socket, uint64_t kind, int fd)
{
	uint64_t message[2] = {kind, 0};
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr header;
	} control = {.header = {CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS}};
	struct iovec part = {message, sizeof(message)};
	struct msghdr head = {.msg_iov = &part, .msg_iovlen = 1};

	if (fd >= 0) {
		head.msg_control = control.bytes;
		head.msg_controllen = sizeof(control.bytes);
		memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
	}
	assert_int_equal(sendmsg(socket, &head, 0), sizeof(message));
}

TEST_WITH(state_of_a_daemon_that_goes_on_is_not_taken, enter_place, leave_place)
{
	int own;
	CLEANUP(closep) int daemon = connect_ends(&own);
	CLEANUP(record_freep) struct record *sent = NULL, *taken = NULL;
	CLEANUP(previous_freep) struct previous *previous = NULL;

	assert_int_equal(record_new(STATE_FORMAT, &sent), 0);
	CLEANUP(closep) int file = record_file(sent);
	assert_true(file >= 0);
	send_one(daemon, OTHER, -1); /* in the place of the offer */
	send_one(daemon, RECORD, file);
	send_one(daemon, OTHER, -1); /* in the place of the permission to serve */
	assert_int_equal(previous_new(own, &previous), 0);
	assert_int_equal(previous_take(previous, &taken), -ECANCELED);
	assert_null(taken);
	assert_false(previous_end_mount(previous));
}
