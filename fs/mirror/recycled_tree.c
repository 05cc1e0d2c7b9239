#include "recycled_tree.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "cleanup.h"
#include "descriptor.h"
#include "store.h"
#include "tree.h"

#define RECYCLED STORE_RECYCLED_NAME

/* The name of a new directory that is to replace another. */
#define RENEWED STORE_RENEWED_NAME

void recycled_tree_fini(struct recycled_tree *recycled)
{
	closep(&recycled->fd);
	path_list_fini(&recycled->stale);
}

void recycled_tree_drop(struct recycled_tree *recycled)
{
	recycled_tree_fini(recycled);
	(void)tree_remove(recycled->state_fd, RECYCLED);
	(void)tree_remove(recycled->state_fd, RENEWED);
}

void recycled_tree_keep(
	struct recycled_tree *recycled, const char *name, int fd, struct path_list *stale)
{
	recycled_tree_drop(recycled);
	recycled->fd = fd;
	recycled->stale = *stale;
	*stale = (struct path_list){0};
	if (renameat(recycled->state_fd, name, recycled->state_fd, RECYCLED) < 0)
		recycled_tree_drop(recycled);
}

void recycled_tree_note(struct recycled_tree *recycled, const char *path)
{
	if (recycled->fd < 0)
		return;
	if (recycled->stale.count >= RECYCLED_TREE_STALE_MAX)
		path_list_sort(&recycled->stale);
	if (recycled->stale.count >= RECYCLED_TREE_STALE_MAX ||
		path_list_add(&recycled->stale, path, strlen(path)) < 0)
		recycled_tree_drop(recycled);
}

bool recycled_tree_is_worth_it(const struct recycled_tree *recycled, size_t changes)
{
	return recycled->fd >= 0 && changes + recycled->stale.count <= RECYCLED_TREE_STALE_MAX;
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
static int renew_parents(
	const struct recycled_tree *recycled, int fd, const char *path, const char *before)
{
	char parent[TREE_PATH_MAX + 1];
	size_t common = 0;
	int r = 0;

	while (before[common] && before[common] == path[common])
		common++;
	for (const char *slash = path; r == 0 && (slash = strchr(slash, '/')); slash++) {
		size_t len = (size_t)(slash - path);

		if (len < common)
			continue;
		snprintf(parent, sizeof(parent), "%.*s", (int)len, path);
		r = tree_renew(fd, parent, recycled->state_fd, RENEWED);
	}
	return r == -ENOENT || r == -ENOTDIR ? 0 : r;
}

static int renew(const struct recycled_tree *recycled, int fd, const struct path_list *paths)
{
	const char *before = "";
	int r = 0;

	for (size_t i = 0; r == 0 && i < paths->count; i++) {
		r = renew_parents(recycled, fd, paths->paths[i], before);
		before = paths->paths[i];
	}
	return r;
}

/*
 * Makes the recycled tree equal to the present tree. Different files are removed first, so that
 * they are not in the way of the others.
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
static int open_renewed(const struct recycled_tree *recycled, const char *name)
{
	int r = tree_renew(recycled->state_fd, name, recycled->state_fd, RENEWED);

	return r < 0 ? r : descriptor_open_directory(recycled->state_fd, name);
}

int recycled_tree_take(struct recycled_tree *recycled, const char *name, int present_fd,
	const struct path_list *changes)
{
	CLEANUP(path_list_fini) struct path_list all = {0};

	path_list_sort(&recycled->stale);
	int r = path_list_add_all(&all, &recycled->stale);
	if (r == 0)
		r = path_list_add_all(&all, changes);
	path_list_sort(&all);
	if (r == 0 && renameat(recycled->state_fd, RECYCLED, recycled->state_fd, name) < 0)
		r = -errno;
	CLEANUP(closep) int fd = r < 0 ? r : open_renewed(recycled, name);
	r = fd < 0 ? fd : renew(recycled, fd, &all);
	if (r == 0)
		r = catch_up(fd, present_fd, &recycled->stale);
	recycled_tree_drop(recycled);
	return r < 0 ? r : take_fd(&fd);
}
