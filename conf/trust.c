#include "trust.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "descriptor.h"

/* As many links as the kernel follows. */
#define LINKS_MAX 40

#define REFUSED                                                                                    \
	"plyfs runs commands and writes a state only for a plyfs.yaml that nobody but %s can have "   \
	"written, and "

struct claim {
	const char *path; /* for messages */
	const struct node *node;
	struct problem *problem;
};

static const char *who_may(void)
{
	return geteuid() ? "root and you" : "root";
}

static int refuse_owner(const struct claim *claim, const char *what, const struct stat *stat)
{
	return problem_at(claim->problem, claim->node,
		REFUSED "%s%s belongs to the user %u: chown it to %s", who_may(), claim->path, what,
		(unsigned)stat->st_uid, geteuid() ? "yourself" : "root");
}

static int refuse_mode(const struct claim *claim, const char *what, const struct stat *stat)
{
	return problem_at(claim->problem, claim->node,
		REFUSED "%s%s has the mode %04o: chmod go-w it", who_may(), claim->path, what,
		(unsigned)stat->st_mode & 07777);
}

static bool is_sticky_directory(const struct stat *stat)
{
	return S_ISDIR(stat->st_mode) && (stat->st_mode & S_ISVTX);
}

static int check_stat(const struct claim *claim, const char *what, const struct stat *stat)
{
	if (stat->st_uid != 0 && stat->st_uid != geteuid())
		return refuse_owner(claim, what, stat);
	if (!S_ISLNK(stat->st_mode) && (stat->st_mode & 022) && !is_sticky_directory(stat))
		return refuse_mode(claim, what, stat);
	return 0;
}

/* The directory and all above it. */
static int check_directories(const struct claim *claim, int fd)
{
	CLEANUP(closep) int at = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	struct stat stat, above;
	char what[64];

	for (unsigned level = 1; at >= 0; level++) {
		if (fstat(at, &stat) < 0)
			return -errno;
		snprintf(what, sizeof(what), "'s directory%s",
			level > 1 ? ", or one above it," : "");
		int r = check_stat(claim, what, &stat);
		if (r != 0)
			return r;
		int parent = openat(at, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (parent < 0)
			return -errno;
		close(at);
		at = parent;
		if (fstat(at, &above) < 0)
			return -errno;
		if (above.st_dev == stat.st_dev && above.st_ino == stat.st_ino)
			return 0;
	}
	return -errno;
}

/* "DIR/" into *directory, relative to `at`; returns the name. */
static const char *split(char *path, const char **directory)
{
	char *slash = strrchr(path, '/');

	*directory = slash == path ? "/" : slash ? path : ".";
	if (!slash)
		return path;
	if (slash != path)
		*slash = '\0';
	return slash + 1;
}

/* `path` as seen from *at, which becomes the directory that it is in; `path` what it links to. */
static int check_step(const struct claim *claim, int *at, char path[PATH_MAX], struct stat *ret)
{
	const char *directory, *name = split(path, &directory);
	int fd = openat(*at, directory, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	closep(at);
	*at = fd;
	int r = check_directories(claim, fd);
	if (r != 0)
		return r;
	if (fstatat(fd, name, ret, AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	r = check_stat(claim, "", ret);
	if (r != 0 || !S_ISLNK(ret->st_mode))
		return r;
	char target[PATH_MAX];
	ssize_t len = readlinkat(fd, name, target, sizeof(target) - 1);
	if (len < 0)
		return -errno;
	memcpy(path, target, (size_t)len);
	path[len] = '\0';
	return 0;
}

int trust_check(const char *path, const char *place, const struct stat *read,
	const struct node *node, struct problem *problem)
{
	const struct claim claim = {path, node, problem};
	CLEANUP(closep) int at = AT_FDCWD;
	struct stat stat = {.st_mode = S_IFLNK};
	char rest[PATH_MAX];
	int r = 0;

	if (strlen(place) >= sizeof(rest))
		return -ENAMETOOLONG;
	strcpy(rest, place);
	for (int i = 0; r == 0 && S_ISLNK(stat.st_mode); i++)
		r = i < LINKS_MAX ? check_step(&claim, &at, rest, &stat) : -ELOOP;
	if (r == 0 && (stat.st_dev != read->st_dev || stat.st_ino != read->st_ino))
		r = -ESTALE;
	if (r < 0 && r != -ENOMEM)
		return problem_at(problem, node,
			"whether commands may be run for %s can't be told: %s; save it once more",
			path, strerror(-r));
	return r;
}
