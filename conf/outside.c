#include "outside.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "descriptor.h"
#include "text.h"

static _Thread_local const struct outside_delegate *delegate;

void outside_delegate(const struct outside_delegate *named)
{
	delegate = named;
}

static int note(int result)
{
	*delegate->failures += result != 0;
	return result;
}

int outside_read(const char *path, size_t size_max, struct outside_file *ret)
{
	*ret = (struct outside_file){0};
	if (delegate)
		return note(delegate->read(delegate->context, path, size_max, ret));
	/* O_NONBLOCK: a pipe in the file's place must not hang plyfs. */
	CLEANUP(closep) int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &ret->stat) < 0)
		return -errno;
	if (!S_ISREG(ret->stat.st_mode))
		return 0;
	CLEANUP(freep) char *text = NULL;
	int r = text_read(fd, size_max, &text, &ret->len);
	/* The time of the last change, if that came while the file was read. */
	if (r == 0 && fstat(fd, &ret->stat) < 0)
		r = -errno;
	if (r == 0)
		ret->text = take_ptr(text);
	return r;
}

int outside_find(const char *path, char ret[PATH_MAX])
{
	if (delegate)
		return note(delegate->find(delegate->context, path, ret));
	CLEANUP(closep) int fd = open(path, O_PATH | O_CLOEXEC);
	return fd < 0 ? -errno : descriptor_path(fd, ret);
}

int outside_find_missing(const char *path, char ret[PATH_MAX])
{
	CLEANUP(freep) char *copy = strdup(path), *name = strdup(path);
	int r = outside_find(path, ret);

	if (!copy || !name)
		return -ENOMEM;
	const char *above = dirname(copy);
	if (r != -ENOENT || strcmp(above, path) == 0)
		return r;
	r = outside_find_missing(above, ret);
	if (r < 0)
		return r;
	size_t len = strcmp(ret, "/") == 0 ? 0 : strlen(ret);
	int n = snprintf(ret + len, PATH_MAX - len, "/%s", basename(name));
	return (size_t)n < PATH_MAX - len ? 0 : -ENAMETOOLONG;
}

/* Opens the directory with O_PATH. Returns -1 if it is missing and may be; or -errno. */
static int open_directory(const char *path, unsigned wanted, int *ret)
{
	struct stat status;
	int r;

	*ret = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (*ret >= 0)
		return 0;
	r = -errno;
	/* A file in place of the directory is a mistake, not a missing layer. */
	bool is_missing = (r == -ENOENT || r == -ENOTDIR) && stat(path, &status) < 0;
	return is_missing && (wanted & OUTSIDE_OPTIONAL) ? 0 : r;
}

/* O_PATH checks no permission. Lists the directory now: later every call would fail. */
static int check_entries(int directory, unsigned wanted)
{
	CLEANUP(dir_closep) DIR *stream = descriptor_list(directory);
	const struct dirent *entry;

	if (!stream)
		return -errno;
	if (!(wanted & OUTSIDE_FILLED))
		return 0;
	do {
		errno = 0;
		entry = readdir(stream);
	} while (entry && (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0));
	return entry ? 0 : errno ? -errno : -ENODATA;
}

static int check_owner(const char *path, uid_t owner)
{
	struct stat above;
	CLEANUP(freep) char *home = strndup(path, (size_t)(strrchr(path, '/') - path));

	if (!home)
		return -ENOMEM;
	if (stat(home, &above) < 0)
		return -errno;
	return above.st_uid == owner ? 0 : -EXDEV;
}

int outside_open(const char *path, unsigned wanted, struct outside_directory *ret)
{
	CLEANUP(closep) int fd = -1;

	*ret = (struct outside_directory){.fd = -1};
	if (delegate)
		return note(delegate->open(delegate->context, path, wanted, ret));
	int r = open_directory(path, wanted, &fd);
	if (r < 0 || fd < 0)
		return r;
	r = check_entries(fd, wanted);
	if (r == 0 && fstat(fd, &ret->stat) < 0)
		r = -errno;
	if (r == 0 && (wanted & OUTSIDE_OWNED))
		r = check_owner(path, ret->stat.st_uid);
	if (r == 0)
		r = store_find(fd, &ret->store);
	if (r < 0)
		return r;
	ret->fd = take_fd(&fd);
	return 0;
}

int outside_trust(const struct trusted *trusted, struct problem *problem)
{
	int r = delegate ? note(delegate->trust(delegate->context, trusted, problem))
			 : trust_check(trusted, problem);

	if (r >= 0 || r == -ENOMEM || r == -ESTALE)
		return r;
	return problem_at(problem, trusted->node,
		"can't find out whether commands may be run for %s: %s", trusted->path,
		text_error(r));
}
