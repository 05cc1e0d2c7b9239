/*
 * The table of mounts. Every user who may mount something somewhere writes in it.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "cleanup.h"
#include "descriptor.h"
#include "mountpoint.h"
#include "test.h"

/*
 * A table with one mount, as the kernel has it; the mount's path is `length` letters and then
 * blanks.
 */
static int make_table(size_t length, size_t blanks)
{
	int fd = memfd_create("mountinfo", MFD_CLOEXEC);

	assert_true(fd >= 0);
	dprintf(fd, "36 35 0:99 / /");
	for (size_t i = 0; i < length; i++)
		dprintf(fd, "x");
	for (size_t i = 0; i < blanks; i++)
		dprintf(fd, "\\040");
	dprintf(fd, " rw,relatime - fuse.plyfs label rw,user_id=0\n"
		    "37 35 0:98 / /mnt rw - fuse.plyfs label rw\n");
	return fd;
}

TEST(a_path_that_is_cut_within_an_escape_does_no_harm)
{
	/* Wherever the kept part of it ends. */
	for (size_t length = PATH_MAX - 12; length < PATH_MAX; length++) {
		CLEANUP(closep) int table = make_table(length, 4);
		assert_true(mountpoint_is_mounted(table, 36, makedev(0, 99)));
		assert_true(mountpoint_is_mounted(table, 37, makedev(0, 98)));
		assert_false(mountpoint_is_mounted(table, 37, makedev(0, 99)));
	}
}
