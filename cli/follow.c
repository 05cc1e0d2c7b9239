#include "follow.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"

/* Maximum number of links, as in the kernel (path_resolution(7)). */
#define LINKS_MAX 40

/* Size of a path, in bytes, as in the kernel. */
#define PATH_SIZE 4096

/* A path during resolution: `done` has no links left, `rest` remains. */
struct path_resolution {
	char done[PATH_SIZE];
	char rest[PATH_SIZE];
	unsigned links;
};

/* Takes the first name off `rest`. False: there is none. */
static bool next_name(struct path_resolution *way, char *name)
{
	const char *start = way->rest + strspn(way->rest, "/");
	size_t len = strcspn(start, "/");

	memcpy(name, start, len);
	name[len] = '\0';
	memmove(way->rest, start + len, strlen(start + len) + 1);
	return len > 0;
}

/* Removes the last name of `done`. False: it is the root. */
static bool go_up(struct path_resolution *way)
{
	char *slash = strrchr(way->done, '/');

	if (!*way->done)
		return false;
	*(slash ? slash : way->done) = '\0';
	return true;
}

static int go_down(struct path_resolution *way, const char *name)
{
	size_t len = strlen(way->done), name_len = strlen(name);

	if (len + name_len + 2 > sizeof(way->done))
		return -ENAMETOOLONG;
	if (len > 0)
		way->done[len++] = '/';
	memcpy(way->done + len, name, name_len + 1);
	return 0;
}

/* Puts a link's target in front of `rest`; `done` is the link. */
static int take_link(struct path_resolution *way, const char *target, struct problem *problem)
{
	CLEANUP(freep) char *rest = NULL;

	if (++way->links > LINKS_MAX)
		return -ELOOP;
	if (*target == '/')
		return problem_set(problem, way->done, 0, 0,
			"is a link out of the tree, to '%s'; read that file", target);
	/* A slash behind the last name would require a directory. */
	if (asprintf(&rest, "%s%s%s", target, *way->rest ? "/" : "", way->rest) < 0)
		return -ENOMEM;
	if (strlen(rest) >= sizeof(way->rest))
		return -ENAMETOOLONG;
	strcpy(way->rest, rest);
	go_up(way);
	return 0;
}

static bool is_at_end(const struct path_resolution *way)
{
	return way->rest[strspn(way->rest, "/")] == '\0';
}

/* Resolves one name. Returns 0 to continue, or with *ret at the end of the path. */
static int step(struct offline *offline, struct path_resolution *way, const char *name,
	struct version **ret, struct problem *problem)
{
	CLEANUP(version_unrefp) struct version *version = NULL;

	if (strcmp(name, ".") == 0)
		return 0;
	if (strcmp(name, "..") == 0)
		return go_up(way) ? 0
				  : problem_set(problem, way->done, 0, 0,
					    "leads out of the tree by '..'; give a path in it");
	int r = go_down(way, name);
	if (r < 0)
		return r;
	r = offline_read(offline, way->done, &version, problem);
	if (r == -EISDIR)
		return 0;
	if (r != 0)
		return r;
	if (version->kind == VERSION_LINK)
		return take_link(way, version->data, problem);
	if (!is_at_end(way) || *way->rest)
		return -ENOTDIR;
	*ret = take_ptr(version);
	return 0;
}

/* Resolves the whole path. *ret is set if it ends at an object other than a directory. */
static int go(struct offline *offline, struct path_resolution *way, struct version **ret,
	struct problem *problem)
{
	char name[PATH_SIZE];
	int r = 0;

	while (r == 0 && !*ret && next_name(way, name))
		r = step(offline, way, name, ret, problem);
	return r;
}

static int way_new(const char *path, size_t len, struct path_resolution **ret)
{
	struct path_resolution *way = len < PATH_SIZE ? calloc(1, sizeof(*way)) : NULL;

	if (!way)
		return len < PATH_SIZE ? -ENOMEM : -ENAMETOOLONG;
	memcpy(way->rest, path, len);
	*ret = way;
	return 0;
}

int follow(struct offline *offline, const char *path, struct version **ret, struct problem *problem)
{
	CLEANUP(freep) struct path_resolution *way = NULL;
	CLEANUP(version_unrefp) struct version *version = NULL;

	int r = way_new(path, strlen(path), &way);
	if (r == 0)
		r = go(offline, way, &version, problem);
	if (r == 0 && !version)
		r = -EISDIR;
	if (r == 0)
		*ret = take_ptr(version);
	return r;
}

int follow_to(struct offline *offline, const char *path, char **ret, struct problem *problem)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	CLEANUP(freep) struct path_resolution *way = NULL;
	CLEANUP(version_unrefp) struct version *version = NULL;

	if (strcmp(name, "") == 0 || strcmp(name, ".") == 0 || strcmp(name, "..") == 0) {
		int r = follow(offline, path, &version, problem);
		return r == 0 ? -ENOTDIR : r;
	}
	int r = way_new(path, (size_t)(name - path), &way);
	if (r == 0)
		r = go(offline, way, &version, problem);
	if (r == 0 && version)
		r = -ENOTDIR;
	if (r == 0)
		r = go_down(way, name);
	if (r == 0 && !(*ret = strdup(way->done)))
		r = -ENOMEM;
	return r;
}
