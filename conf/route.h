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
	/* The directory of the name, O_PATH. -1: there is no name, as `fd` begins the route, or a
	 * magic link of the kernel's leads to `fd`. */
	int at;
	const char *name; /* the name in `at`; NULL if that is -1 */
	/* absolute, with no link above the name; of a file behind a magic link, as in proc(5) */
	const char *path;
	/* the file of the name, or the link itself if it is one, O_PATH; -errno: there is none */
	int fd;
	struct stat stat; /* of `fd`, if it is open */
	bool is_last;     /* no name follows, unless this one is a link */
};

/**
 * Calls `each` for every step. If `each` returns a value other than 0, the route ends, and
 * route_each() returns that value. Otherwise it returns 0 at the end of the route, or the -errno of
 * the last step, which `each` got as `fd`. At the root of a mount that this process serves, the
 * route goes on beneath the mount (followed_path.h); elsewhere in the mount, it ends with -ELOOP.
 */
int route_each(
	const char *path, int (*each)(void *context, const struct route_step *step), void *context);

/**
 * As route_each(), but returns -EREMOTE before it goes to a path for which `avoids` returns true.
 * So it does not ask a file system that is mounted at such a path.
 */
int route_each_avoiding(const char *path, bool (*avoids)(void *context, const char *path),
	int (*each)(void *context, const struct route_step *step), void *context);
