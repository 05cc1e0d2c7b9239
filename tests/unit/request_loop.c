/*
 * The answer to INIT, by which the kernel learns what a mount can do.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cleanup.h"
#include "descriptor.h"
#include "request_loop.h"
#include "test.h"

/* Flags of INIT, from linux/fuse.h; those of flags2 have 32 added there. */
#define PARALLEL_DIROPS (1u << 18)
#define INIT_EXT (1u << 30)
#define NO_EXPORT_SUPPORT (1u << 6)

struct init_request {
	uint32_t size;
	uint32_t code;
	uint32_t unique[2];
	uint32_t others[6];
	uint32_t major;
	uint32_t minor;
	uint32_t max_readahead;
	uint32_t flags;
	uint32_t flags2;
	uint32_t unused[11];
};

struct init_answer {
	uint32_t size;
	int32_t error;
	uint32_t unique[2];
	uint32_t major;
	uint32_t minor;
	uint32_t max_readahead;
	uint32_t flags;
	uint32_t others[4];
	uint32_t flags2;
	uint32_t unused[7];
};

/* Has libfuse answer a kernel that offers these flags. Returns whether lookups are parallel. */
static bool greet(uint32_t flags, uint32_t flags2, struct init_answer *ret)
{
	static const struct fuse_lowlevel_ops operations = {0};
	char *arguments[] = {"plyfs", NULL};
	struct fuse_args args = FUSE_ARGS_INIT(1, arguments);
	struct init_request request = {.size = sizeof(request),
		.code = 26,
		.unique = {2},
		.major = 7,
		.minor = 38,
		.max_readahead = 131072,
		.flags = flags,
		.flags2 = flags2};
	struct span copy = {NULL, 0};
	unsigned in_force = 0;
	char path[32];
	int ends[2];

	/* Like /dev/fuse, it keeps messages apart. */
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
	CLEANUP(closep) int kernel = ends[0];
	snprintf(path, sizeof(path), "/dev/fd/%d", ends[1]);
	struct fuse_session *fuse = fuse_session_new(&args, &operations, sizeof(operations), NULL);
	assert_non_null(fuse);
	assert_int_equal(fuse_session_mount(fuse, path), 0);

	assert_int_equal(write(kernel, &request, sizeof(request)), sizeof(request));
	assert_int_equal(request_loop_greet(fuse, &copy, &in_force), 0);
	assert_int_equal(copy.len, sizeof(request));
	assert_memory_equal(copy.data, &request, sizeof(request));
	assert_int_equal(read(kernel, ret, sizeof(*ret)), sizeof(*ret));
	assert_int_equal(ret->unique[0], 2);
	assert_int_equal(ret->error, 0);
	free((char *)copy.data);
	fuse_session_destroy(fuse);
	fuse_opt_free_args(&args);
	return in_force & FUSE_CAP_PARALLEL_DIROPS;
}

TEST(the_kernel_sends_several_lookups_of_a_directory_at_a_time_if_it_offers_that)
{
	struct init_answer answer;

	assert_true(greet(PARALLEL_DIROPS, 0, &answer));
	assert_true(answer.flags & PARALLEL_DIROPS);
	assert_false(answer.flags & INIT_EXT);

	assert_false(greet(0, 0, &answer));
	assert_false(answer.flags & PARALLEL_DIROPS);
}

TEST(the_kernel_refuses_file_handles_if_it_offers_that)
{
	struct init_answer answer;

	assert_false(greet(INIT_EXT, NO_EXPORT_SUPPORT, &answer));
	assert_true(answer.flags & INIT_EXT);
	assert_true(answer.flags2 & NO_EXPORT_SUPPORT);

	/* Without INIT_EXT the second word means nothing. */
	assert_true(greet(PARALLEL_DIROPS, NO_EXPORT_SUPPORT, &answer));
	assert_false(answer.flags2 & NO_EXPORT_SUPPORT);
}
