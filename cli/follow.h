/* Path resolution in an offline tree (offline.h): symbolic links are followed as in a mount. */
#pragma once

#include "offline.h"

/**
 * Follows the links of `path`, which is relative to the root, to a file. Does not read the file.
 * Returns 0 with the file's path in *ret for free(3); PROBLEM, also if `path` leads out of the
 * tree; or -errno (-ENOENT, -ENOTDIR, -EISDIR, -ELOOP).
 */
int follow(const struct offline *offline, const char *path, char **ret, struct problem *problem);

/**
 * Resolves `path`, except its last name, which may be a link or missing. *ret has no "." and "..".
 * If the last name is "..", "." or empty (as in "dir/"), *ret is the path of a directory; "" is the
 * root. Returns as follow(), but never -EISDIR.
 */
int follow_to(const struct offline *offline, const char *path, char **ret, struct problem *problem);
