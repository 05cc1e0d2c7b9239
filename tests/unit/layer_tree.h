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
#include "skip.h"
#include "test.h"

/* The directory of everything here; the working directory of the test. */
static char place[] = "/tmp/plyfs-layer-XXXXXX";

static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

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
	(void)state;
	strcpy(place + sizeof(place) - 7, "XXXXXX");
	if (!mkdtemp(place) || chdir(place) < 0)
		return -1;
	assert_int_equal(mkdir("layer", 0755), 0);
	assert_int_equal(mkdir("layer/dir", 0755), 0);
	assert_int_equal(mkdir("other", 0755), 0);
	write_file("outside.yaml", "outside\n");
	write_file("other/deep.yaml", "other\n");
	write_file("layer/app.yaml", "inside\n");
	write_file("layer/dir/deep.yaml", "deep\n");
	assert_int_equal(symlink("dir", "layer/inner"), 0);
	assert_int_equal(symlink("app.yaml", "layer/file_link"), 0);
	assert_int_equal(symlink("nothing", "layer/dangling"), 0);
	assert_int_equal(symlink("../other", "layer/out"), 0);
	assert_int_equal(symlink("../outside.yaml", "layer/out_file"), 0);
	assert_int_equal(symlink("loop", "layer/loop"), 0);
	assert_int_equal(mkfifo("layer/pipe", 0644), 0);

	struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "layer/socket"};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_true(fd >= 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	close(fd);
	return 0;
}

static int remove_tree(void **state)
{
	char command[sizeof(place) + 16];

	(void)state;
	(void)snprintf(command, sizeof(command), "rm -rf '%s'", place);
	return chdir("/") < 0 || system(command) != 0;
}

static struct layer *open_layer(bool follow)
{
	struct layer *layer = NULL;

	assert_int_equal(layer_open("site", "layer", 1, false, follow, &layer), 0);
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
