#include "followed_path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "cleanup.h"
#include "descriptor.h"
#include "layer.h"
#include "mount_table.h"

/* Limit of links on the way, as in the kernel (path_resolution(7)). */
#define LINKS_MAX 40

/* The state of a walk: `at` is the present directory, and `rest` the remaining path, which begins
 * with a name. */
struct followed_walk {
	int flags;
	int at; /* O_PATH; closed at the next step */
	unsigned links;
	unsigned links_max; /* 0: no link is followed */
	char rest[PATH_MAX];
};

/* The inode number of a FUSE mount's root (FUSE_ROOT_ID). */
#define ROOT_INO 1

static struct {
	dev_t device;
	int beneath_fd;
} covered = {.beneath_fd = -1};

void followed_path_cover(dev_t device, int beneath_fd)
{
	covered.device = device;
	covered.beneath_fd = beneath_fd;
}

int followed_path_beneath(void)
{
	return covered.beneath_fd;
}

static _Thread_local bool stays_local;
static _Thread_local dev_t remote;

void followed_path_stay_local(bool is_local)
{
	stays_local = is_local;
}

dev_t followed_path_remote(void)
{
	return remote;
}

static int check(int *fd, bool is_local)
{
	struct statx there;

	if (covered.beneath_fd < 0 && !is_local)
		return 0;
	/* Without a mask: FUSE asks for attributes in the mask that it has dropped. */
	if (statx(*fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, 0, &there) < 0)
		return -errno;
	dev_t device = makedev(there.stx_dev_major, there.stx_dev_minor);
	if (covered.beneath_fd < 0 || device != covered.device) {
		int r = is_local ? mount_table_check(device) : 0;
		if (r == -EREMOTE)
			remote = device;
		return r;
	}
	if (there.stx_ino != ROOT_INO)
		return -ELOOP;
	int beneath = openat(covered.beneath_fd, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (beneath < 0)
		return -errno;
	closep(fd);
	*fd = beneath;
	return 1;
}

int followed_path_uncover(int *fd)
{
	return check(fd, false);
}

int followed_path_check(int *fd)
{
	return check(fd, stays_local);
}

static bool is_others_trap(const struct stat *directory, const struct stat *link)
{
	return (directory->st_mode & S_ISVTX) && (directory->st_mode & S_IWOTH) &&
	       link->st_uid != geteuid() && link->st_uid != directory->st_uid;
}

static void go_to(struct followed_walk *walk, int fd)
{
	closep(&walk->at);
	walk->at = fd;
}

/* Moves to the root directory if the path is absolute. The remaining path begins with a name. */
static int begin(struct followed_walk *walk)
{
	size_t slashes = strspn(walk->rest, "/");

	if (slashes == 0)
		return 0;
	CLEANUP(closep) int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	int r = root < 0 ? -errno : followed_path_check(&root);
	if (r < 0)
		return r;
	go_to(walk, take_fd(&root));
	memmove(walk->rest, walk->rest + slashes, strlen(walk->rest + slashes) + 1);
	return 0;
}

static int take_target(struct followed_walk *walk, int link)
{
	char target[PATH_MAX];
	ssize_t len = readlinkat(link, "", target, sizeof(target));

	if (len <= 0)
		return len < 0 ? -errno : -ENOENT;
	size_t rest = strlen(walk->rest);
	if ((size_t)len + rest >= sizeof(walk->rest))
		return -ENAMETOOLONG;
	/* The remaining path is empty, or begins with the slash after the link. */
	memmove(walk->rest + len, walk->rest, rest + 1);
	memcpy(walk->rest, target, (size_t)len);
	return begin(walk);
}

/*
 * Follows a link in /proc. Only the kernel can recognize its magic links, and only the kernel makes
 * links there. Without openat2(2), the link's text is followed, as a path without magic.
 */
static int follow_kernels(struct followed_walk *walk, const char *name, int link)
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_NO_MAGICLINKS};

	/* The link's file belongs to the kernel, too, or is reached by magic. */
	if (!walk->rest[0])
		return -EACCES;
	long fd = syscall(SYS_openat2, walk->at, name, &how, sizeof(how));
	if (fd < 0)
		return errno == ENOSYS || errno == EPERM ? take_target(walk, link) : -errno;
	go_to(walk, (int)fd);
	return 0;
}

static int follow(struct followed_walk *walk, const char *name, int link, const struct stat *stat)
{
	struct stat directory;

	if (++walk->links > walk->links_max)
		return -ELOOP;
	if (layer_is_kernels_own(link))
		return follow_kernels(walk, name, link);
	if (fstat(walk->at, &directory) < 0)
		return -errno;
	return is_others_trap(&directory, stat) ? -EACCES : take_target(walk, link);
}

/* Opens the last name, unless it is a link that must be followed. */
static int open_last(const struct followed_walk *walk, const char *name, int flags)
{
	int fd = openat(walk->at, name, flags | O_NOFOLLOW | O_CLOEXEC);

	if (fd >= 0 || errno != ELOOP)
		return fd < 0 ? -errno : fd;
	/* If the name has become a link meanwhile, the next attempt finds it. */
	return walk->links_max ? -EAGAIN : -ENOTDIR;
}

/* Goes to the next name. Returns 0 if more names follow, 1 with *ret at the end, or -errno. */
static int step(struct followed_walk *walk, int *ret)
{
	char name[NAME_MAX + 1];
	size_t len = strcspn(walk->rest, "/");
	size_t slashes = strspn(walk->rest + len, "/");
	bool is_last = !walk->rest[len + slashes];
	int flags = walk->flags | (slashes ? O_DIRECTORY : 0);
	struct stat stat;

	if (len > NAME_MAX)
		return -ENAMETOOLONG;
	memcpy(name, walk->rest, len);
	name[len] = '\0';
	if (!len)
		strcpy(name, ".");
	int r = layer_may_enter(walk->at, name);
	if (r < 0)
		return r;
	CLEANUP(closep) int fd = openat(walk->at, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	r = fd < 0 ? -errno : walk->links_max ? followed_path_check(&fd) : 0;
	if (r < 0)
		return r;
	bool is_hidden = r > 0;
	if (fstat(fd, &stat) < 0)
		return -errno;
	bool is_followed =
		S_ISLNK(stat.st_mode) && (!is_last || slashes || !(walk->flags & O_NOFOLLOW));
	/* Slashes after the last name stay: they demand a directory. */
	size_t gone = is_followed || is_last ? len : len + slashes;
	memmove(walk->rest, walk->rest + gone, strlen(walk->rest + gone) + 1);
	if (is_followed)
		return walk->links_max ? follow(walk, name, fd, &stat) : -ENOTDIR;
	if (is_hidden || !is_last)
		go_to(walk, take_fd(&fd));
	if (!is_last)
		return 0;
	*ret = open_last(walk, is_hidden ? "." : name, flags);
	return *ret < 0 ? *ret : 1;
}

int followed_path_open(int dirfd, const char *path, int flags, bool follows)
{
	struct followed_walk walk = {
		.flags = flags | (follows ? 0 : O_NOFOLLOW), .links_max = follows ? LINKS_MAX : 0};
	int ret = -1, r = 0;

	if (strlen(path) >= sizeof(walk.rest))
		return -ENAMETOOLONG;
	strcpy(walk.rest, path);
	walk.at = fcntl(dirfd, F_DUPFD_CLOEXEC, 0);
	if (walk.at < 0)
		return -errno;
	r = begin(&walk);
	while (r == 0)
		r = step(&walk, &ret);
	closep(&walk.at);
	return r < 0 ? r : ret;
}
