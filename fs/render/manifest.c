#include "manifest.h"

#include <errno.h>
#include <fcntl.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "descriptor.h"

#define NAME "manifest"
#define NEW_NAME "manifest.new"
#define HEAD "plyfs render 1\n"

struct manifest {
	void *tree; /* tsearch(3), of struct owned by path */
	size_t count;
	int fd; /* of the log, for appending */
};

static int compare(const void *a, const void *b)
{
	const struct owned *left = a, *right = b;

	return strcmp(left->path, right->path);
}

static void owned_free(void *owned)
{
	free((char *)((struct owned *)owned)->path);
	free(owned);
}

void manifest_free(struct manifest *manifest)
{
	if (!manifest)
		return;
	tdestroy(manifest->tree, owned_free);
	if (manifest->fd >= 0)
		close(manifest->fd);
	free(manifest);
}

void manifest_freep(struct manifest **manifest)
{
	manifest_free(*manifest);
}

struct owned *manifest_find(const struct manifest *manifest, const char *path)
{
	struct owned **found = tfind(&(struct owned){.path = path}, &manifest->tree, compare);

	return found ? *found : NULL;
}

/* The path is copied. */
static int insert(
	struct manifest *manifest, const char *path, bool is_directory, struct owned **ret)
{
	struct owned *owned = calloc(1, sizeof(*owned));

	if (!owned)
		return -ENOMEM;
	*owned = (struct owned){.path = strdup(path), .is_directory = is_directory};
	if (!owned->path || !tsearch(owned, &manifest->tree, compare)) {
		owned_free(owned);
		return -ENOMEM;
	}
	manifest->count++;
	*ret = owned;
	return 0;
}

static void delete (struct manifest *manifest, struct owned *owned)
{
	tdelete(owned, &manifest->tree, compare);
	manifest->count--;
	owned_free(owned);
}

/* "+ sub/app.yaml\n", for free(3). NULL: no memory. */
static char *make_line(char sign, const char *path, bool is_directory)
{
	char *line = malloc(2 * strlen(path) + 5), *out = line;

	if (!line)
		return NULL;
	*out++ = sign;
	*out++ = ' ';
	for (; *path; path++) {
		if (*path == '\n' || *path == '\\')
			*out++ = '\\';
		*out++ = *path == '\n' ? 'n' : *path;
	}
	if (is_directory)
		*out++ = '/';
	*out++ = '\n';
	*out = '\0';
	return line;
}

/* In one call, so that it is there whole or not. */
static int append(int fd, char sign, const char *path, bool is_directory)
{
	CLEANUP(freep) char *line = make_line(sign, path, is_directory);

	if (!line)
		return -ENOMEM;
	ssize_t len = (ssize_t)strlen(line), n = write(fd, line, (size_t)len);
	if (n == len)
		return 0;
	return n < 0 ? -errno : -ENOSPC;
}

/* The path in a line, which it is made of. */
static bool read_path(char *line, bool *is_directory)
{
	char *out = line, *at = line;

	for (; *at; at++) {
		if (*at == '\\' && at[1])
			*out++ = *++at == 'n' ? '\n' : *at;
		else
			*out++ = *at;
	}
	*out = '\0';
	*is_directory = out > line && out[-1] == '/';
	if (*is_directory)
		*--out = '\0';
	return out > line && line[0] != '/';
}

static int take_line(struct manifest *manifest, char *line)
{
	char sign = line[0];
	bool is_directory;
	struct owned *owned;

	if ((sign != '+' && sign != '-') || line[1] != ' ' || !read_path(line + 2, &is_directory))
		return -EBADMSG;
	owned = manifest_find(manifest, line + 2);
	if (owned && (sign == '-' || owned->is_directory != is_directory)) {
		delete (manifest, owned);
		owned = NULL;
	}
	return sign == '+' && !owned ? insert(manifest, line + 2, is_directory, &owned) : 0;
}

static int read_log(struct manifest *manifest, FILE *in)
{
	CLEANUP(freep) char *line = NULL;
	size_t size = 0;
	ssize_t len;
	int r = 0;

	len = getline(&line, &size, in);
	if (len < 0 || strcmp(line, HEAD) != 0)
		return -EBADMSG;
	while (r == 0 && (len = getline(&line, &size, in)) > 0) {
		if (line[len - 1] != '\n')
			break; /* killed while it was written */
		line[len - 1] = '\0';
		r = take_line(manifest, line);
	}
	return r;
}

/* Written anew, as it would grow without end. */
static int begin_log(struct manifest *manifest, int directory)
{
	CLEANUP(closep)
	int fd = openat(directory, NEW_NAME,
		O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
	CLEANUP(freep) struct owned **all = NULL;
	size_t count;
	int r = fd < 0 ? -errno : manifest_list(manifest, "", &all, &count);

	if (r == 0 && write(fd, HEAD, strlen(HEAD)) != (ssize_t)strlen(HEAD))
		r = errno ? -errno : -ENOSPC;
	for (size_t i = 0; r == 0 && i < count; i++)
		r = append(fd, '+', all[i]->path, all[i]->is_directory);
	if (r == 0 && fsync(fd) < 0)
		r = -errno;
	if (r == 0 && renameat(directory, NEW_NAME, directory, NAME) < 0)
		r = -errno;
	if (r < 0)
		return r;
	manifest->fd = fd;
	fd = -1;
	return 0;
}

int manifest_open(int directory, struct manifest **ret)
{
	CLEANUP(manifest_freep) struct manifest *manifest = calloc(1, sizeof(*manifest));
	int fd = openat(directory, NAME, O_RDONLY | O_NOFOLLOW | O_CLOEXEC), r = 0;

	bool is_new = fd < 0 && errno == ENOENT;
	if (!manifest) {
		closep(&fd);
		return -ENOMEM;
	}
	manifest->fd = -1;
	if (fd < 0 && !is_new)
		return -errno;
	if (fd >= 0) {
		FILE *in = fdopen(fd, "r");

		if (!in) {
			closep(&fd);
			return -ENOMEM;
		}
		r = read_log(manifest, in);
		fclose(in);
	}
	if (r == 0)
		r = begin_log(manifest, directory);
	if (r == 0)
		*ret = take_ptr(manifest);
	return r;
}

int manifest_add(struct manifest *manifest, const char *path, bool is_directory, struct owned **ret)
{
	struct owned *owned = manifest_find(manifest, path);

	if (owned && owned->is_directory == is_directory) {
		*ret = owned;
		return 0;
	}
	int r = append(manifest->fd, '+', path, is_directory);
	if (r < 0)
		return r;
	if (owned)
		delete (manifest, owned);
	return insert(manifest, path, is_directory, ret);
}

int manifest_drop(struct manifest *manifest, struct owned *owned)
{
	int r = append(manifest->fd, '-', owned->path, owned->is_directory);

	delete (manifest, owned);
	return r;
}

struct list {
	const char *path;
	size_t len;
	struct owned **items;
	size_t count;
};

static void take(const void *node, VISIT visit, void *context)
{
	struct list *list = context;
	struct owned *owned = *(struct owned *const *)node;

	if ((visit == postorder || visit == leaf) &&
		(list->len == 0 ||
			(strncmp(owned->path, list->path, list->len) == 0 &&
				(owned->path[list->len] == '/' || !owned->path[list->len]))))
		list->items[list->count++] = owned;
}

int manifest_list(
	const struct manifest *manifest, const char *path, struct owned ***ret, size_t *count)
{
	const struct owned *own = manifest_find(manifest, path);
	size_t most = own && !own->is_directory ? 1 : manifest->count;
	struct list list = {path, strlen(path), calloc(most + 1, sizeof(struct owned *)), 0};

	if (!list.items)
		return -ENOMEM;
	/* A file needs no look at all the others. */
	if (own && !own->is_directory)
		list.items[list.count++] = manifest_find(manifest, path);
	else
		twalk_r(manifest->tree, take, &list);
	*ret = list.items;
	*count = list.count;
	return 0;
}
