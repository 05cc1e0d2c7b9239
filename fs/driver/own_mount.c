#include "own_mount.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <unistd.h>

#include "await.h"
#include "cleanup.h"
#include "descriptor.h"
#include "driver.h"
#include "fuse_settings.h"
#include "mountpoint.h"
#include "sandbox.h"

void own_mount_fini(struct own_mount *mount)
{
	closep(&mount->clone_fd);
	closep(&mount->table_fd);
	closep(&mount->beneath_fd);
	free(mount->path);
}

static int find_mountpoint(
	struct own_mount *mount, const struct session_options *options, struct problem *problem)
{
	if (!options->previous)
		return mountpoint_prepare(
			options->mountpoint, options->flags.may_be_system, &mount->path, problem);
	mount->path = realpath(options->mountpoint, NULL);
	return mount->path ? 0 : -errno;
}

int own_mount_prepare(
	struct own_mount *mount, const struct session_options *options, struct problem *problem)
{
	int r = find_mountpoint(mount, options, problem);

	if (r != 0)
		return r;
	mount->beneath_fd = options->previous
				    ? fcntl(previous_beneath(options->previous), F_DUPFD_CLOEXEC, 0)
				    : open(mount->path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return mount->beneath_fd < 0 ? -errno : 0;
}

/*
 * Makes the kernel follow no links in the mount at `path`. Call it before answering any request.
 * Returns 0; -EPERM: only root can; -EINVAL: the kernel is older than 5.14; or another -errno.
 */
static int forbid_links(const char *path)
{
	struct mount_attr attributes = {.attr_set = MOUNT_ATTR_NOSYMFOLLOW};

	return mount_setattr(AT_FDCWD, path, 0, &attributes, sizeof(attributes)) < 0 ? -errno : 0;
}

/*
 * Makes a private, writable clone of the mount at `path`. Then makes the mount itself read-only.
 * Needs CAP_SYS_ADMIN. Returns a descriptor of the clone's root, or -errno.
 */
static int make_clone(const char *path)
{
	struct mount_attr attributes = {.attr_set = MOUNT_ATTR_RDONLY};
	CLEANUP(closep) int fd = open_tree(AT_FDCWD, path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);

	if (fd < 0 || mount_setattr(AT_FDCWD, path, 0, &attributes, sizeof(attributes)) < 0)
		return -errno;
	return take_fd(&fd);
}

int own_mount_make(struct own_mount *mount, struct fuse_session *fuse,
	const struct session_options *options, struct problem *problem)
{
	bool is_mounted = fuse_session_mount(fuse, mount->path) == 0;

	if (!is_mounted && eaccess("/dev/fuse", R_OK | W_OK) < 0 && errno == EACCES)
		return problem_set(problem, mount->path, 0, 0,
			"can't be mounted, as this user can't open /dev/fuse; let root allow it: "
			"chmod 666 /dev/fuse");
	if (!is_mounted && !options->flags.is_private && geteuid() != 0 &&
		!fuse_settings_allow_others())
		return problem_set(problem, mount->path, 0, 0,
			"can't be mounted for all users: " FUSE_SETTINGS
			" has no line 'user_allow_other'; let root add it, or leave allow_other "
			"out");
	if (!is_mounted && access("/dev/fuse", R_OK) == 0 && geteuid() == 0 &&
		!sandbox_has_capability(CAP_SYS_ADMIN))
		return problem_set(problem, mount->path, 0, 0,
			"can't be mounted, as root lacks CAP_SYS_ADMIN here; give it to the "
			"container (--cap-add=SYS_ADMIN), or use 'plyfs render'");
	if (!is_mounted)
		return problem_set(problem, mount->path, 0, 0,
			"can't be mounted; check that /dev/fuse exists (modprobe fuse; for a "
			"container --device=/dev/fuse) and, for an ordinary user, that the package "
			"fuse3 is installed and the mountpoint is yours");
	struct mountpoint made;
	int r = mountpoint_take(mount->path, &made);
	if (r == 0) {
		free(made.path);
		mount->id = made.id;
		mount->dev = made.dev;
	}
	if (r == 0 && options->flags.attributes & MOUNT_ATTR_NOSYMFOLLOW)
		r = forbid_links(mount->path);
	if (r == -EPERM || r == -EINVAL || r == -ENOSYS)
		return problem_set(problem, mount->path, 0, 0,
			"can't be mounted with nosymfollow: only %s can; leave it out",
			r == -EPERM ? "root" : "Linux 5.14 or newer");
	if (r == 0 && !options->flags.is_unpublished)
		mount->clone_fd = make_clone(mount->path);
	return r;
}

bool own_mount_is_there(const struct own_mount *mount)
{
	return mountpoint_is_mounted(mount->table_fd, mount->id, mount->dev);
}

int own_mount_end(const struct own_mount *mount)
{
	struct mountpoint top;

	int r = mountpoint_take(mount->path, &top);
	if (r < 0)
		return r;
	free(top.path);
	/* Another plyfs may be mounted over ours. MNT_FORCE: the daemon answers no more, so a
	 * program that waits for an answer must not hold up the end. */
	return top.dev == mount->dev ? mountpoint_end(mount->path, MNT_FORCE | MNT_DETACH) : -EBUSY;
}

/* Returns whether the kernel has given the numbers of our ended mount to a newer one. */
static bool is_newer(const struct own_mount *mount)
{
	struct mountpoint top;

	if (mountpoint_take(mount->path, &top) < 0)
		return false;
	free(top.path);
	return top.dev == mount->dev && mountpoint_answers(mount->path);
}

int own_mount_remove_aborted(const struct own_mount *mount, int timeout_ms)
{
	for (int ms = 0; own_mount_is_there(mount); ms += 10) {
		if (ms < timeout_ms) {
			await_pause_us(10000);
			continue;
		}
		if (is_newer(mount))
			break;
		(void)own_mount_end(mount);
		return -ECONNABORTED;
	}
	return 0;
}
