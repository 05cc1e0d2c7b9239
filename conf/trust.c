#include "trust.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "cleanup.h"
#include "descriptor.h"
#include "mount_table.h"
#include "route.h"

#define REFUSED "plyfs %s that only %s can write, and "

struct claim {
	const struct trusted *trusted;
	struct problem *problem;
	struct stat last;
};

struct path_part {
	const char *path;
	const char *kind; /* "the directory " */
	const struct stat *stat;
};

static const char *who_may(void)
{
	return geteuid() ? "root and you" : "root";
}

static bool is_file_itself(const struct claim *claim, const struct path_part *part)
{
	return part->path == claim->trusted->path;
}

static int refuse_owner(const struct claim *claim, const struct path_part *part)
{
	const struct trusted *trusted = claim->trusted;
	const char *owner = geteuid() ? "yourself" : "root";
	bool is_link = S_ISLNK(part->stat->st_mode);

	if (is_file_itself(claim, part))
		return problem_at(claim->problem, trusted->node,
			REFUSED "%s belongs to the user %u: chown %sit to %s", trusted->what,
			who_may(), part->path, (unsigned)part->stat->st_uid, is_link ? "-h " : "",
			owner);
	return problem_at(claim->problem, trusted->node,
		REFUSED "%s%s, on the way to %s, belongs to the user %u: chown %sit to %s, or give "
			"a path without it",
		trusted->what, who_may(), part->kind, part->path, trusted->path,
		(unsigned)part->stat->st_uid, is_link ? "-h " : "", owner);
}

static int refuse_mode(const struct claim *claim, const struct path_part *part)
{
	const struct trusted *trusted = claim->trusted;
	unsigned mode = (unsigned)part->stat->st_mode & 07777;

	if (is_file_itself(claim, part))
		return problem_at(claim->problem, trusted->node,
			REFUSED "%s has the mode %04o: chmod go-w it", trusted->what, who_may(),
			part->path, mode);
	return problem_at(claim->problem, trusted->node,
		REFUSED "%s%s, on the way to %s, belongs to the user %u and has the mode %04o: "
			"chmod go-w it",
		trusted->what, who_may(), part->kind, part->path, trusted->path,
		(unsigned)part->stat->st_uid, mode);
}

static bool may_own(const struct claim *claim, uid_t uid)
{
	return uid == 0 || uid == geteuid() || uid == claim->trusted->user;
}

static int check_stat(const struct claim *claim, const struct path_part *part)
{
	if (!may_own(claim, part->stat->st_uid))
		return refuse_owner(claim, part);
	mode_t mode = part->stat->st_mode;
	bool is_sticky = S_ISDIR(mode) && (mode & S_ISVTX);
	if (!S_ISLNK(mode) && (mode & 022) && !is_sticky)
		return refuse_mode(claim, part);
	return 0;
}

struct mount_owner {
	dev_t dev;
	int64_t uid; /* -1: the table has no such mount */
};

static bool find_mounter(void *context, const struct table_mount *mount)
{
	struct mount_owner *mounter = context;

	if (mount->dev == mounter->dev)
		mounter->uid = mount->uid;
	return mounter->uid >= 0;
}

/*
 * Checks who mounted a FUSE file system. It can show any owner, so its files count as those of the
 * user who mounted it. It may also give no answer to statfs(2) but an error. A mount of another
 * mount namespace, or one that was unmounted while it was in use, is not in the table: any user may
 * have made it.
 */
static int check_mounter(const struct claim *claim, const struct path_part *part, int fd)
{
	struct mount_owner mounter = {.dev = part->stat->st_dev, .uid = -1};
	const struct trusted *trusted = claim->trusted;
	struct statfs fs;

	if (fstatfs(fd, &fs) == 0 && fs.f_type != FUSE_SUPER_MAGIC)
		return 0;
	int r = mount_table_each(-1, find_mounter, &mounter);
	if (r < 0)
		return problem_at(claim->problem, trusted->node,
			REFUSED "%s, on the way to %s, is on a FUSE file system whose user is "
				"unknown, as " MOUNT_TABLE
				" can't be read (%s): mount /proc, or give a path without it",
			trusted->what, who_may(), part->path, trusted->path, strerror(-r));
	if (mounter.uid < 0)
		return problem_at(claim->problem, trusted->node,
			REFUSED
			"%s, on the way to %s, is on a FUSE file system that is not in the table "
			"of mounts, so that its user is unknown: give a path without it",
			trusted->what, who_may(), part->path, trusted->path);
	if (may_own(claim, (uid_t)mounter.uid))
		return 0;
	return problem_at(claim->problem, trusted->node,
		REFUSED
		"%s, on the way to %s, is on a FUSE file system of the user %u, who controls its "
		"content: give a path without it",
		trusted->what, who_may(), part->path, trusted->path, (unsigned)mounter.uid);
}

/* Checks the directory and all above it: a magic link of the kernel's led there. */
static int check_directories(const struct claim *claim, int fd)
{
	CLEANUP(closep) int at = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	struct stat stat, above;

	while (at >= 0) {
		char path[PATH_MAX] = "/";
		(void)descriptor_path(at, path);
		if (fstat(at, &stat) < 0)
			return -errno;
		struct path_part part = {
			path, S_ISDIR(stat.st_mode) ? "the directory " : "", &stat};
		int r = check_stat(claim, &part);
		if (r != 0 || !S_ISDIR(stat.st_mode))
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

static int check_step(void *context, const struct route_step *step)
{
	struct claim *claim = context;

	if (step->fd < 0)
		return 0;
	bool is_end = step->name && !*step->rest && !step->links;
	struct path_part part = {is_end ? claim->trusted->path : step->path,
		S_ISLNK(step->stat.st_mode)   ? "the link "
		: S_ISDIR(step->stat.st_mode) ? "the directory "
					      : "",
		&step->stat};
	int r = step->name ? check_stat(claim, &part) : check_directories(claim, step->fd);
	if (r == 0)
		r = check_mounter(claim, &part, step->fd);
	claim->last = step->stat;
	return r;
}

int trust_check(const struct trusted *trusted, struct problem *problem)
{
	struct claim claim = {.trusted = trusted, .problem = problem};
	const struct stat *read = trusted->read;

	int r = route_each(trusted->place, NULL, check_step, &claim);
	bool is_missing = r == -ENOENT || r == -ENOTDIR;
	if (is_missing)
		return read ? -ESTALE : 0;
	if (r == 0 && read &&
		(claim.last.st_dev != read->st_dev || claim.last.st_ino != read->st_ino))
		return -ESTALE;
	return r;
}
