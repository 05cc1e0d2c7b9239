#include "follow.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "path.h"

/* Maximum number of links, as in the kernel (path_resolution(7)). */
#define LINKS_MAX 40

/* Size of a path, in bytes, as in the kernel. */
#define PATH_SIZE 4096

/* A path during resolution: `done` has no links left, `rest` remains. */
struct path_resolution {
	char done[PATH_SIZE];
	char rest[PATH_SIZE];
	unsigned links;
	const char *given;    /* the whole path, borrowed */
	char link[PATH_SIZE]; /* the last link that was followed */
	size_t after;         /* bytes at the end of `rest` that are not from that link's target */
};

/* Takes the first name off `rest`. False: there is none. */
static bool next_name(struct path_resolution *resolution, char *name)
{
	const char *start = resolution->rest + strspn(resolution->rest, "/");
	size_t len = strcspn(start, "/");

	memcpy(name, start, len);
	name[len] = '\0';
	memmove(resolution->rest, start + len, strlen(start + len) + 1);
	return len > 0;
}

/* Removes the last name of `done`. False: it is the root. */
static bool go_up(struct path_resolution *resolution)
{
	char *slash = strrchr(resolution->done, '/');

	if (!*resolution->done)
		return false;
	*(slash ? slash : resolution->done) = '\0';
	return true;
}

static int go_down(struct path_resolution *resolution, const char *name)
{
	size_t len = strlen(resolution->done), name_len = strlen(name);

	if (len + name_len + 2 > sizeof(resolution->done))
		return -ENAMETOOLONG;
	if (len > 0)
		resolution->done[len++] = '/';
	memcpy(resolution->done + len, name, name_len + 1);
	return 0;
}

/* Puts a link's target in front of `rest`; `done` is the link. */
static int take_link(
	struct path_resolution *resolution, const char *target, struct problem *problem)
{
	CLEANUP(freep) char *rest = NULL;

	if (++resolution->links > LINKS_MAX)
		return -ELOOP;
	if (*target == '/')
		return problem_set(problem, resolution->done, 0, 0,
			"is a link out of the tree, to '%s'; read that file", target);
	/* A slash behind the last name would require a directory. */
	if (asprintf(&rest, "%s%s%s", target, *resolution->rest ? "/" : "", resolution->rest) < 0)
		return -ENOMEM;
	if (strlen(rest) >= sizeof(resolution->rest))
		return -ENAMETOOLONG;
	resolution->after = strlen(resolution->rest);
	strcpy(resolution->rest, rest);
	strcpy(resolution->link, resolution->done);
	go_up(resolution);
	return 0;
}

/* Reports a ".." at the root, by the link that has it, or else by the path. */
static int refuse_to_leave(const struct path_resolution *resolution, struct problem *problem)
{
	if (resolution->links && strlen(resolution->rest) >= resolution->after)
		return problem_set(problem, resolution->link, 0, 0,
			"is a link out of the tree, by '..'; read its target");
	return problem_set(problem, resolution->given, 0, 0,
		"leads out of the tree by '..'; give a path in it");
}

static bool is_at_end(const struct path_resolution *resolution)
{
	return resolution->rest[strspn(resolution->rest, "/")] == '\0';
}

/* Resolves one name. Returns 0 to continue, or with *ret at the end of the path. */
static int step(struct offline *offline, struct path_resolution *resolution, const char *name,
	struct version **ret, struct problem *problem)
{
	CLEANUP(version_unrefp) struct version *version = NULL;

	if (strcmp(name, ".") == 0)
		return 0;
	if (strcmp(name, "..") == 0)
		return go_up(resolution) ? 0 : refuse_to_leave(resolution, problem);
	int r = go_down(resolution, name);
	if (r < 0)
		return r;
	r = offline_read(offline, resolution->done, &version, problem);
	if (r == -EISDIR)
		return 0;
	if (r != 0)
		return r;
	if (version->kind == VERSION_LINK)
		return take_link(resolution, version->data, problem);
	if (!is_at_end(resolution) || *resolution->rest)
		return -ENOTDIR;
	*ret = take_ptr(version);
	return 0;
}

/* Resolves the first `len` bytes of the path. *object is set if it is not a directory. */
static int resolve(struct offline *offline, const char *path, size_t len,
	struct path_resolution **ret, struct version **object, struct problem *problem)
{
	char name[PATH_SIZE];
	int r = 0;

	if (len >= PATH_SIZE)
		return -ENAMETOOLONG;
	*ret = calloc(1, sizeof(**ret));
	if (!*ret)
		return -ENOMEM;
	memcpy((*ret)->rest, path, len);
	(*ret)->given = path;
	while (r == 0 && !*object && next_name(*ret, name))
		r = step(offline, *ret, name, object, problem);
	return r;
}

static int resolve_object(struct offline *offline, const char *path,
	struct path_resolution **resolution, struct version **ret, struct problem *problem)
{
	int r = resolve(offline, path, strlen(path), resolution, ret, problem);

	return r == 0 && !*ret ? -EISDIR : r;
}

int follow(struct offline *offline, const char *path, struct version **ret, struct problem *problem)
{
	CLEANUP(freep) struct path_resolution *resolution = NULL;
	CLEANUP(version_unrefp) struct version *version = NULL;
	int r = resolve_object(offline, path, &resolution, &version, problem);

	if (r == 0)
		*ret = take_ptr(version);
	return r;
}

int follow_path(struct offline *offline, const char *path, char **ret, struct problem *problem)
{
	CLEANUP(freep) struct path_resolution *resolution = NULL;
	CLEANUP(version_unrefp) struct version *version = NULL;
	int r = resolve_object(offline, path, &resolution, &version, problem);

	if (r == 0 && !(*ret = strdup(resolution->done)))
		r = -ENOMEM;
	return r;
}

int follow_to(struct offline *offline, const char *path, char **ret, struct problem *problem)
{
	const char *name = path_name(path);
	bool has_name = *name && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
	CLEANUP(freep) struct path_resolution *resolution = NULL;
	CLEANUP(version_unrefp) struct version *version = NULL;

	int r = resolve(offline, path, has_name ? (size_t)(name - path) : strlen(path), &resolution,
		&version, problem);
	if (r == 0 && version)
		r = -ENOTDIR;
	if (r == 0 && has_name)
		r = go_down(resolution, name);
	if (r == 0 && !(*ret = strdup(resolution->done)))
		r = -ENOMEM;
	return r;
}
