/*
 * A path in an offline view, with the symbolic links on its way followed, as the kernel would in
 * the mount.
 */
#pragma once

#include "offline.h"

/**
 * The version that `path`, relative to the root, leads to. A link out of the tree is a problem:
 * without a mount nobody knows what it would lead to.
 * Returns 0 with *ret for version_unref(), PROBLEM, or -errno (-ENOENT, -ENOTDIR, -EISDIR, -ELOOP).
 */
int follow(struct offline *offline, const char *path, struct version **ret, struct problem *problem);

/**
 * Where `path` is to be found: with no links on the way, and no "." or "..". The last name is not
 * looked at: it may be a link, or not be there. Results as follow(); -EISDIR when there is no such
 * name, as in "dir/..".
 */
int follow_to(struct offline *offline, const char *path, char **ret, struct problem *problem);
