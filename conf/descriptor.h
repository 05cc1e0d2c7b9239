/*
 * Helpers for file descriptors: closing one at the end of its variable's scope (CLEANUP(closep) int
 * fd), its path, and the limit of their number.
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

/** Raises the number of descriptors that this process may have to its hard limit. */
void descriptor_raise_limit(void);

/**
 * Closes all descriptors from 3 on, but for those in `kept`, which it sorts; numbers below 3 in it
 * do not count. For a process that was forked: allocates nothing.
 */
void descriptor_close_except(int *kept, size_t count);

/* Size of "/proc/self/fd/N", in bytes. */
#define DESCRIPTOR_LINK_MAX (sizeof("/proc/self/fd/") + 3 * sizeof(int))

/** Writes "/proc/self/fd/N". To open that opens the same file, even a renamed one (proc(5)). */
void descriptor_link(int fd, char ret[DESCRIPTOR_LINK_MAX]);

/**
 * Finds the present path of the descriptor's file. A renamed file has its new name. For a removed
 * file, " (deleted)" follows the last name (proc(5)). Returns 0 with the absolute path; -ENOENT if
 * the file has none; or another -errno.
 */
int descriptor_path(int fd, char ret[PATH_MAX]);
