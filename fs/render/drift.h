/*
 * Drift: what somebody has changed in a rendered tree, whether or not anybody renders it now.
 */
#pragma once

#include "imprint.h"

/**
 * Compares all that is in the tree at `root` with its manifest, and tells `each` difference: `path`
 * is relative to the tree, and "./NAME" a link that leads into it, as generation.h tells. What
 * can't be read has `error`, an errno. 0; -ENOENT: it was not rendered; -EBADMSG: by another plyfs;
 * or another -errno.
 */
int drift_find(const char *root,
	void (*each)(void *context, const char *path, enum drift drift, int error), void *context);

/** What was written at the path, as the manifest has it. Returns as drift_find(). */
int drift_was(const char *root, const char *path, struct imprint *ret);

/** Whether somebody renders it just now. */
bool drift_is_rendered_now(const char *root);
