/*
 * Trust: programs are run, and a state is written, only as files say that nobody but root and the
 * user who runs plyfs can have written, put there or replaced: plyfs.yaml, its presets and schemas,
 * and the programs themselves.
 */
#pragma once

#include <sys/stat.h>

#include "node.h"
#include "problem.h"

/* What is trusted, for messages. */
struct trusted {
	const char *what;   /* "plyfs.yaml", "its schemas" */
	const char *path;   /* as people are told of it */
	const char *place;  /* where it is, for open(2) */
	const struct node *node;
	const struct stat *read; /* as it was when it was read; NULL: it was not, and may be missing */
	uid_t user; /* that it may belong to as well; otherwise root */
};

/**
 * Whether the file, and every directory and link on the way to it (route.h), belongs to root or to
 * us, and is writable for nobody else; a directory that others may write with the sticky bit, as
 * /tmp, is fine: what is in it is its owner's. Returns 0; PROBLEM, at the node, with the part of
 * the way, its owner or mode, and the remedy; -ESTALE: another file is there by now than was read,
 * or none; or another -errno.
 */
int trust_check(const struct trusted *trusted, struct problem *problem);
