/*
 * Drift: the changes in a rendered tree that plyfs did not make. The functions also work while no
 * process renders the tree.
 */
#pragma once

#include "fingerprint.h"

/**
 * Compares the tree at `root` with its manifest, and calls `each` for each difference, and for each
 * file that can't be read. Of such a file `error` is an errno; otherwise it is 0. `path` is
 * relative to the tree; "./NAME" is a link beside the generations (generation.h). Returns 0;
 * -ENOENT if plyfs has not rendered the directory; -EBADMSG if another version of plyfs has; or
 * another -errno.
 */
int drift_find(const char *root,
	void (*each)(void *context, const char *path, enum drift drift, int error), void *context);

/** Finds the fingerprint of `path` in the manifest; mode 0: no entry. Returns as drift_find(). */
int drift_was(const char *root, const char *path, struct fingerprint *ret);

/** Returns whether a process is rendering the tree now. */
bool drift_is_rendered_now(const char *root);
