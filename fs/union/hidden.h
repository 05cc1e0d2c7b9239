/*
 * Files of a layer that do not show, as a layer above hides them: with a whiteout (.wh.NAME, or
 * overlayfs' device 0/0), an opaque directory (.wh..wh..opq), or something of another kind in the
 * place of the file or of a directory above it.
 */
#pragma once

#include <limits.h>

#include "settings.h"

struct hidden {
	unsigned layer;      /* that has the file */
	unsigned by;         /* the layer that hides it */
	char mark[PATH_MAX]; /* what hides it, in that layer */
};

/**
 * What the layers below `below` have at `path` and is hidden: that of the highest. Returns 1 with
 * *ret; 0: nothing is hidden; or a shortage as -errno.
 */
int hidden_find(
	const struct settings *settings, unsigned below, const char *path, struct hidden *ret);

/** "site/.wh.motd", as messages name a file. Returns 0 with *ret for free(3), or -ENOMEM. */
int hidden_mark_name(
	const struct settings *settings, const struct hidden *hidden, char **ret);
