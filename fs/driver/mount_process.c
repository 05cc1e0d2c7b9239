#include "mount_process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "await.h"
#include "cleanup.h"
#include "descriptor.h"
#include "driver.h"
#include "fd_message.h"
#include "helper.h"
#include "memory.h"
#include "path.h"

struct request {
	enum mount_call call;
	char path[PATH_MAX]; /* relative to the root; sent up to its NUL */
};

/* The state of the mount process. */
struct caller {
	const char *mountpoint;
	dev_t dev;
	int socket;
	int clone_fd;
	unsigned long long number; /* of versions staged */
};

/* Opens a directory of our mount. -EXDEV: another file system is mounted over it, or on the way. */
static int open_directory(const struct caller *caller, int at, const char *path, int flags)
{
	struct stat stat;
	int fd = openat(at, path, O_PATH | O_DIRECTORY | O_CLOEXEC | flags);

	if (fd < 0)
		return -errno;
	if (fstat(fd, &stat) < 0 || stat.st_dev != caller->dev) {
		close(fd);
		return -EXDEV;
	}
	return fd;
}

/*
 * Calls utimensat(2), which the daemon answers with the file's new time. Sets both times: otherwise
 * watchers would get IN_MODIFY. By a descriptor, not by the name: something may be mounted there.
 */
static int touch(const struct caller *caller, int parent, const char *name)
{
	struct stat stat;
	CLEANUP(closep) int fd = openat(parent, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &stat) < 0)
		return -errno;
	if (stat.st_dev != caller->dev)
		return -EXDEV;
	return utimensat(fd, "", NULL, AT_EMPTY_PATH) < 0 ? -errno : 0;
}

static int call_in(struct caller *caller, int root, int parent, const struct request *request)
{
	const char *name = path_name(request->path);
	char staged[64];
	int r = 0;

	switch (request->call) {
	case MOUNT_CALL_REPLACE:
		/* A new name each time: the kernel may remember the version at an old one. */
		snprintf(staged, sizeof(staged), STAGE_PATH "/" STAGED_PREFIX "%llu",
			++caller->number);
		r = renameat(root, staged, parent, name);
		break;
	case MOUNT_CALL_REMOVE:
		r = unlinkat(parent, name, 0);
		break;
	case MOUNT_CALL_MAKE_DIRECTORY:
		r = mkdirat(parent, name, 0555);
		break;
	case MOUNT_CALL_REMOVE_DIRECTORY:
		r = unlinkat(parent, name, AT_REMOVEDIR);
		break;
	case MOUNT_CALL_TOUCH:
		return touch(caller, parent, name);
	}
	return r < 0 ? -errno : 0;
}

static int call(struct caller *caller, const struct request *request)
{
	char directory[PATH_MAX];
	size_t above = path_directory_length(request->path);
	/* A descriptor kept open on the mountpoint would make umount(8) fail: each is closed. */
	int root = caller->clone_fd < 0 ? open_directory(caller, AT_FDCWD, caller->mountpoint, 0)
					: caller->clone_fd;

	if (root < 0)
		return root;
	snprintf(directory, sizeof(directory), "%.*s", above ? (int)above - 1 : 0, request->path);
	int parent = above ? open_directory(caller, root, directory, O_NOFOLLOW) : root;
	int r = parent < 0 ? parent : call_in(caller, root, parent, request);
	if (parent >= 0 && parent != root)
		close(parent);
	if (root != caller->clone_fd)
		close(root);
	return r;
}

/*
 * After a rename the kernel asks for the attributes of the stage before the next one. Makes it ask
 * now, so that is faster, and not after the answer: then the daemon may leave the mount.
 */
static void refresh_stage(const struct caller *caller)
{
	struct stat stat;

	if (caller->clone_fd >= 0)
		fstatat(caller->clone_fd, STAGE_PATH, &stat, AT_SYMLINK_NOFOLLOW);
}

/* Returns whether the request is whole. The daemon, which sends it, may be compromised. */
static bool is_request(const struct request *request, ssize_t size)
{
	const ssize_t head = offsetof(struct request, path);

	return size > head && memchr(request->path, '\0', (size_t)(size - head));
}

/* Makes calls until the daemon's end of the socket is closed. */
static void serve(struct caller *caller)
{
	struct request request;
	ssize_t n;

	while ((n = recv(caller->socket, &request, sizeof(request), 0)) > 0) {
		int r = is_request(&request, n) ? call(caller, &request) : -EINVAL;

		if (r == 0 && request.call == MOUNT_CALL_REPLACE)
			refresh_stage(caller);
		if (send(caller->socket, &r, sizeof(r), MSG_NOSIGNAL) < 0)
			return;
	}
}

/* Sent to the process when the mount is there, with a descriptor of the mount's root. */
struct hand_over {
	dev_t dev;
	bool is_clone; /* the descriptor is the clone's: keep it */
};

/* Takes the mount. Looks up no path: it may lead through the mount, which nothing serves yet. */
static int take_over(struct caller *caller, struct sandbox *sandbox)
{
	CLEANUP(closep) int root = -1;
	struct hand_over mount;
	struct sandbox_state state;
	struct problem problem;

	if (fd_message_take(caller->socket, &mount, sizeof(mount), &root) != sizeof(mount))
		return -EPIPE;
	caller->dev = mount.dev;
	/* The process may change names in our mount, and nothing else. */
	int r = sandbox_allow(sandbox, root, SANDBOX_NAMES, &problem);
	if (r == 0)
		r = sandbox_enter(sandbox, &state, &problem);
	if (r == 0 && mount.is_clone)
		caller->clone_fd = take_fd(&root);
	return r == PROBLEM ? -EPERM : r;
}

static bool answer(const struct caller *caller, int r)
{
	return send(caller->socket, &r, sizeof(r), MSG_NOSIGNAL) == sizeof(r) && r == 0;
}

__attribute__((noreturn)) static void run(
	struct caller *caller, const struct sandbox_switches *switches)
{
	const struct sandbox_options options = {.process = SANDBOX_PUBLISH, .switches = *switches};
	struct sandbox *sandbox = NULL;
	struct problem problem;
	struct timespec now = {0};

	/* The kernel may remember the staged names of an earlier mount process. */
	clock_gettime(CLOCK_BOOTTIME, &now);
	caller->number = (unsigned long long)now.tv_sec * 1000000000 + (unsigned long)now.tv_nsec;
	caller->socket = helper_begin(HELPER_PUBLISH, caller->socket, -1);
	/* The process writes no messages. */
	close_range(STDIN_FILENO, STDERR_FILENO, 0);
	int r = sandbox_prepare(&options, &sandbox, &problem);
	if (answer(caller, r == PROBLEM ? -EPERM : r) &&
		answer(caller, take_over(caller, sandbox))) {
		sandbox_freep(&sandbox);
		/* The daemon changes its copy of each page: ours would stay beside it. */
		malloc_trim(0);
		memory_drop_stack();
		serve(caller);
	}
	/* Not exit(3), which would run the daemon's exit handlers. */
	_exit(0);
}

/* Waits for the process's answer. Returns it; -EPIPE: the process has ended. */
static int hear(const struct mount_process *process)
{
	int r;

	await_fd(process->socket, POLLIN, -1);
	return recv(process->socket, &r, sizeof(r), 0) == sizeof(r) ? r : -EPIPE;
}

int mount_process_start(struct mount_process *process, const char *mountpoint,
	const struct sandbox_switches *switches)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return -errno;
	pid_t pid = fork();
	int r = pid < 0 ? -errno : 0;
	if (pid == 0)
		run(&(struct caller){.mountpoint = mountpoint, .socket = ends[1], .clone_fd = -1},
			switches);
	close(ends[1]);
	*process = (struct mount_process){mountpoint, ends[0]};
	if (pid > 0)
		helper_began(HELPER_PUBLISH, pid);
	/* The process looks up paths until it answers. */
	return r < 0 ? r : hear(process);
}

int mount_process_enter(struct mount_process *process, dev_t dev, int clone_fd)
{
	const struct hand_over mount = {.dev = dev, .is_clone = clone_fd >= 0};
	CLEANUP(closep) int root = -1;
	int r;

	if (clone_fd < 0) {
		root = open(process->mountpoint, O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (root < 0)
			return -errno;
	}
	r = fd_message_send(process->socket, &mount, sizeof(mount), root < 0 ? clone_fd : root);
	return r < 0 ? r : hear(process);
}

int mount_process_call(const struct mount_process *process, enum mount_call call, const char *path)
{
	struct request request = {.call = call};
	size_t length = strlen(path);

	if (length >= sizeof(request.path))
		return -ENAMETOOLONG;
	memcpy(request.path, path, length + 1);
	if (send(process->socket, &request, offsetof(struct request, path) + length + 1,
		    MSG_NOSIGNAL) < 0)
		return -EPIPE;
	return hear(process);
}

void mount_process_cancel(const struct mount_process *process)
{
	shutdown(process->socket, SHUT_RDWR);
}

void mount_process_end(struct mount_process *process)
{
	if (!helper_pid(HELPER_PUBLISH))
		return;
	/* First, so that its end is not logged. At once: its call may wait for ever. */
	helper_end(HELPER_PUBLISH, 0);
	mount_process_cancel(process);
}

void mount_process_fini(struct mount_process *process)
{
	mount_process_end(process);
	closep(&process->socket);
}
