#include "guard.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cleanup.h"
#include "clock.h"
#include "descriptor.h"
#include "forked.h"
#include "helper.h"
#include "path.h"
#include "slice.h"
#include "text.h"

/* ms within which killed processes end, unless the kernel itself is busy for one of them. */
#define KILL_MS 2000
#define KILL_PAUSE_MS 2

/* If root mounts, checks run as this user, unless plyfs.yaml names another one. */
#define CHILD_NOBODY "nobody"

/* If there is no user CHILD_NOBODY. */
#define NOBODY_ID 65534

/* The usual limit of descriptors. A high one slows programs that close all possible numbers. */
#define FILES_MAX 1024

/* The place of root's workspaces. Other users can't make names in it. */
#define RUN_DIRECTORY "/run/plyfs"

/* How deep directories that a program has left are removed. Deeper ones stay. */
#define DEPTH_MAX 32

struct guard {
	pid_t pid;
	int output;  /* non-blocking; -1: at its end */
	int report;  /* pipe: the child's struct child_report */
	int signals; /* SIGCHLD */
	int socket;
	int64_t deadline_ms;
	size_t length; /* of the output so far */
	struct run_result result;
};

/* The process that becomes the program. */
struct child {
	const struct run_command *command;
	const char *workspace;
	pid_t guard; /* the parent; the child dies with it */
	int output;  /* becomes standard output and standard error */
	int report;  /* a pipe, closed by exec(2): gets a struct child_report if a step fails */
};

/* The reason why the program was not started. */
struct child_report {
	int error;      /* errno */
	char what[256]; /* the step that failed */
};

struct identity {
	const char *name; /* NULL: the process keeps its user */
	uid_t uid;
	gid_t gid;
};

/* Returns whether RUN_DIRECTORY is usable: other users may pass through it, but not write. */
static bool has_run_directory(void)
{
	struct stat stat;

	if (geteuid() != 0)
		return false;
	/* The umask may have taken rights away. */
	if (mkdir(RUN_DIRECTORY, 0711) == 0)
		(void)chmod(RUN_DIRECTORY, 0711);
	return lstat(RUN_DIRECTORY, &stat) == 0 && S_ISDIR(stat.st_mode) && stat.st_uid == 0 &&
	       !(stat.st_mode & 022) && (stat.st_mode & 0111) == 0111;
}

/* Makes an empty workspace that only our user may access. Returns 0 or -errno. */
static int workspace_make(char workspace[WORKSPACE_PATH_MAX])
{
	strcpy(workspace, RUN_DIRECTORY "/run-XXXXXX");
	if (has_run_directory() && mkdtemp(workspace))
		return 0;
	strcpy(workspace, "/tmp/plyfs-run-XXXXXX");
	if (mkdtemp(workspace))
		return 0;
	workspace[0] = '\0';
	return -errno;
}

/*
 * Copies the content of `fd` to a file in the workspace. The file has the last name in `path`. Only
 * the user `uid` may read the file and search the directory. Returns 0 with *ret, the file's path,
 * for free(3); or -errno.
 */
static int workspace_fill(
	const char *workspace, int fd, const char *path, uid_t uid, gid_t gid, char **ret)
{
	CLEANUP(freep) char *name = NULL;

	if (path_join(workspace, path_name(path), &name) < 0)
		return -ENOMEM;
	CLEANUP(closep)
	int file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0400);
	if (file < 0)
		return -errno;
	int r = text_copy(fd, file);
	if (r < 0)
		return r;
	if (geteuid() == 0 && (fchown(file, uid, gid) < 0 || chown(workspace, uid, gid) < 0))
		return -errno;
	*ret = take_ptr(name);
	return 0;
}

/* Removes the content of the directory `fd`, and closes it. Links are removed, not followed. */
static void empty(int fd, unsigned depth)
{
	DIR *directory = fdopendir(fd);
	const struct dirent *entry;

	if (!directory) {
		close(fd);
		return;
	}
	while ((entry = readdir(directory))) {
		const char *name = entry->d_name;

		if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
			unlinkat(dirfd(directory), name, 0) == 0 || depth == DEPTH_MAX)
			continue;
		int child = openat(
			dirfd(directory), name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (child >= 0)
			empty(child, depth + 1);
		unlinkat(dirfd(directory), name, AT_REMOVEDIR);
	}
	closedir(directory);
}

void workspace_remove(void *path)
{
	const char *workspace = path;

	if (!*workspace)
		return;
	int fd = open(workspace, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0)
		empty(fd, 0);
	rmdir(workspace);
}

__attribute__((noreturn, format(printf, 3, 4))) static void fail(
	const struct child *child, int error, const char *format, ...)
{
	struct child_report report = {.error = error};
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(report.what, sizeof(report.what), format, arguments);
	va_end(arguments);
	/* If the guard can't read the report, it still sees the exit status. */
	_exit(write(child->report, &report, sizeof(report)) < 0 ? 126 : 127);
}

/* Without `user`, commands run as the user who mounts; only root's checks as CHILD_NOBODY. */
static struct identity find_identity(const struct child *child)
{
	const char *name = child->command->program->user;
	struct identity identity = {.uid = geteuid(), .gid = getegid()};

	if (!name && (geteuid() != 0 || child->command->kind != RUN_CHECK))
		return identity;
	errno = 0;
	const struct passwd *user = getpwnam(name ? name : CHILD_NOBODY);
	if (!user && name)
		fail(child, ESRCH, "there is no user '%s'", name);
	identity.uid = user ? user->pw_uid : NOBODY_ID;
	identity.gid = user ? user->pw_gid : NOBODY_ID;
	if (geteuid() == 0)
		identity.name = name ? name : CHILD_NOBODY;
	else if (identity.uid != geteuid())
		fail(child, EPERM, "becoming the user '%s'", name);
	return identity;
}

static void become(const struct child *child, const struct identity *identity)
{
	int r = 0;

	if (identity->name)
		r = child->command->program->user ? initgroups(identity->name, identity->gid)
						  : setgroups(0, NULL);
	if (identity->name &&
		(r < 0 || setresgid(identity->gid, identity->gid, identity->gid) < 0 ||
			setresuid(identity->uid, identity->uid, identity->uid) < 0))
		fail(child, errno, "becoming the user '%s'", identity->name);
	if (child->command->kind == RUN_CHECK && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		fail(child, errno, "setting no_new_privs");
}

static void reset_limits(const struct child *child)
{
	struct rlimit limit = child->command->origin->files;

	setrlimit(RLIMIT_CORE, &(struct rlimit){0});
	if (limit.rlim_cur > FILES_MAX)
		limit.rlim_cur = FILES_MAX;
	setrlimit(RLIMIT_NOFILE, &limit);
}

/*
 * Writes the command's input into its workspace, drops rights that the program must not have, and
 * becomes the program.
 */
__attribute__((noreturn)) static void become_program(const struct child *child)
{
	const struct run_command *command = child->command;
	CLEANUP(arena_freep) struct arena *arena = NULL;
	char *environment[] = {(char[]){"PATH=" CHILD_PATH}, command->origin->language, NULL};
	char *file = NULL;

	/* First of all: from now on the guard can kill the group, even if a later step hangs. */
	setpgid(0, 0);
	helper_reset_signals();
	struct identity identity = find_identity(child);
	int r = workspace_fill(
		child->workspace, command->file, command->path, identity.uid, identity.gid, &file);
	if (r < 0)
		fail(child, -r, "copying the file for it");
	char **words = arena_new(&arena) < 0 ? NULL : program_words(command->program, file, arena);
	if (!words)
		fail(child, ENOMEM, "setting up its arguments");
	reset_limits(child);
	r = forked_keep_only(child->output, (int[]){child->output, child->report}, 2);
	if (r < 0)
		fail(child, -r, "setting up its descriptors");
	become(child, &identity);
	/* After the change of the user, which takes it back. */
	if (!forked_dies_with(child->guard))
		_exit(1);
	umask(077);
	if (chdir("/") < 0)
		fail(child, errno, "going to the root directory");
	environ = environment;
	execvp(words[0], words);
	fail(child, errno, RUN_STARTING);
}

/* Reads output beyond the limit, too: with a full pipe the program would wait for ever. */
static void take_output(struct guard *guard)
{
	char *output = guard->result.output;
	char rest[4096];
	ssize_t n = 1;

	/* Not for ever: the program may write faster than the guard reads. */
	for (int i = 0; i < 64 && n > 0; i++) {
		size_t room = RUN_OUTPUT_MAX - 1 - guard->length;
		/* cppcheck-suppress legacyUninitvar ; read(2) fills it */
		n = read(guard->output, room ? output + guard->length : rest,
			room ? room : sizeof(rest));
		if (room && n > 0)
			guard->length += (size_t)n;
	}
	if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) {
		closep(&guard->output);
	}
}

/* Makes the output a text. If it is full, removes the last line, which may be cut. */
static void end_output(struct guard *guard)
{
	char *output = guard->result.output;
	char *last = memrchr(output, '\n', guard->length);

	if (guard->length == RUN_OUTPUT_MAX - 1 && last)
		guard->length = (size_t)(last - output);
	for (size_t i = 0; i < guard->length; i++)
		if (!output[i])
			output[i] = ' ';
	output[guard->length] = '\0';
}

/* Returns the parent of the process `pid`, a name in /proc; 0: none. */
static pid_t parent_of(const char *pid)
{
	char path[64], text[512];
	int parent = 0;

	snprintf(path, sizeof(path), "/proc/%.20s/stat", pid);
	CLEANUP(closep) int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (n <= 0)
		return 0;
	text[n] = '\0';
	/* "PID (NAME) STATE PARENT": a name may hold anything. */
	const char *end = strrchr(text, ')');
	return end && sscanf(end + 1, " %*c %d", &parent) == 1 ? parent : 0;
}

/* A process that has left the group becomes our child when those between us have ended. */
static void kill_children(void)
{
	CLEANUP(dir_closep) DIR *directory = opendir("/proc");
	const struct dirent *entry;

	while (directory && (entry = readdir(directory)))
		if (isdigit((unsigned char)entry->d_name[0]) &&
			parent_of(entry->d_name) == getpid())
			kill((pid_t)atoi(entry->d_name), SIGKILL);
}

/* Kills all processes of the command, also the program. *status becomes the program's status. */
static void kill_all(struct guard *guard, int *status)
{
	int64_t end_ms = clock_ms() + KILL_MS;

	/* The program was not reaped, so no other process has its number. */
	kill(-guard->pid, SIGKILL);
	kill(guard->pid, SIGKILL);
	while (clock_ms() < end_ms) {
		int ended;
		pid_t pid = waitpid(-1, &ended, WNOHANG);

		if (pid < 0 && errno == ECHILD)
			return;
		if (pid == guard->pid)
			*status = ended;
		if (pid != 0)
			continue;
		kill_children();
		poll(NULL, 0, KILL_PAUSE_MS);
	}
}

/* Waits until the program ends, its time is up or the daemon is gone. Returns whether it ended. */
static bool watch(struct guard *guard)
{
	for (;;) {
		struct pollfd polled[] = {{.fd = guard->output, .events = POLLIN},
			{.fd = guard->signals, .events = POLLIN}, {.fd = guard->socket}};
		struct signalfd_siginfo info;
		int64_t left_ms = guard->deadline_ms - clock_ms();

		if (left_ms <= 0)
			return false;
		if (poll(polled, 3, (int)left_ms) < 0 && errno != EINTR)
			return false;
		if (polled[0].revents)
			take_output(guard);
		if (polled[2].revents & (POLLHUP | POLLERR))
			return false;
		/* WNOWAIT: not reaped, so no other process gets the number before kill_all(). */
		siginfo_t ended = {0};
		if (polled[1].revents && read(guard->signals, &info, sizeof(info)) > 0 &&
			waitid(P_PID, (id_t)guard->pid, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
			ended.si_pid)
			return true;
	}
}

static void set_result(struct guard *guard, bool has_ended, int status, unsigned timeout_ms)
{
	struct run_result *result = &guard->result;
	struct child_report report;

	if (read(guard->report, &report, sizeof(report)) == sizeof(report)) {
		result->end = RUN_UNSTARTED;
		result->value = report.error;
		report.what[sizeof(report.what) - 1] = '\0';
		strcpy(result->output, report.what);
	} else if (!has_ended) {
		result->end = RUN_TIMED_OUT;
		result->value = (int)timeout_ms;
	} else if (WIFSIGNALED(status)) {
		result->end = RUN_KILLED;
		result->value = WTERMSIG(status);
	} else {
		result->end = RUN_EXITED;
		result->value = WEXITSTATUS(status);
	}
}

static int start(struct guard *guard, struct child *child)
{
	int output[2], report[2];
	sigset_t signals;

	if (pipe2(output, O_CLOEXEC) < 0 || pipe2(report, O_CLOEXEC | O_NONBLOCK) < 0)
		return -errno;
	sigemptyset(&signals);
	sigaddset(&signals, SIGCHLD);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	guard->signals = signalfd(-1, &signals, SFD_CLOEXEC);
	if (guard->signals < 0)
		return -errno;
	child->output = output[1];
	child->report = report[1];
	guard->pid = fork();
	if (guard->pid < 0)
		return -errno;
	if (guard->pid == 0)
		become_program(child);
	/* The child does it, too: either process may run first. */
	setpgid(guard->pid, guard->pid);
	close(output[1]);
	close(report[1]);
	guard->output = output[0];
	guard->report = report[0];
	fcntl(guard->output, F_SETFL, O_NONBLOCK);
	return 0;
}

static int run(struct guard *guard, struct child *child)
{
	int r = start(guard, child), status = 0;

	if (r < 0)
		return r;
	bool has_ended = watch(guard);
	kill_all(guard, &status);
	if (guard->output >= 0)
		take_output(guard);
	end_output(guard);
	set_result(guard, has_ended, status, child->command->program->timeout_ms);
	return 0;
}

static int send_result(const struct guard *guard)
{
	/* If the second one fails, the run fails as if the guard had been killed. */
	return send(guard->socket, &guard->result, sizeof(guard->result), MSG_NOSIGNAL) < 0 ? -errno
											    : 0;
}

void guard_run(const struct run_command *command, int socket)
{
	struct guard guard = {.socket = helper_begin(HELPER_GUARD, socket, command->file),
		.result.end = RUN_GONE,
		.deadline_ms = clock_ms() + command->program->timeout_ms};
	struct child child = {command, guard.result.workspace, getpid(), -1, -1};

	/* If SIGCHLD stayed ignored, the child's status would be lost. All stay blocked. */
	signal(SIGCHLD, SIG_DFL);
	slice_set(command->origin->slice_ns);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	int r = workspace_make(guard.result.workspace);
	bool is_placed = r == 0;
	if (r == 0)
		r = send_result(&guard);
	if (r == 0)
		r = run(&guard, &child);
	workspace_remove(guard.result.workspace);
	if (r < 0)
		guard.result = run_unstarted(r);
	if (!is_placed)
		strcpy(guard.result.output, RUN_PLACING);
	_exit(send_result(&guard) < 0);
}
