/*
 * The ancestors of a file: the directories above the place to which a path of a layer really leads.
 *
 * With the layer's option `follow`, a link may lead to a file beneath directories that the mount
 * does not show, inside of the layer or outside. Only a user who may search these directories may
 * read the files beneath them, just as without a mount.
 *
 * The directories above the links that led to the file do not count: a user who may search the
 * directories above the file itself can reach the file without the links. The directories above the
 * layer do not count, either, as in a bind mount (layer_closed_above() finds them).
 */
#pragma once

#include <sys/stat.h>

struct layer;

/**
 * Goes up from the file of `fd` (O_PATH), and calls `each` for each directory that, by its mode or
 * access list, some class of users may not search. Ends at the layer's directory, or at the root if
 * the file is outside of the layer. If `each` returns a value other than 0, stops and returns that
 * value.
 *
 * `path` is the path in the layer that leads to the file. If its last name is no link, `each` is
 * not called: the caller has to check the directories on `path`. If the file has no place, for
 * example because it was removed or `fd` is the -errno of a failed open, `each` gets a directory
 * that no user may search.
 *
 * Returns 0; -EREMOTE (followed_path.h); or -errno if memory or descriptors are short, or a file
 * system has failed (layer_has_failed()).
 */
int ancestors_each_closed(const struct layer *layer, const char *path, int fd,
	int (*each)(void *context, const struct stat *directory), void *context);

/**
 * Removes from stat->st_mode the rights of each class in which some user may not search the
 * directory `above`.
 */
void ancestors_narrow(struct stat *stat, const struct stat *above);
