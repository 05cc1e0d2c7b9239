#include "ancestors.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>

#include "access_list.h"
#include "cleanup.h"
#include "descriptor.h"
#include "followed_path.h"
#include "layer.h"

/*
 * Returns whether the file at `place` is in the directory of `path`, under the same name: then
 * `path` is no link. Returns -errno for a shortage.
 */
static int is_direct(const struct layer *layer, const char *path, const char *place)
{
	char above[PATH_MAX];
	const char *name;

	if (!*path)
		return true;
	CLEANUP(closep) int parent = layer_open_parent(layer, path, &name);
	int r = parent < 0 ? parent : descriptor_path(parent, above);
	if (r < 0)
		return layer_says_nothing(r) ? r : false;
	size_t length = strcmp(above, "/") == 0 ? 0 : strlen(above);
	return strncmp(place, above, length) == 0 && place[length] == '/' &&
	       strcmp(place + length + 1, name) == 0;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Opens the directory that contains the file of `fd`. Returns a descriptor, or -errno. */
static int open_above(int fd, char *place)
{
	char *name = strrchr(place, '/');
	struct stat own, there;

	*name++ = '\0';
	/* If a mount of ours hides the directory, the open passes beneath the mount. */
	int above = followed_path_open(
		fd, *place ? place : "/", O_PATH | O_DIRECTORY | O_NOFOLLOW, true);
	if (above < 0)
		return above;
	bool is_seen =
		fstat(fd, &own) == 0 && fstatat(above, name, &there, AT_SYMLINK_NOFOLLOW) == 0;
	if (is_seen && is_same(&own, &there))
		return above;
	int r = is_seen ? -ENOENT : -errno;
	closep(&above);
	return r;
}

/* Moves `at` to its parent directory; the root stays. */
static int go_up(int *at)
{
	int above = openat(*at, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (above < 0)
		return -errno;
	closep(at);
	*at = above;
	return 0;
}

int ancestors_each_closed(const struct layer *layer, const char *path, int fd,
	int (*each)(void *context, const struct stat *directory), void *context)
{
	static const struct stat closed = {.st_mode = S_IFDIR};
	CLEANUP(closep) int at = -1;
	char place[PATH_MAX];
	struct stat here, below = {0};

	int r = fd < 0 ? fd : descriptor_path(fd, place);
	if (r == 0)
		r = is_direct(layer, path, place);
	if (r > 0)
		return 0;
	if (r == 0)
		r = at = open_above(fd, place);
	while (r >= 0) {
		if (fstat(at, &here) < 0) {
			r = -errno;
			break;
		}
		if (layer_is(layer, &here) || is_same(&here, &below))
			return 0;
		below = here;
		r = access_list_heed(at, &here);
		if (r < 0)
			break;
		r = (here.st_mode & 0111) != 0111 ? each(context, &here) : 0;
		if (r != 0)
			return r;
		r = go_up(&at);
	}
	return layer_says_nothing(r) || r == -EREMOTE ? r : each(context, &closed);
}

void ancestors_narrow(struct stat *stat, const struct stat *above)
{
	bool group = above->st_mode & S_IXGRP;
	bool other = above->st_mode & S_IXOTH;
	/* Any class may contain the directory's owner, whose class there counts. */
	bool own = above->st_uid == stat->st_uid || above->st_uid == 0 || above->st_mode & S_IXUSR;
	bool owner = stat->st_uid == 0 ||
		     (above->st_uid == stat->st_uid ? above->st_mode & S_IXUSR : group && other);

	if (above->st_gid != stat->st_gid)
		group = other = group && other;
	stat->st_mode &= ~(mode_t)0777 | (owner ? 0700 : 0) | (group && own ? 070 : 0) |
			 (other && own ? 07 : 0);
}
