/*
 * Trust: whose word is a file's? Programs are run only for a plyfs.yaml that nobody but root and
 * who runs us can have written.
 */
#pragma once

#include <sys/stat.h>

#include "node.h"
#include "problem.h"

/**
 * Whether the file at `place`, which messages call `path` and which was read when it was as `read`,
 * and every directory above it, is root's or ours, and writable by nobody else; a directory that
 * others may write with the sticky bit, as /tmp, is fine: what is in it is its owner's. Links are
 * followed, and what they are in counts as well. Returns 0; PROBLEM, at `node`, with the remedy; or
 * -errno.
 */
int trust_check(const char *path, const char *place, const struct stat *read,
	const struct node *node, struct problem *problem);
