#include "spare.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cleanup.h"
#include "descriptor.h"
#include "key_path.h"
#include "store.h"
#include "tree.h"

#define SPARE STORE_SPARE_NAME

/* The name of a new directory that is to replace another. */
#define RENEWED STORE_RENEWED_NAME

void spare_fini(struct spare *spare)
{
	if (spare->fd >= 0)
		close(spare->fd);
	spare->fd = -1;
	path_list_fini(&spare->stale);
}

void spare_drop(struct spare *spare)
{
	spare_fini(spare);
	(void)tree_remove(spare->state_fd, SPARE);
	(void)tree_remove(spare->state_fd, RENEWED);
}

void spare_keep(struct spare *spare, const char *name, int fd, struct path_list *stale)
{
	spare_drop(spare);
	spare->fd = fd;
	spare->stale = *stale;
	*stale = (struct path_list){0};
	if (renameat(spare->state_fd, name, spare->state_fd, SPARE) < 0)
		spare_drop(spare);
}

void spare_note(struct spare *spare, const char *path)
{
	if (spare->fd < 0)
		return;
	if (spare->stale.count >= SPARE_STALE_MAX)
		path_list_sort(&spare->stale);
	if (spare->stale.count >= SPARE_STALE_MAX ||
		path_list_add(&spare->stale, path, strlen(path)) < 0)
		spare_drop(spare);
}

bool spare_is_worth_it(const struct spare *spare, size_t changes)
{
	return spare->fd >= 0 && changes + spare->stale.count <= SPARE_STALE_MAX;
}

/* Returns whether the path is the same file in both trees, or in neither. */
static bool is_same(int one, int other, const char *path)
{
	struct stat a, b;
	bool is_in_one = tree_stat(one, path, &a) == 0,
	     is_in_other = tree_stat(other, path, &b) == 0;

	return is_in_one == is_in_other && (!is_in_one || tree_is_same(&a, &b));
}

/* Renews the existing directories above `path`, except those that are also above `before`. */
static int renew_way(const struct spare *spare, int fd, const char *path, const char *before)
{
	char way[KEY_PATH_MAX + 1];
	size_t common = 0;
	int r = 0;

	while (before[common] && before[common] == path[common])
		common++;
	for (const char *slash = path; r == 0 && (slash = strchr(slash, '/')); slash++) {
		size_t len = (size_t)(slash - path);

		if (len < common)
			continue;
		snprintf(way, sizeof(way), "%.*s", (int)len, path);
		r = tree_renew(fd, way, spare->state_fd, RENEWED);
	}
	return r == -ENOENT || r == -ENOTDIR ? 0 : r;
}

static int renew(const struct spare *spare, int fd, const struct path_list *paths)
{
	const char *before = "";
	int r = 0;

	for (size_t i = 0; r == 0 && i < paths->count; i++) {
		r = renew_way(spare, fd, paths->paths[i], before);
		before = paths->paths[i];
	}
	return r;
}

/*
 * Makes the spare equal to the present tree. Different files are removed first, so that they are
 * not in the way of the others.
 */
static int catch_up(int fd, int present_fd, const struct path_list *stale)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < stale->count; i++)
		if (!is_same(fd, present_fd, stale->paths[i]))
			r = tree_unlink(fd, stale->paths[i]);
	for (size_t i = 0; r == 0 && i < stale->count; i++)
		if (!is_same(fd, present_fd, stale->paths[i]))
			r = tree_link_file(present_fd, fd, stale->paths[i]);
	return r;
}

/* Opens the tree `name`, as a new directory that no process has open. */
static int open_renewed(const struct spare *spare, const char *name)
{
	int r = tree_renew(spare->state_fd, name, spare->state_fd, RENEWED);

	return r < 0 ? r : tree_open(spare->state_fd, name);
}

int spare_take(
	struct spare *spare, const char *name, int present_fd, const struct path_list *changes)
{
	CLEANUP(path_list_fini) struct path_list all = {0};

	path_list_sort(&spare->stale);
	int r = path_list_add_all(&all, &spare->stale);
	if (r == 0)
		r = path_list_add_all(&all, changes);
	path_list_sort(&all);
	if (r == 0 && renameat(spare->state_fd, SPARE, spare->state_fd, name) < 0)
		r = -errno;
	CLEANUP(closep) int fd = r < 0 ? r : open_renewed(spare, name);
	r = fd < 0 ? fd : renew(spare, fd, &all);
	if (r == 0)
		r = catch_up(fd, present_fd, &spare->stale);
	spare_drop(spare);
	if (r == 0) {
		r = fd;
		fd = -1;
	}
	return r;
}
