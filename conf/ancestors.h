/*
 * The ancestors of a file: the directories above the place to which a path of a layer really leads.
 *
 * With `follow`, a link may lead past directories that the mount does not show, inside of the layer
 * and outside. Only a user who may search these directories may read the files beneath them, just
 * as without a mount.
 *
 * Directories above a link on the way do not count: a user who may search the directories above the
 * file itself can reach the file without the links. The directories above the layer do not count,
 * either, as in a bind mount (layer_closed_above() finds them).
 */
#pragma once

#include <sys/stat.h>

struct layer;

/**
 * Calls `each` for each directory above the file of `fd` (O_PATH) that some class of users may not
 * search by its mode or access list. The walk ends at the layer's directory, or at the root if the
 * file is outside of the layer. If `each` returns a value other than 0, the walk ends, and
 * ancestors_each_closed() returns that value.
 *
 * `path` leads to the file. If its last name is no link, `each` is not called, and the caller has
 * to check the directories of `path`. If the file's place can't be determined, for example because
 * the file was moved or `fd` is the -errno of a failed open, `each` gets a directory that no user
 * may search.
 *
 * Returns 0; -EREMOTE (followed_path.h); or -errno if memory or descriptors are short.
 */
int ancestors_each_closed(const struct layer *layer, const char *path, int fd,
	int (*each)(void *context, const struct stat *directory), void *context);

/**
 * Removes from stat->st_mode the rights of each class that has a member who may not search the
 * directory `above`.
 */
void ancestors_narrow(struct stat *stat, const struct stat *above);
