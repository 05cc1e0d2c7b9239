#include "way.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>

#include "access_list.h"
#include "cleanup.h"
#include "descriptor.h"
#include "layer.h"

/* Whether what lies at `place` is in the directory that `path` is in, by that name: no link. */
static bool is_direct(const struct layer *layer, const char *path, const char *place)
{
	char above[PATH_MAX];
	const char *name;

	if (!*path)
		return true;
	CLEANUP(closep) int parent = layer_open_parent(layer, path, &name);
	if (parent < 0 || descriptor_path(parent, above) < 0)
		return false;
	size_t length = strcmp(above, "/") == 0 ? 0 : strlen(above);
	return strncmp(place, above, length) == 0 && place[length] == '/' &&
	       strcmp(place + length + 1, name) == 0;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Opens the directory that what `fd` leads to lies in. A descriptor, or -errno. */
static int open_above(int fd, char *place)
{
	char *name = strrchr(place, '/');
	struct stat own, there;

	*name++ = '\0';
	int above = open(*place ? place : "/", O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (above < 0)
		return -errno;
	if (fstat(fd, &own) == 0 && fstatat(above, name, &there, AT_SYMLINK_NOFOLLOW) == 0 &&
		is_same(&own, &there))
		return above;
	closep(&above);
	return -ENOENT;
}

/* The directory that `at` lies in; `at` itself where it is the root. */
static int go_up(int *at)
{
	int above = openat(*at, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (above < 0)
		return -errno;
	closep(at);
	*at = above;
	return 0;
}

int way_each_closed(const struct layer *layer, const char *path, int fd,
	int (*each)(void *context, const struct stat *directory), void *context)
{
	static const struct stat closed = {.st_mode = S_IFDIR};
	CLEANUP(closep) int at = -1;
	char place[PATH_MAX];
	struct stat root, here, below = {0};
	int r = 0;

	if (descriptor_path(fd, place) < 0 || fstat(layer->dirfd, &root) < 0)
		return each(context, &closed);
	if (is_direct(layer, path, place))
		return 0;
	at = open_above(fd, place);
	if (at < 0)
		return each(context, &closed);
	while (fstat(at, &here) == 0 && !is_same(&here, &root) && !is_same(&here, &below)) {
		below = here;
		access_list_heed(at, &here);
		if ((here.st_mode & 0111) != 0111)
			r = each(context, &here);
		if (r != 0)
			return r;
		if (go_up(&at) < 0)
			return each(context, &closed);
	}
	return 0;
}

void way_narrow(struct stat *stat, const struct stat *above)
{
	bool group = above->st_mode & S_IXGRP;
	bool other = above->st_mode & S_IXOTH;
	/* The directory's owner is in a class of his own there, and in any of the file's here. */
	bool own = above->st_uid == stat->st_uid || above->st_uid == 0 || above->st_mode & S_IXUSR;
	bool owner = stat->st_uid == 0 ||
		     (above->st_uid == stat->st_uid ? above->st_mode & S_IXUSR : group && other);

	if (above->st_gid != stat->st_gid)
		group = other = group && other;
	stat->st_mode &= ~(mode_t)0777 | (owner ? 0700 : 0) | (group && own ? 070 : 0) |
			 (other && own ? 07 : 0);
}
