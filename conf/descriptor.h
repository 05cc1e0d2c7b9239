/* Helpers for file descriptors. CLEANUP(closep) int fd: closes `fd` at the end of the scope. */
#pragma once

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static inline void closep(int *fd)
{
	if (*fd >= 0)
		(void)close(*fd);
	*fd = -1;
}

static inline void descriptor_close_all(int *fds, size_t count)
{
	for (size_t i = 0; i < count; i++)
		closep(&fds[i]);
}

/* Returns *fd, and sets *fd to -1, so that closep() does not close it. */
static inline int take_fd(int *fd)
{
	int taken = *fd;

	*fd = -1;
	return taken;
}

static inline void dir_closep(DIR **dir)
{
	if (*dir)
		(void)closedir(*dir);
}

static inline void fclosep(FILE **stream)
{
	if (*stream)
		(void)fclose(*stream);
}

/*
 * These two functions open a name in `directory` for reading, and follow no link at the name. They
 * return a descriptor or -errno. descriptor_open_file() does not wait if the name is a FIFO.
 */
int descriptor_open_file(int directory, const char *name);
int descriptor_open_directory(int directory, const char *name);

/** Opens the directory `fd` once more. Returns a stream for closedir(3), or NULL with errno. */
DIR *descriptor_list(int fd);

/**
 * Examines `path` by statx(2), and follows no link at its last name. If `path` is "", examines the
 * file of the descriptor `directory`. If the file is mounted on its path (mount --bind),
 * ret->st_nlink is at least 2, as the file also has the name from which it was mounted. Returns 0
 * or -errno.
 */
int descriptor_stat(int directory, const char *path, struct stat *ret);

/** Raises this process's limit of open descriptors to its hard limit. */
void descriptor_raise_limit(void);

/** Sorts `kept`. Closes all descriptors from 3 on that are not in `kept`. Allocates nothing. */
void descriptor_close_except(int *kept, size_t count);

/* Size of "/proc/self/fd/N", in bytes. */
#define DESCRIPTOR_LINK_MAX (sizeof("/proc/self/fd/") + 3 * sizeof(int))

/** Writes "/proc/self/fd/N". This path opens the file of `fd`, even if it was renamed (proc(5)). */
void descriptor_link(int fd, char ret[DESCRIPTOR_LINK_MAX]);

/**
 * Finds the present path of the descriptor's file. For a removed file, " (deleted)" follows the
 * last name (proc(5)). Returns 0 with the absolute path; -ENOENT: the file has no path; or another
 * -errno.
 */
int descriptor_path(int fd, char ret[PATH_MAX]);
