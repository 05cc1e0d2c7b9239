/*
 * A workspace: a directory for the one file that a program is run for. Made by plyfs-run, filled
 * and given to the program's user by the process that becomes it, and removed with all that was
 * left in it by who watches over the program; by plyfs-run if that is killed.
 */
#pragma once

#include <sys/types.h>

/* Bytes of the directory's path. */
#define WORKSPACE_PATH_MAX 64

struct workspace {
	char path[WORKSPACE_PATH_MAX]; /* "": none */
};

/** Makes an empty one, for us alone. 0 or -errno. */
int workspace_make(struct workspace *workspace);

/**
 * Writes what `fd` holds into it, as a file of the name that `path` ends with, which that user
 * alone may read, and search the directory. Returns 0 with *ret, the file's path, for free(3); or
 * -errno.
 */
int workspace_fill(const struct workspace *workspace, int fd, const char *path, uid_t uid,
	gid_t gid, char **ret);

/** Removes it. No process works in it any more. */
void workspace_remove(const struct workspace *workspace);
