/*
 * A workspace: a directory with one file for a command of plyfs.yaml. The file has the content to
 * be checked, or the list of changed paths. The guard (guard.h) makes the directory, and removes it
 * after the command. If the guard was killed, the runner (runner.h) removes the directory. The
 * guard's child writes the file, and gives file and directory to the command's user.
 */
#pragma once

#include <sys/types.h>

/* Size of the directory's path, in bytes. */
#define WORKSPACE_PATH_MAX 64

struct workspace {
	char path[WORKSPACE_PATH_MAX]; /* "": none */
};

/** Makes an empty workspace that only our user may access. Returns 0 or -errno. */
int workspace_make(struct workspace *workspace);

/**
 * Copies the content of `fd` to a file in the workspace. The file has the last name in `path`. Only
 * the user `uid` may read the file and search the directory. Returns 0 with *ret, the file's path,
 * for free(3); or -errno.
 */
int workspace_fill(const struct workspace *workspace, int fd, const char *path, uid_t uid,
	gid_t gid, char **ret);

/**
 * Removes the workspace. A directory more than 32 deep stays, and so do the directories above it.
 * Call this function when no process uses the workspace any more.
 */
void workspace_remove(const struct workspace *workspace);
