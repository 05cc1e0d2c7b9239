/*
 * Path resolution in an offline tree (offline.h): follows the symbolic links on a path, as the
 * kernel would in the mount.
 */
#pragma once

#include "offline.h"

/**
 * Reads the version to which `path`, relative to the root, leads. A link out of the tree is a
 * PROBLEM: without a mount its target is unknown. Returns 0 with *ret for version_unref(), PROBLEM,
 * or -errno (-ENOENT, -ENOTDIR, -EISDIR, -ELOOP).
 */
int follow(
	struct offline *offline, const char *path, struct version **ret, struct problem *problem);

/** As follow(), but *ret is the path of the version, for free(3). */
int follow_path(struct offline *offline, const char *path, char **ret, struct problem *problem);

/**
 * Finds the path to which `path` leads. *ret has no "." and "..", and no links before its last
 * name. The last name is not examined: it may be a link, or missing. If there is no last name, as
 * in "dir/" or "dir/..", *ret is the path of the directory, which is "" for the root. Returns as
 * follow_path(), but never -EISDIR.
 */
int follow_to(struct offline *offline, const char *path, char **ret, struct problem *problem);
