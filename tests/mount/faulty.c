/*
 * A layer's file system that fails on command: a directory, shown by FUSE.
 *
 *      faulty REAL CONTROL MOUNTPOINT
 *
 * CONTROL is a file of one line, read at each operation:
 *
 *      OPERATION ERRNO [NAME]          operation: getattr, readdir, open, read, readlink, or all
 *      truncate 100 app.yaml           a read of the beginning of app.yaml cuts it to 100 bytes
 *      slow 800 app.yaml               each operation on app.yaml takes 800 ms more
 *      slow-read 800 app.yaml          each read of app.yaml does
 *
 * NAME is the last part of the path. Without it, or with "*", the operation fails for all paths.
 * With an empty line no operation fails.
 */
#define FUSE_USE_VERSION 31

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fuse.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int real_fd; /* the directory that is shown */
static const char *control;

struct fault {
	char operation[32];
	int number; /* an errno; "truncate": bytes; "slow": milliseconds */
};

/* Makes a path of FUSE, which begins with a slash, relative to the directory. */
static const char *relative(const char *path)
{
	return path[1] ? path + 1 : ".";
}

/* Returns the fault for the path; false: none. */
static bool read_fault(const char *path, struct fault *ret)
{
	char name[NAME_MAX + 1] = "*";
	char line[512];
	const char *slash = strrchr(path, '/');
	FILE *file = fopen(control, "re");
	bool is_line = file && fgets(line, sizeof(line), file);

	if (file)
		fclose(file);
	if (!is_line || sscanf(line, "%31s %d %255s", ret->operation, &ret->number, name) < 2)
		return false;
	return strcmp(name, "*") == 0 || strcmp(name, slash + 1) == 0;
}

/* Returns 0, or the error with which the operation must fail. */
static int fail(const char *path, const char *operation)
{
	struct fault fault;

	if (!read_fault(path, &fault))
		return 0;
	const char *slow = strncmp(fault.operation, "slow", 4) == 0 ? fault.operation + 4 : "none";
	if (!*slow || (*slow == '-' && strcmp(slow + 1, operation) == 0))
		usleep((useconds_t)fault.number * 1000);
	bool is_meant =
		strcmp(fault.operation, operation) == 0 || strcmp(fault.operation, "all") == 0;
	return is_meant ? -fault.number : 0;
}

static int result(int r)
{
	return r < 0 ? -errno : 0;
}

static int do_getattr(const char *path, struct stat *stat, struct fuse_file_info *info)
{
	int r = fail(path, "getattr");

	(void)info;
	return r ? r : result(fstatat(real_fd, relative(path), stat, AT_SYMLINK_NOFOLLOW));
}

static int do_readlink(const char *path, char *buffer, size_t size)
{
	int r = fail(path, "readlink");
	if (r)
		return r;
	ssize_t n = readlinkat(real_fd, relative(path), buffer, size - 1);
	if (n < 0)
		return -errno;
	buffer[n] = '\0';
	return 0;
}

static int do_readdir(const char *path, void *buffer, fuse_fill_dir_t fill, off_t offset,
	struct fuse_file_info *info, enum fuse_readdir_flags flags)
{
	int r = fail(path, "readdir");
	if (r)
		return r;
	int fd = openat(real_fd, relative(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *directory = fd < 0 ? NULL : fdopendir(fd);
	if (!directory)
		return -errno;
	for (struct dirent *entry; (entry = readdir(directory));)
		fill(buffer, entry->d_name, NULL, 0, 0);
	closedir(directory);
	(void)offset;
	(void)info;
	(void)flags;
	return 0;
}

static int do_open(const char *path, struct fuse_file_info *info)
{
	int r = fail(path, "open");
	if (r)
		return r;
	int fd = openat(real_fd, relative(path), O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	info->fh = (uint64_t)fd;
	info->direct_io = 1; /* each read comes here */
	return 0;
}

static int do_read(
	const char *path, char *buffer, size_t size, off_t offset, struct fuse_file_info *info)
{
	struct fault fault;
	int r = fail(path, "read");
	if (r)
		return r;
	bool cuts = read_fault(path, &fault) && strcmp(fault.operation, "truncate") == 0;
	ssize_t n = pread((int)info->fh, buffer, cuts && size > 4096 ? 4096 : size, offset);
	if (n < 0)
		return -errno;
	if (cuts && offset == 0) {
		int fd = openat(real_fd, relative(path), O_WRONLY | O_CLOEXEC);
		if (fd < 0 || ftruncate(fd, fault.number) < 0)
			n = -errno;
		close(fd);
	}
	return (int)n;
}

static int do_release(const char *path, struct fuse_file_info *info)
{
	(void)path;
	return result(close((int)info->fh));
}

static void *do_init(struct fuse_conn_info *connection, struct fuse_config *config)
{
	(void)connection;
	/* No caching: a new line in CONTROL counts at once. */
	config->entry_timeout = config->attr_timeout = config->negative_timeout = 0;
	config->use_ino = 1;
	return NULL;
}

static const struct fuse_operations operations = {
	.init = do_init,
	.getattr = do_getattr,
	.readlink = do_readlink,
	.readdir = do_readdir,
	.open = do_open,
	.read = do_read,
	.release = do_release,
};

int main(int argc, char **argv)
{
	if (argc != 4) {
		fprintf(stderr, "usage: faulty REAL CONTROL MOUNTPOINT\n");
		return 2;
	}
	real_fd = open(argv[1], O_PATH | O_DIRECTORY | O_CLOEXEC);
	control = realpath(argv[2], NULL);
	if (real_fd < 0 || !control) {
		perror("faulty");
		return 1;
	}
	char *arguments[] = {argv[0], "-f", "-s", argv[3], NULL};
	return fuse_main(4, arguments, &operations, NULL);
}
