#include "overseer.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cleanup.h"
#include "clock.h"
#include "command.h"
#include "descriptor.h"
#include "forked.h"
#include "message.h"
#include "plyfs_mount.h"
#include "text.h"
#include "worker_process.h"

/* The time between two looks at the child, in ms. */
#define LOOK_MS 250

/* A thread that was missing at so many looks has ended. */
#define GONE_LOOKS 4

/* Maximum number of threads, of the child and those below it, that are looked at. */
#define THREADS_MAX 64

/* Size of the line of a call in /proc, and of the path of such a file, in bytes. */
#define CALL_MAX 256
#define PROC_PATH_MAX 64

static struct {
	pid_t child;
	int relays[STDERR_FILENO + 1]; /* read ends, by descriptor; -1: the child has our own */
	struct stand {
		long thread;
		char call[CALL_MAX]; /* the call, its arguments, and how often it has waited */
		int64_t since_ms;
		int64_t seen_ms;
	} stands[THREADS_MAX];
} overseer = {.relays = {-1, -1, -1}};

enum naming {
	NAMES_BY_FD,
	NAMES_IN_DIRECTORY, /* a descriptor, and a path from there */
	NAMES_BY_PATH,
};

/* The calls that wait for a file system, by what they have in common; each list ends with -1. */
static const struct {
	enum naming naming;
	bool follows; /* a link may lead to another file system */
	const long *numbers;
} calls[] = {
	{NAMES_IN_DIRECTORY, true,
		(const long[]){SYS_openat, SYS_openat2, SYS_statx, SYS_readlinkat, SYS_faccessat,
			SYS_faccessat2,
#ifdef SYS_newfstatat
			SYS_newfstatat,
#endif
			-1}},
	{NAMES_IN_DIRECTORY, false,
		(const long[]){SYS_mkdirat, SYS_unlinkat, SYS_renameat2, SYS_linkat, SYS_symlinkat,
			SYS_fchmodat, SYS_fchownat, SYS_utimensat,
#ifdef SYS_renameat
			SYS_renameat,
#endif
			-1}},
	{NAMES_BY_PATH, true,
		(const long[]){SYS_statfs, SYS_getxattr, SYS_lgetxattr, SYS_listxattr, SYS_chdir,
#ifdef SYS_open
			SYS_open, SYS_stat, SYS_lstat, SYS_readlink, SYS_access,
#endif
			-1}},
#ifdef SYS_open
	{NAMES_BY_PATH, false, (const long[]){SYS_mkdir, SYS_rename, SYS_unlink, -1}},
#endif
	{NAMES_BY_FD, false,
		(const long[]){SYS_read, SYS_pread64, SYS_write, SYS_pwrite64, SYS_getdents64,
			SYS_fstat, SYS_fstatfs, SYS_lseek, SYS_close, SYS_fgetxattr, SYS_flistxattr,
			SYS_fsetxattr, SYS_fremovexattr, SYS_fchmod, SYS_fchown, SYS_ftruncate,
			SYS_fsync, SYS_fdatasync, SYS_flock, SYS_fchdir, -1}},
};

static bool has_number(const long *numbers, long number)
{
	while (*numbers >= 0 && *numbers != number)
		numbers++;
	return *numbers >= 0;
}

/* Reads the path of a process's descriptor, or its working directory. Empty: there is none. */
static void descriptor_of(pid_t process, int fd, char ret[PATH_MAX])
{
	char link[PROC_PATH_MAX];

	if (fd == AT_FDCWD)
		snprintf(link, sizeof(link), "/proc/%d/cwd", (int)process);
	else
		snprintf(link, sizeof(link), "/proc/%d/fd/%d", (int)process, fd);
	ssize_t len = readlink(link, ret, PATH_MAX - 1);
	ret[len > 0 ? len : 0] = '\0';
}

/* Reads the path that the process has at the address, from the directory. */
static void path_at(pid_t process, uintptr_t address, int directory, char ret[PATH_MAX])
{
	char name[PATH_MAX];
	struct iovec local = {name, sizeof(name) - 1}, remote = {(void *)address, local.iov_len};
	ssize_t len = process_vm_readv(process, &local, 1, &remote, 1, 0);
	int fd;

	name[len > 0 ? len : 0] = '\0';
	/* descriptor_link() of that process */
	if (sscanf(name, "/proc/self/fd/%d", &fd) == 1) {
		descriptor_of(process, fd, ret);
		return;
	}
	if (*name == '/') {
		strcpy(ret, name);
		return;
	}
	descriptor_of(process, directory, ret);
	size_t above = strlen(ret);
	if (*name && above + strlen(name) + 2 <= PATH_MAX)
		strcpy(stpcpy(ret + above, "/"), name);
}

/* Returns whether the call may be one on a silent mount, with its path. */
static bool is_on_mount(pid_t process, const char *call, char path[PATH_MAX])
{
	unsigned long first, second;
	long number;
	size_t i = 0;

	if (sscanf(call, "%ld %lx %lx", &number, &first, &second) != 3)
		return false;
	while (i < sizeof(calls) / sizeof(*calls) && !has_number(calls[i].numbers, number))
		i++;
	if (i == sizeof(calls) / sizeof(*calls))
		return false;
	if (calls[i].naming == NAMES_BY_FD)
		descriptor_of(process, (int)first, path);
	else if (calls[i].naming == NAMES_BY_PATH)
		path_at(process, first, AT_FDCWD, path);
	else
		path_at(process, second, (int)first, path);
	return *path == '/' && (calls[i].follows || plyfs_mount_is_foreign(path));
}

/* Reads the thread's present call, and how often it has waited. False: it is running, or gone. */
static bool read_call(pid_t process, long thread, char ret[CALL_MAX])
{
	char name[PROC_PATH_MAX], line[CALL_MAX];
	unsigned long waits = 0;

	snprintf(name, sizeof(name), "/proc/%d/task/%ld/syscall", (int)process, thread);
	CLEANUP(fclosep) FILE *file = fopen(name, "re");
	if (!file || !fgets(line, sizeof(line), file))
		return false;
	snprintf(name, sizeof(name), "/proc/%d/task/%ld/status", (int)process, thread);
	CLEANUP(fclosep) FILE *status = fopen(name, "re");
	for (char text[CALL_MAX]; status && fgets(text, sizeof(text), status);)
		if (sscanf(text, "voluntary_ctxt_switches: %lu", &waits) == 1)
			break;
	snprintf(ret, CALL_MAX, "%.*s %lu", (int)strcspn(line, "\n") % (CALL_MAX / 2), line, waits);
	return *line >= '0' && *line <= '9';
}

/* Finds the notes on a thread, or those on one that has ended. NULL: there are too many threads. */
static struct stand *stand_of(long thread, int64_t now_ms)
{
	struct stand *free_one = NULL;

	for (size_t i = 0; i < THREADS_MAX; i++) {
		if (overseer.stands[i].thread == thread)
			return &overseer.stands[i];
		if (!overseer.stands[i].thread ||
			now_ms - overseer.stands[i].seen_ms > GONE_LOOKS * LOOK_MS)
			free_one = &overseer.stands[i];
	}
	return free_one;
}

/* Returns whether the thread stands in a call on a mount for too long. */
static bool stands(pid_t process, long thread, int64_t now_ms, char path[PATH_MAX])
{
	struct stand *stand = stand_of(thread, now_ms);
	char call[CALL_MAX] = "";

	if (!stand)
		return false;
	stand->seen_ms = now_ms;
	bool waits = read_call(process, thread, call);
	if (!waits || stand->thread != thread || strcmp(stand->call, call) != 0) {
		stand->thread = thread;
		stand->since_ms = now_ms;
		strcpy(stand->call, call);
	}
	return waits && now_ms - stand->since_ms >= PROBE_MS && is_on_mount(process, call, path);
}

static bool is_standing(pid_t process, char path[PATH_MAX]);

/* Looks at the workers that the thread has forked. All other children have limits of their own. */
static bool has_standing_child(pid_t process, long thread, char path[PATH_MAX])
{
	char name[PROC_PATH_MAX], program[FORKED_NAME_MAX];
	bool is_found = false;
	int child;

	snprintf(name, sizeof(name), "/proc/%d/task/%ld/children", (int)process, thread);
	CLEANUP(fclosep) FILE *children = fopen(name, "re");
	while (children && !is_found && fscanf(children, "%d", &child) == 1) {
		forked_name(child, program);
		is_found = strcmp(program, WORKER_NAME) == 0 && is_standing(child, path);
	}
	return is_found;
}

/* Returns whether the process, or one below it, stands in a call on a mount, with its path. */
static bool is_standing(pid_t process, char path[PATH_MAX])
{
	char name[PROC_PATH_MAX];
	bool is_found = false;

	snprintf(name, sizeof(name), "/proc/%d/task", (int)process);
	CLEANUP(dir_closep) DIR *tasks = opendir(name);
	for (const struct dirent *at; tasks && !is_found && (at = readdir(tasks));) {
		long thread = strtol(at->d_name, NULL, 10);

		is_found = thread > 0 && (stands(process, thread, clock_ms(), path) ||
						 has_standing_child(process, thread, path));
	}
	return is_found;
}

/* Passes on the signal of another process. The terminal's signals reach the child anyway. */
static void pass_on(int number, siginfo_t *info, void *context)
{
	(void)context;
	if (info->si_code <= 0)
		kill(overseer.child, number);
}

static void take_signals(void)
{
	static const int numbers[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
	struct sigaction action = {.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		struct sigaction old;

		if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			sigaction(numbers[i], &action, NULL);
	}
}

/* Passes on what can be read. Returns false at the end. */
static bool relay(int fd)
{
	char bytes[1 << 16];
	ssize_t got = read(overseer.relays[fd], bytes, sizeof(bytes));

	if (got > 0)
		/* The child gets SIGPIPE as if it had written there. */
		return text_write(fd, bytes, (size_t)got) == 0;
	return got < 0 && (errno == EAGAIN || errno == EINTR);
}

/* Ends as the child has ended. */
__attribute__((noreturn)) static void end(int status)
{
	/* Other processes may still hold the pipes, so their end does not come. */
	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
		struct pollfd rest = {.fd = overseer.relays[fd], .events = POLLIN};

		while (overseer.relays[fd] >= 0 && poll(&rest, 1, 0) > 0 && relay(fd))
			;
	}
	if (WIFEXITED(status))
		_exit(WEXITSTATUS(status));
	setrlimit(RLIMIT_CORE, &(struct rlimit){0});
	signal(WTERMSIG(status), SIG_DFL);
	raise(WTERMSIG(status));
	_exit(128 + WTERMSIG(status));
}

__attribute__((noreturn)) static void oversee(int child_fd)
{
	int64_t looked_ms = clock_ms();
	char path[PATH_MAX];
	int status;

	for (;;) {
		struct pollfd waiting[STDERR_FILENO + 1] = {{.fd = child_fd, .events = POLLIN}};

		for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
			waiting[fd] = (struct pollfd){.fd = overseer.relays[fd], .events = POLLIN};
		(void)poll(waiting, STDERR_FILENO + 1, LOOK_MS);
		for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
			if (waiting[fd].revents && !relay(fd))
				close(take_fd(&overseer.relays[fd]));
		if (waitpid(overseer.child, &status, WNOHANG) == overseer.child)
			end(status);
		if (clock_ms() - looked_ms < LOOK_MS)
			continue;
		looked_ms = clock_ms();
		if (!is_standing(overseer.child, path))
			continue;
		plyfs_mount_complain(path);
		kill(overseer.child, SIGKILL);
		_exit(EXIT_FAILED);
	}
}

/*
 * Makes a pipe for each output for whose end another program may wait; of two that are the same
 * pipe, for the first.
 */
static bool make_relays(int ends[STDERR_FILENO + 1])
{
	struct stat found, out = {0};

	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
		int made[2];

		if (fstat(fd, &found) < 0 || !(S_ISFIFO(found.st_mode) || S_ISSOCK(found.st_mode)))
			continue;
		if (found.st_dev == out.st_dev && found.st_ino == out.st_ino) {
			ends[fd] = ends[STDOUT_FILENO];
			continue;
		}
		out = found;
		if (pipe2(made, O_CLOEXEC) < 0)
			return false;
		overseer.relays[fd] = made[0];
		ends[fd] = made[1];
	}
	return true;
}

static void become_child(const int ends[STDERR_FILENO + 1], pid_t parent)
{
	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
		if (ends[fd] >= 0)
			dup2(ends[fd], fd);
	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
		closep(&overseer.relays[fd]);
	if (!forked_dies_with(parent))
		_exit(EXIT_FAILED);
}

void overseer_begin(void)
{
	int ends[STDERR_FILENO + 1] = {-1, -1, -1};
	pid_t parent = getpid();

	if (!plyfs_mount_may_be_silent() || !make_relays(ends))
		return;
	fflush(NULL);
	overseer.child = fork();
	if (overseer.child == 0)
		become_child(ends, parent);
	bool is_shared = ends[STDERR_FILENO] == ends[STDOUT_FILENO];
	closep(&ends[STDOUT_FILENO]);
	if (!is_shared)
		closep(&ends[STDERR_FILENO]);
	if (overseer.child <= 0)
		return;
	take_signals();
	oversee((int)syscall(SYS_pidfd_open, overseer.child, 0));
}
