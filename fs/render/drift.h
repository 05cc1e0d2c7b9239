/* Drift: the changes in a rendered tree that plyfs did not make. */
#pragma once

#include "fingerprint.h"

/**
 * Compares the rendered tree in `root` with its manifest (manifest.h). For each difference, calls
 * `each` with `error` 0. For each file that can't be read, calls `each` with DRIFT_NONE and an
 * errno. `path` is relative to `root`; "./NAME" is a link beside the generations (generation.h).
 * Returns 0; -ENOENT if plyfs has not rendered the directory; -EBADMSG if another version of plyfs
 * has; or another -errno.
 */
int drift_find(const char *root,
	void (*each)(void *context, const char *path, enum drift drift, int error), void *context);

/** Finds the manifest's fingerprint of `path`; ret->mode 0: none. Returns as drift_find(). */
int drift_was(const char *root, const char *path, struct fingerprint *ret);

/** Returns whether a process is rendering the tree now. */
bool drift_is_rendered_now(const char *root);
