/*
 * Trust in a file: no user except root and the user who runs plyfs can have written, placed or
 * replaced it. Only a trusted plyfs.yaml can make plyfs run commands or mirrors, or write to a
 * directory that a `state` in it names.
 */
#pragma once

#include <sys/stat.h>

#include "node.h"
#include "problem.h"

/* A file to be checked. */
struct trusted {
	/* follows "plyfs" in messages, such as "runs commands only for a plyfs.yaml" */
	const char *what;
	const char *path;        /* as messages show it */
	const char *place;       /* the path for open(2) */
	const struct node *node; /* a PROBLEM is reported at this node */
	/* the file's status when it was read; NULL: it was not read, and may be missing */
	const struct stat *read;
	uid_t user; /* another permitted owner besides root and our user; 0: none */
};

/**
 * Checks the file, and every directory and link on the way to it (route.h). Each must belong to
 * root, our user or `user`, and no other user may be able to write to it. A directory with the
 * sticky bit, like /tmp, may be writable by all. Files on a FUSE file system count as those of the
 * user who mounted it. Returns 0; PROBLEM at trusted->node; -ESTALE if the file that was read is
 * gone, or another file is in its place; or another -errno.
 */
int trust_check(const struct trusted *trusted, struct problem *problem);
