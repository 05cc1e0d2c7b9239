/*
 * plyfs umount, also in the form in which umount(8) calls it: umount.fuse.plyfs MOUNTPOINT
 * [OPTION...]
 *
 * When umount(2) returns, the kernel has not notified the daemon yet, and the daemon still holds
 * its layers: "umount mnt && umount LAYER" would fail, as the layer is busy. So this command waits
 * for the daemon's end.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "cleanup.h"
#include "command.h"
#include "descriptor.h"
#include "document.h"
#include "layer_choice.h"
#include "message.h"
#include "mount_table.h"
#include "mountpoint.h"
#include "plyfs_mount.h"
#include "probe.h"
#include "report.h"
#include "text.h"

/* Time limit in ms for the daemon's process number: a stopped daemon never answers. */
#define ANSWER_MS 1000

/*
 * Time limit in ms for the daemon's end. It takes milliseconds. But if a process in a container
 * still has the mount, which is not visible from here, the daemon does not end.
 */
#define END_MS 3000

/*
 * A daemon that publishes by the mount's path, as an ordinary user's does, is inside of its mount
 * for a moment at each change. Nor does a program that only reads a file fail the command.
 */
#define BUSY_TRIES 100
#define BUSY_PAUSE_NS 10000000

/*
 * Writes the process number of the daemon, in a child. A private mount answers only its own user,
 * and not even root, so the child takes on that user's rights.
 */
static int write_pid(void *context, int out)
{
	const struct mountpoint *mountpoint = context;
	CLEANUP(document_freep) struct document *document = NULL;

	if (geteuid() == 0 &&
		(setresgid(mountpoint->gid, mountpoint->gid, mountpoint->gid) < 0 ||
			setresuid(mountpoint->uid, mountpoint->uid, mountpoint->uid) < 0))
		return -errno;
	if (plyfs_mount_report_within(mountpoint->path, &document) != 0)
		return -ENOENT;
	pid_t pid = (pid_t)report_number(document->roots[0], "pid");
	return text_write(out, (const char *)&pid, sizeof(pid));
}

/* Opens a descriptor that becomes readable when the daemon ends; -1: the daemon is unknown. */
static int open_daemon(struct mountpoint *mountpoint)
{
	CLEANUP(freep) char *text = NULL;
	pid_t daemon = 0;
	size_t len = 0;

	if (probe_run(ANSWER_MS, write_pid, mountpoint, &text, &len) == 0 && len == sizeof(daemon))
		memcpy(&daemon, text, sizeof(daemon));
	return daemon > 0 ? (int)syscall(SYS_pidfd_open, daemon, 0) : -1;
}

/* Does mountpoint_end(), at a moment when the daemon is not inside of its mount. */
static int end_mount(const struct mountpoint *mountpoint, int flags)
{
	int r = -EBUSY;

	for (int try = 0; r == -EBUSY && try < BUSY_TRIES; try++) {
		if (try > 0)
			nanosleep(&(struct timespec){.tv_nsec = BUSY_PAUSE_NS}, NULL);
		r = mountpoint_end(mountpoint->path, flags);
		/* It has ended nevertheless, and fails in the programs that use it. */
		if (r == -EBUSY && flags & MNT_FORCE)
			r = mountpoint_end(mountpoint->path, MNT_DETACH);
		/* fusermount3 does not report the reason. */
		if (r == -EPERM && mountpoint->uid == getuid())
			r = -EBUSY;
	}
	return r;
}

struct mount_above {
	int id;               /* of the mount */
	char found[PATH_MAX]; /* the path of a mount that lies on it */
};

static bool lies_on(void *context, const struct table_mount *mount)
{
	struct mount_above *above = context;

	if (mount->parent != above->id)
		return false;
	strcpy(above->found, mount->path);
	return true;
}

static int complain(const struct mountpoint *mountpoint, int result)
{
	struct mount_above above = {.id = mountpoint->id};

	if (result == -EBUSY && mount_table_each(-1, lies_on, &above) > 0)
		return message("%s: is busy: another file system is mounted in it, on %s; unmount "
			       "that first",
			mountpoint->path, above.found);
	if (result == -EBUSY)
		return message(
			"%s: is busy: a program has something in it open, or works in it, for a "
			"second by now; 'fuser -vm' lists it, and with -l the mount ends after the "
			"last",
			mountpoint->path);
	if (result == -EPERM)
		return message(
			"%s: is the mount of another user; only that user and root can unmount it",
			mountpoint->path);
	if (result == -ENOENT)
		return message(
			"%s: fusermount3 is missing; install the package fuse3, or unmount as root",
			mountpoint->path);
	if (result == -ENXIO)
		return message(
			"%s: fusermount3 needs /etc/mtab, which is missing; make it as root with "
			"'ln -s ../proc/self/mounts /etc/mtab', or unmount as root",
			mountpoint->path);
	return message("%s: can't be unmounted: %s", mountpoint->path, text_error(result));
}

static int unmount(int flags, struct mountpoint *mountpoint)
{
	/* After a lazy unmount the daemon ends only when the last user of the mount has gone. */
	CLEANUP(closep) int daemon_fd = flags & MNT_DETACH ? -1 : open_daemon(mountpoint);
	int r = end_mount(mountpoint, flags);
	if (r < 0)
		return complain(mountpoint, r);
	if (daemon_fd >= 0 && !mountpoint_is_mounted(-1, 0, mountpoint->dev))
		poll(&(struct pollfd){.fd = daemon_fd, .events = POLLIN}, 1, END_MS);
	return EXIT_DONE;
}

static int unmount_path(int flags, const char *path)
{
	struct mountpoint mountpoint;
	int r = mountpoint_take(path, &mountpoint);

	if (r == -ENOENT)
		return message(
			"%s: no plyfs is mounted there; 'findmnt -t fuse.plyfs' lists them", path);
	if (r < 0)
		return layer_choice_complain(NULL, path, r, NULL);
	int code = unmount(flags, &mountpoint);
	free(mountpoint.path);
	return code;
}

static int run(const struct command *command, int argc, char **argv)
{
	bool is_lazy = false, is_forced = false;
	const char *namespace = NULL; /* a mount name space, for setns(2); NULL: ours */
	/* Options that umount(8) passes, without a meaning here. */
	const char *ignored_type;
	bool is_ignored;
	const struct command_option options[] = {
		{'f', "force", .flag = &is_forced},
		{'l', "lazy", .flag = &is_lazy},
		{'n', "no-mtab", .flag = &is_ignored},
		{'r', "read-only", .flag = &is_ignored},
		{'v', "verbose", .flag = &is_ignored},
		{'t', "types", .text = &ignored_type},
		{'N', "namespace", .text = &namespace},
		{0},
	};

	int code = command_options(command, options, argc, argv);
	if (code >= 0)
		return code;
	if (optind == argc)
		return command_misuse(command, "the mountpoint is missing");
	CLEANUP(closep) int fd = namespace ? open(namespace, O_RDONLY | O_CLOEXEC) : -1;
	if (namespace && (fd < 0 || setns(fd, CLONE_NEWNS) < 0))
		return message("%s: can't be entered: %s", namespace, text_error(-errno));
	code = EXIT_DONE;
	for (int i = optind; i < argc; i++)
		if (unmount_path((is_lazy ? MNT_DETACH : 0) | (is_forced ? MNT_FORCE : 0),
			    argv[i]) != EXIT_DONE)
			code = EXIT_FAILED;
	return code;
}

const struct command command_umount = {
	.name = "umount",
	.synopsis = "[-f] [-l] MOUNTPOINT...",
	.summary = "unmount, and wait until the mount's process is gone",
	.help = "Unmounts, also as an ordinary user. Returns when the mount's process has ended "
		"and has closed the layers, so that their file systems can be unmounted. umount(8) "
		"does the same.\n"
		"\n"
		"  -f, --force   unmount even if it does not answer; as root, also if it is busy\n"
		"  -l, --lazy    detach it now, and wait for nothing: it ends with its last user\n"
		"\n"
		"The options -n, -r, -v, -t TYPE and -N NAMESPACE are those that umount(8) "
		"passes.\n",
	.run = run,
};
