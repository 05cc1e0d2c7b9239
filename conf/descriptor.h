/*
 * Helpers for file descriptors: to close one at the end of a scope (CLEANUP(closep) int fd), to
 * list a directory, to find the path of a file, and to raise the limit of their number.
 */
#pragma once

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

static inline void closep(int *fd)
{
	if (*fd >= 0)
		(void)close(*fd);
}

/* Returns the descriptor in *fd, and sets *fd to -1, so that closep() has nothing to close. */
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

/**
 * Opens the directory `fd` once more, to list it. Returns a stream for closedir(3), or NULL with
 * errno. `fd` stays the caller's.
 */
DIR *descriptor_list(int fd);

/** Raises this process's limit of open descriptors to its hard limit. */
void descriptor_raise_limit(void);

/**
 * Closes all descriptors from 3 on except those in `kept`. Sorts that array, and ignores numbers
 * below 3 in it. Allocates nothing, so a forked process may call it.
 */
void descriptor_close_except(int *kept, size_t count);

/* Size of "/proc/self/fd/N", in bytes. */
#define DESCRIPTOR_LINK_MAX (sizeof("/proc/self/fd/") + 3 * sizeof(int))

/** Writes "/proc/self/fd/N", a path that opens the same file even if it was renamed (proc(5)). */
void descriptor_link(int fd, char ret[DESCRIPTOR_LINK_MAX]);

/**
 * Finds the present path of the descriptor's file. A renamed file has its new name. For a removed
 * file, " (deleted)" follows the last name (proc(5)). Returns 0 with the absolute path; -ENOENT if
 * the file has no path; or another -errno.
 */
int descriptor_path(int fd, char ret[PATH_MAX]);
