/* Path resolution in an offline tree (offline.h): symbolic links are followed as in a mount. */
#pragma once

#include "offline.h"

/**
 * Reads the version to which `path`, relative to the root, leads. Returns 0 with *ret for
 * version_unref(); PROBLEM, also if `path` leads out of the tree; or -errno (-ENOENT, -ENOTDIR,
 * -EISDIR, -ELOOP).
 */
int follow(
	struct offline *offline, const char *path, struct version **ret, struct problem *problem);

/** As follow(), but *ret is the path of the version, for free(3). */
int follow_path(struct offline *offline, const char *path, char **ret, struct problem *problem);

/**
 * Resolves `path`, except its last name, which may be a link or missing. *ret has no "." and "..".
 * If the last name is "..", "." or empty (as in "dir/"), *ret is the path of a directory; "" is the
 * root. Returns as follow_path(), but never -EISDIR.
 */
int follow_to(struct offline *offline, const char *path, char **ret, struct problem *problem);
