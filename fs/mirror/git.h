/*
 * A mirror of a reference in a git repository. git itself does the work:
 *
 *      fetch into STATE/git, a bare repository ─▶ verify ─▶ list and read the tree ─▶ a draft
 *
 * A commit is one state. Nothing is checked out: no hook, filter, attribute or submodule of the
 * repository, and no configuration but ours, has a say. A symbolic link that leads out of what is
 * mirrored is a trouble of its own and is left out.
 *
 * History that was rewritten is taken, with a trouble that says so until the next commit; one that
 * has nothing in common with what was there is held back.
 */
#pragma once

#include "mirror.h"

struct git_options {
	const char *url;
	const char *ref;     /* "main", "refs/tags/…" */
	const char *path;    /* the directory in the repository; "": all of it */
	const char *verify;  /* file with the one key that commits are signed with; or NULL */
	unsigned interval_s; /* seconds between two looks */
};

/** Keeps the mirror up to date until the process ends. Returns PROBLEM or -errno only. */
int git_mirror(const struct git_options *options, const struct mirror_options *mirror,
	struct problem *problem);
