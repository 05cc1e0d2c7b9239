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
	/* The directory of the name, O_PATH. -1: the step has no name. Then `fd` is the directory
	 * at which the route, or the target of an absolute link, begins; or the file to which a
	 * magic link led. */
	int at;
	const char *name; /* the name in `at`; NULL if `at` is -1 */
	/* absolute, with no link above the last name; behind a magic link, the path that the kernel
	 * gives (descriptor_path()) */
	const char *path;
	/* the file with that name, O_PATH; if it is a link, the link itself; -errno: can't be
	 * opened */
	int fd;
	struct stat stat; /* of `fd`, if it is open */
	bool is_last;     /* no name follows but those of the target, if this is a link */
};

/**
 * Calls `each` for every step. If `each` returns a value other than 0, stops and returns that
 * value. Otherwise returns 0 at the end of the route, or -errno where it can't go on. `each` is
 * called for a name that can't be opened, too, with the -errno as `fd`. At the root of a mount that
 * this process serves, the route goes on in the directory that the mount hides (followed_path.h);
 * at any other path in the mount, it ends with -ELOOP.
 */
int route_each(
	const char *path, int (*each)(void *context, const struct route_step *step), void *context);

/**
 * As route_each(), but if `avoids` returns true for the path of the next step, returns -EREMOTE
 * before that step. So a file system that is mounted at such a path gets no request.
 */
int route_each_avoiding(const char *path, bool (*avoids)(void *context, const char *path),
	int (*each)(void *context, const struct route_step *step), void *context);
