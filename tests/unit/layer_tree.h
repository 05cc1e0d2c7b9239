/*
 * The tree for the tests of layers. All of them run twice: with openat2(2), and with a seccomp
 * filter that refuses it.
 */
#pragma once

#include "layer.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/openat2.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "cleanup.h"
#include "place.h"
#include "skip.h"
#include "test.h"

/*
 *      place/ ── outside.yaml
 *       ├── other/ ── deep.yaml
 *       └── layer/ ── app.yaml
 *            ├── dir/ ── deep.yaml
 *            ├── inner -> dir      file_link -> app.yaml     dangling -> nothing
 *            ├── out -> ../other   out_file -> ../outside.yaml   loop -> loop
 *            └── pipe, socket
 */
static int make_tree(void **state)
{
	if (enter_place(state))
		return -1;
	run("mkdir -p layer/dir other; mkfifo layer/pipe");
	write_file("outside.yaml", "outside\n");
	write_file("other/deep.yaml", "other\n");
	write_file("layer/app.yaml", "inside\n");
	write_file("layer/dir/deep.yaml", "deep\n");
	run("cd layer; ln -s dir inner; ln -s app.yaml file_link; ln -s nothing dangling; "
	    "ln -s ../other out; ln -s ../outside.yaml out_file; ln -s loop loop");

	struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "layer/socket"};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_true(fd >= 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	close(fd);
	return 0;
}

static struct layer *open_layer(bool follow)
{
	struct layer *layer = NULL;

	assert_int_equal(layer_open("site", "layer", 1, 0, follow, &layer), 0);
	return layer;
}

static inline void read_all(int fd, char *buffer, size_t size)
{
	ssize_t len = read(fd, buffer, size - 1);

	assert_true(len >= 0);
	buffer[len] = '\0';
	close(fd);
}

/* Returns the number of the next descriptor: a higher one than before shows that some leak. */
static int next_descriptor(void)
{
	int fd = dup(0);

	close(fd);
	return fd;
}

static long open_by_openat2(void)
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC};

	return syscall(SYS_openat2, AT_FDCWD, ".", &how, sizeof(how));
}

/* From here on openat2(2) fails in this process, as on an old kernel. */
static void all_of_it_holds_without_openat2(void **state)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(filter) / sizeof(filter[0]), filter};

	(void)state;
	assert_int_equal(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
		skip_because("system calls can't be filtered here");
	assert_int_equal(open_by_openat2(), -1);
	assert_int_equal(errno, ENOSYS);
}
