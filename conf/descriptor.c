#include "descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

int descriptor_open_file(int directory, const char *name)
{
	int fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int descriptor_open_directory(int directory, const char *name)
{
	int fd = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

DIR *descriptor_list(int fd)
{
	int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *ret = copy < 0 ? NULL : fdopendir(copy);

	if (!ret)
		closep(&copy);
	return ret;
}

static struct timespec time_of(struct statx_timestamp time)
{
	return (struct timespec){.tv_sec = time.tv_sec, .tv_nsec = time.tv_nsec};
}

int descriptor_stat(int directory, const char *path, struct stat *ret)
{
	struct statx found;

	if (statx(directory, path, AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH | AT_NO_AUTOMOUNT,
		    STATX_BASIC_STATS, &found) < 0)
		return -errno;
	bool is_mounted = !S_ISDIR(found.stx_mode) && found.stx_attributes & STATX_ATTR_MOUNT_ROOT;
	*ret = (struct stat){
		.st_dev = makedev(found.stx_dev_major, found.stx_dev_minor),
		.st_ino = found.stx_ino,
		.st_mode = found.stx_mode,
		.st_nlink = is_mounted && found.stx_nlink < 2 ? 2 : found.stx_nlink,
		.st_uid = found.stx_uid,
		.st_gid = found.stx_gid,
		.st_rdev = makedev(found.stx_rdev_major, found.stx_rdev_minor),
		.st_size = (off_t)found.stx_size,
		.st_blksize = (blksize_t)found.stx_blksize,
		.st_blocks = (blkcnt_t)found.stx_blocks,
		.st_atim = time_of(found.stx_atime),
		.st_mtim = time_of(found.stx_mtime),
		.st_ctim = time_of(found.stx_ctime),
	};
	return 0;
}

void descriptor_raise_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* Kernels before Linux 5.9 have no close_range(2). */
static void close_between(int first, int end)
{
	if (first < end && close_range((unsigned)first, (unsigned)end - 1, 0) < 0)
		for (int fd = first; fd < end; fd++)
			close(fd);
}

void descriptor_close_except(int *kept, size_t count)
{
	int next = STDERR_FILENO + 1;

	qsort(kept, count, sizeof(*kept), compare);
	for (size_t i = 0; i < count; i++) {
		if (kept[i] < next)
			continue;
		close_between(next, kept[i]);
		next = kept[i] + 1;
	}
	closefrom(next);
}

void descriptor_link(int fd, char ret[DESCRIPTOR_LINK_MAX])
{
	snprintf(ret, DESCRIPTOR_LINK_MAX, "/proc/self/fd/%d", fd);
}

int descriptor_path(int fd, char ret[PATH_MAX])
{
	char link[DESCRIPTOR_LINK_MAX];

	if (fd < 0)
		return -EBADF;
	descriptor_link(fd, link);
	ssize_t length = readlink(link, ret, PATH_MAX - 1);
	if (length < 0)
		return -errno;
	ret[length] = '\0';
	return *ret == '/' ? 0 : -ENOENT;
}
