/*
 * The route of a path: the names that the kernel goes through until it is there, and those of every
 * symbolic link's target on the way (path_resolution(7)).
 *
 *      /srv/app/plyfs.yaml      /srv/app ─▶ ../data/app
 *
 *      steps: "/", /srv, /srv/app (the link), /data, /data/app, /data/app/plyfs.yaml
 */
#pragma once

#include <stdbool.h>
#include <sys/stat.h>

struct route_step {
	int at;           /* the directory that the name is in, O_PATH; -1: `fd` begins the route, or a
			     link of the kernel's has led there, past all names */
	const char *name; /* in it; NULL: see `at` */
	const char *path; /* absolute, with no link above the name; of a file that a link of the
			     kernel's leads to as proc(5) has it */
	int fd;           /* what the name leads to, O_PATH; a link itself; -errno: nothing */
	struct stat stat; /* of it, if it is there */
	bool is_last;     /* nothing is to go behind the name, unless it is a link */
};

/**
 * Calls `each` for every step; a result that is not 0 ends the route and is returned. Returns 0 at
 * its end, or the -errno with which the last step failed, which `each` has had as `fd`. What this
 * process mounted and serves is passed by as in followed_path.h: -ELOOP where the route leads into
 * it.
 */
int route_each(const char *path, int (*each)(void *context, const struct route_step *step),
	void *context);
