/*
 * A mirror of a reference in a git repository. git itself does the work:
 *
 *      fetch into STATE/git, a bare repository ─▶ verify ─▶ list and read the tree ─▶ a draft
 *
 * A commit is one state. Nothing is checked out, so the repository's hooks, filters, attributes and
 * submodules have no effect. Nor have git's system and user configuration, as plyfs sets all
 * options. A link that leads out of the mirrored tree is left out, and reported as a fault of its
 * own.
 *
 * Rewritten history is accepted, and reported as a fault until the next commit. A commit that has
 * no ancestor in common with the present one is held back.
 */
#pragma once

#include "mirror.h"

struct git_options {
	const char *url;
	const char *ref;     /* "main", "refs/tags/…" */
	const char *path;    /* the directory in the repository; "": all of the repository */
	const char *verify;  /* a file with one key, which must have signed the commit; or NULL */
	unsigned interval_s; /* seconds between two fetches */
};

/** Keeps the mirror up to date. Returns only on a failure: PROBLEM or -errno. */
int git_mirror(const struct git_options *options, const struct mirror_options *mirror,
	struct problem *problem);
