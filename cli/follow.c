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
	enum union_kind kind; /* UNION_FILE: `done` is a file, and the path ends */
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
	if (!*resolution->done)
		return false;
	path_cut(resolution->done);
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

/* Resolves a name that is no directory. The caller reads the file at the end. */
static int take_file(void *context, const struct composer *composer, const char *path,
	const struct union_lookup *lookup, struct problem *problem)
{
	CLEANUP(path_list_fini) struct path_list asked = {0};
	CLEANUP(version_unrefp) struct version *version = NULL;
	struct path_resolution *resolution = context;

	resolution->kind = *resolution->rest ? UNION_DIRECTORY : lookup->kind;
	if (resolution->kind == UNION_FILE)
		return 0;
	int r = compose(composer, path, lookup, &asked, &version, problem);
	if (r != 0)
		return r;
	return version->kind == VERSION_LINK ? take_link(resolution, version->data, problem)
					     : -ENOTDIR;
}

static int step(const struct offline *offline, struct path_resolution *resolution, const char *name,
	struct problem *problem)
{
	if (strcmp(name, ".") == 0)
		return 0;
	if (strcmp(name, "..") == 0)
		return go_up(resolution) ? 0 : refuse_to_leave(resolution, problem);
	int r = go_down(resolution, name);
	if (r == 0)
		r = offline_look_at(offline, resolution->done, take_file, resolution, problem);
	return r == -EISDIR ? 0 : r;
}

/* Resolves the first `len` bytes of the path. */
static int resolve(const struct offline *offline, const char *path, size_t len,
	struct path_resolution **ret, struct problem *problem)
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
	while (r == 0 && (*ret)->kind != UNION_FILE && next_name(*ret, name))
		r = step(offline, *ret, name, problem);
	return r;
}

static int done_path(const struct path_resolution *resolution, char **ret)
{
	*ret = strdup(resolution->done);
	return *ret ? 0 : -ENOMEM;
}

int follow(const struct offline *offline, const char *path, char **ret, struct problem *problem)
{
	CLEANUP(freep) struct path_resolution *resolution = NULL;
	int r = resolve(offline, path, strlen(path), &resolution, problem);

	if (r == 0 && resolution->kind != UNION_FILE)
		r = -EISDIR;
	return r == 0 ? done_path(resolution, ret) : r;
}

int follow_to(const struct offline *offline, const char *path, char **ret, struct problem *problem)
{
	const char *name = path_name(path);
	bool has_name = *name && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
	CLEANUP(freep) struct path_resolution *resolution = NULL;

	int r = resolve(offline, path, has_name ? (size_t)(name - path) : strlen(path), &resolution,
		problem);
	if (r == 0 && resolution->kind == UNION_FILE)
		r = -ENOTDIR;
	if (r == 0 && has_name)
		r = go_down(resolution, name);
	return r == 0 ? done_path(resolution, ret) : r;
}
