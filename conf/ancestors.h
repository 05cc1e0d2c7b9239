/*
 * The ancestors of a file: the directories above the place to which a path of a layer really leads.
 *
 * With the layer's option `follow`, a link may lead to a file beneath directories that the mount
 * does not show. Only a user who may search these directories may read the file. The directories
 * above the links do not count. If the file is in the layer, neither the layer's directory nor the
 * directories above it count (layer_closed_above()).
 */
#pragma once

#include <sys/stat.h>

struct layer;

/**
 * Goes up from the file of `fd` (O_PATH). Calls `each` for each directory whose mode or access list
 * keeps some class of users out. Ends before the layer's directory; or, if the file is outside of
 * the layer, after the root. If `each` returns a value other than 0, stops and returns that value.
 *
 * `path` is the path in the layer that leads to the file. If its last name is no link, `each` is
 * not called: the caller has to check the directories on `path`. If the file was removed, or `fd`
 * is the -errno of a failed open, `each` gets a directory that no user may search.
 *
 * Returns 0; -EREMOTE (followed_path.h); or -errno if memory or descriptors are short, or a file
 * system has failed (layer_has_failed()).
 */
int ancestors_each_closed(const struct layer *layer, const char *path, int fd,
	int (*each)(void *context, const struct stat *directory), void *context);

/**
 * Clears the bits of a class (owner, group or others) in stat->st_mode if some user of that class
 * may be unable to search the directory `above`.
 */
void ancestors_narrow(struct stat *stat, const struct stat *above);
