/*
 * A file descriptor: closed when its variable goes out of scope (CLEANUP(closep) int fd), as what
 * is read by one, and the path that it leads to; and how many there may be.
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

/** From now on this process may have as many as its hard limit allows. */
void descriptor_raise_limit(void);

/* Bytes of "/proc/self/fd/N". */
#define DESCRIPTOR_LINK_MAX (sizeof("/proc/self/fd/") + 3 * sizeof(int))

/** The name by which what was opened, and nothing else, is opened once more (proc(5)). */
void descriptor_link(int fd, char ret[DESCRIPTOR_LINK_MAX]);

/**
 * The path that the descriptor leads to by now; what was renamed is found by its new name, and
 * " (deleted)" follows the last name of what was removed (proc(5)). Returns 0 with the absolute
 * path, or -errno: -ENOENT for what has none.
 */
int descriptor_path(int fd, char ret[PATH_MAX]);
