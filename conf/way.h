/*
 * The way to what a path in a layer really leads to. With `follow` a link may lead past directories
 * that the mount does not show: inside of the layer, and outside. Who may not search one of them
 * may not read what lies beneath, as if he had gone the way himself.
 *
 * What counts is where the file lies, not which links lead there: whoever may search those
 * directories can go to it without the links. Of the layer's own place nothing counts, as with a
 * bind mount (layer_closed_above() tells of that).
 */
#pragma once

#include <sys/stat.h>

struct layer;

/**
 * Calls `each` for the directories above what `fd` (O_PATH) leads to, up to the layer or else the
 * root, that are closed to some class of users, by their mode or access list; a result of it that
 * is not 0 ends that and is returned. Of `path`, which leads there, only the last name counts: what
 * is no link lies where the directory above it does, which has a way of its own. Where it can't be
 * told, or the file was moved meanwhile, a directory is closed to everybody: also where `fd` is the
 * -errno with which it could not be opened. Returns 0, or -errno where memory or descriptors are
 * short, which says nothing of the way.
 */
int way_each_closed(const struct layer *layer, const char *path, int fd,
	int (*each)(void *context, const struct stat *directory), void *context);

/** Leaves of the mode what every member of a class has who may also search the directory `above`.
 */
void way_narrow(struct stat *stat, const struct stat *above);
