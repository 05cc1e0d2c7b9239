/*
 * A mirror of a reference in a git repository. The program git does the work:
 *
 *      fetch into STATE/git, a bare repository ─▶ verify ─▶ list and read the tree ─▶ a draft
 *
 * A draft is the next tree, while it is made; STATE is the mirror's own directory (replica.h). Each
 * commit is one state. Nothing is checked out, so the repository's hooks, filters, attributes and
 * submodules have no effect. A link that leads out of the mirrored tree is a fault, and left out.
 *
 * If history was rewritten, the new commit is accepted, and the rewriting is a fault until the next
 * commit. A commit that has no ancestor in common with the mirrored one is held back (mirror.h).
 */
#pragma once

#include "mirror.h"

struct git_options {
	const char *url;
	const char *ref;     /* "main", "refs/tags/…" */
	const char *path;    /* the directory in the repository; "": all of the repository */
	const char *verify;  /* a file with the key that must have signed a new commit; or NULL */
	unsigned interval_s; /* seconds between two fetches */
};

/** Keeps the mirror up to date. Returns only on a failure: PROBLEM or -errno. */
int git_mirror(const struct git_options *options, const struct mirror_options *mirror,
	struct problem *problem);
