/*
 * The route of a path: all names that the kernel resolves on the way, including those in the
 * targets of symbolic links (path_resolution(7)).
 *
 *      /srv/app/plyfs.yaml      /srv/app ─▶ ../data/app
 *
 *      steps: "/", /srv, /srv/app (the link), /data, /data/app, /data/app/plyfs.yaml
 */
#pragma once

#include <stdbool.h>
#include <sys/stat.h>

struct route_step {
	/* The directory of `name`, O_PATH. -1: the step has no name, as it is the start of the
	 * route or of an absolute link's target, or the file to which a magic link leads. */
	int at;
	const char *name; /* the name in `at`; NULL if `at` is -1 */
	/* absolute, with no link above the last name; behind a magic link, the path that the kernel
	 * gives (descriptor_path()) */
	const char *path;
	int fd;           /* the file, or the link itself, O_PATH; -errno: it can't be opened */
	struct stat stat; /* descriptor_stat() of `fd`, if it is open */
	/* what remains behind `name`; "": the name is the last one, but if it is a link, the steps
	 * of its target follow */
	const char *rest;
	unsigned links; /* number of links that were followed so far */
};

/**
 * Calls `each` for every step, even for a name that can't be opened. Before a name is opened, calls
 * `check` (may be NULL) with its path. Returns 0; the first non-zero result of `check` or `each`,
 * at which it stops; or -errno where the route can't go on. At the root of a mount that this
 * process serves, the route goes on in the directory that the mount hides (followed_path.h). At any
 * other path in the mount, it ends with -ELOOP.
 */
int route_each(const char *path, int (*check)(void *context, const char *path),
	int (*each)(void *context, const struct route_step *step), void *context);
