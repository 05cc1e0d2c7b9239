/*
 * plyfs-publish and the messages of the daemon, also of a daemon under an attacker's control.
 */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mount_process.h"
#include "test.h"

static char room[] = "/tmp/plyfs-unit.XXXXXX";
static struct mount_process process = {.socket = -1};

/* An ordinary directory takes the place of the mount. */
static int start(void **state)
{
	const struct sandbox_switches none = {.has_no_sandbox = true};
	struct stat found;

	(void)state;
	if (!mkdtemp(room) || stat(room, &found) < 0)
		return -1;
	return mount_process_start(&process, room, &none) |
	       mount_process_enter(&process, found.st_dev, -1);
}

static int end(void **state)
{
	(void)state;
	mount_process_fini(&process);
	return rmdir(room);
}

/* Returns its answer; -EPIPE: it has ended. */
static int ask(const void *bytes, size_t size)
{
	int answer;

	assert_int_equal(send(process.socket, bytes, size, MSG_NOSIGNAL), size);
	return recv(process.socket, &answer, sizeof(answer), 0) == sizeof(answer) ? answer : -EPIPE;
}

TEST(a_path_without_an_end_is_refused)
{
	struct {
		enum mount_call call;
		char path[PATH_MAX];
	} request = {.call = MOUNT_CALL_MAKE_DIRECTORY};

	memset(request.path, 'x', sizeof(request.path));
	assert_int_equal(ask(&request, sizeof(request)), -EINVAL);
	memset(request.path, '/', sizeof(request.path));
	assert_int_equal(ask(&request, sizeof(request)), -EINVAL);
}

TEST(what_is_no_request_is_refused)
{
	const enum mount_call remove = MOUNT_CALL_REMOVE_DIRECTORY;

	assert_int_equal(ask("", 1), -EINVAL);
	assert_int_equal(mount_process_call(&process, MOUNT_CALL_MAKE_DIRECTORY, "made"), 0);
	assert_int_equal(ask(&remove, sizeof(remove)), -EINVAL);
	assert_int_equal(mount_process_call(&process, MOUNT_CALL_REMOVE_DIRECTORY, "made"), 0);
}

int main(void)
{
	return tests_run(start, end);
}
