#include "helper.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cleanup.h"
#include "descriptor.h"
#include "forked.h"

/* ms that SIGKILL may take on a busy machine. A hanging disk may keep a process for ever. */
#define KILLED_MS 5000

static const struct {
	const char *name;  /* at most 15 bytes */
	const char *lacks; /* what is missing while it does not run */
} kinds[HELPER_GUARD + 1] = {
	[HELPER_PUBLISH] = {"plyfs-publish", "no change is shown"},
	[HELPER_STATE] = {"plyfs-state",
		"no last good version is written to the directory 'state'"},
	[HELPER_GUARD] = {"plyfs-guard", "the end of its command is not seen"},
};

/* The parent's record of its helpers. */
static struct {
	pid_t pid;                  /* 0: none */
	int fd;                     /* pidfd; -1: the kernel gives none */
	enum helper_state reported; /* helper_take() */
} helpers[HELPER_KINDS];

/* All guards are of the same kind. */
static bool is_guard(enum helper_kind kind)
{
	return kind >= HELPER_GUARD;
}

/* Children of the program that ran in this process before. */
static struct {
	pid_t pids[HELPERS_INHERITED_MAX];
	size_t count;
} inherited;

const char *helper_name(enum helper_kind kind)
{
	return kinds[is_guard(kind) ? HELPER_GUARD : kind].name;
}

/* For the helper. */

int helper_begin(enum helper_kind kind, int socket, int kept)
{
	/* A command's standard streams may be closed. */
	int at =
		socket > STDERR_FILENO ? socket : fcntl(socket, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);

	if (at < 0 || forked_keep_only(-1, (int[]){kept, at}, 2) < 0)
		_exit(1);
	/* These helpers are the parent's: this process must not end them. */
	for (enum helper_kind other = 0; other < HELPER_KINDS; other++)
		helpers[other].pid = 0;
	prctl(PR_SET_NAME, helper_name(kind));
	/* A daemon in the background leaves the caller's session only when it is ready. */
	(void)setsid();
	/* systemd sends these to all processes at once. */
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGUSR1, SIG_IGN);
	if (chdir("/") < 0)
		_exit(1);
	return at;
}

/*
 * signal() refuses the C library's own two signals, which a child of GNU make finds ignored. The
 * library's handler stays: without it, setuid(2) would end a process with threads (nptl(7)).
 */
static void reset_own_signal(int number)
{
	static const char by_default[64]; /* the kernel's struct sigaction, which is smaller */
	char old[64] = "";
	void (*handler)(int);

	(void)syscall(SYS_rt_sigaction, number, NULL, old, (size_t)NSIG / 8);
	memcpy(&handler, old, sizeof(handler));
	if (handler == SIG_IGN)
		(void)syscall(SYS_rt_sigaction, number, by_default, NULL, (size_t)NSIG / 8);
}

void helper_reset_signals(void)
{
	sigset_t none;

	for (int i = 1; i < NSIG; i++)
		if (signal(i, SIG_DFL) == SIG_ERR)
			reset_own_signal(i);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* For the parent. */

void helper_began(enum helper_kind kind, pid_t pid)
{
	helpers[kind].fd = pidfd_open(pid, 0);
	helpers[kind].reported = HELPER_RUNS;
	helpers[kind].pid = pid;
}

pid_t helper_pid(enum helper_kind kind)
{
	return helpers[kind].pid;
}

int helper_fd(enum helper_kind kind)
{
	return helper_pid(kind) ? helpers[kind].fd : -1;
}

enum helper_state helper_state(enum helper_kind kind)
{
	pid_t pid = helper_pid(kind);
	siginfo_t info = {0};

	if (pid == 0)
		return HELPER_RUNS;
	/* WNOWAIT: the state can be read again. */
	if (waitid(P_PID, (id_t)pid, &info, WEXITED | WSTOPPED | WNOHANG | WNOWAIT) < 0)
		return helper_pid(kind) == pid && !is_guard(kind) ? HELPER_ENDED : HELPER_RUNS;
	if (info.si_pid == 0)
		return HELPER_RUNS;
	if (info.si_code == CLD_STOPPED || info.si_code == CLD_TRAPPED)
		return HELPER_STOPPED;
	return is_guard(kind) ? HELPER_RUNS : HELPER_ENDED;
}

void helper_text(enum helper_kind kind, enum helper_state state, const char *remedy,
	char ret[HELPER_TEXT_MAX])
{
	const char *lacks = kinds[is_guard(kind) ? HELPER_GUARD : kind].lacks;

	if (state == HELPER_STOPPED)
		snprintf(ret, HELPER_TEXT_MAX,
			"the process %s is stopped: %s; let it go on: kill -CONT %d",
			helper_name(kind), lacks, (int)helper_pid(kind));
	else if (state == HELPER_ENDED)
		snprintf(ret, HELPER_TEXT_MAX, "the process %s has ended: %s; %s",
			helper_name(kind), lacks, remedy);
	else
		snprintf(ret, HELPER_TEXT_MAX, "the process %s goes on", helper_name(kind));
}

/* Returns whether the child is a helper. It may also be of a program that ran before plyfs. */
static bool is_ours(pid_t pid)
{
	static const char prefix[] = "plyfs-";
	char name[FORKED_NAME_MAX];

	forked_name(pid, name);
	return strncmp(name, prefix, strlen(prefix)) == 0;
}

void helper_inherit(void)
{
	CLEANUP(fclosep) FILE *file = fopen("/proc/thread-self/children", "re");
	pid_t pid;

	while (file && inherited.count < HELPERS_INHERITED_MAX && fscanf(file, "%d", &pid) == 1) {
		if (!is_ours(pid))
			continue;
		kill(pid, SIGCONT);
		inherited.pids[inherited.count++] = pid;
	}
}

static void reap_inherited(void)
{
	for (size_t i = inherited.count; i-- > 0;)
		if (forked_reap(inherited.pids[i], NULL))
			inherited.pids[i] = inherited.pids[--inherited.count];
}

int helper_watch(void)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGCHLD);
	int r = pthread_sigmask(SIG_BLOCK, &signals, NULL);
	if (r != 0)
		return -r;
	int fd = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
	reap_inherited();
	return fd < 0 ? -errno : fd;
}

void helper_take(
	int fd, const char *remedy, void (*log)(void *context, const char *line), void *context)
{
	char line[HELPER_TEXT_MAX];
	struct signalfd_siginfo info;

	while (read(fd, &info, sizeof(info)) > 0)
		;
	reap_inherited();
	for (enum helper_kind kind = 0; kind < HELPER_KINDS; kind++) {
		enum helper_state state = helper_state(kind);

		if (state == helpers[kind].reported)
			continue;
		helpers[kind].reported = state;
		helper_text(kind, state, remedy, line);
		log(context, line);
	}
}

void helper_wake(void)
{
	for (enum helper_kind kind = 0; kind < HELPER_KINDS; kind++) {
		pid_t pid = helper_pid(kind);
		if (pid)
			kill(pid, SIGCONT);
	}
}

void helper_end(enum helper_kind kind, int patience_ms)
{
	/* `pid` is cleared before waitpid(2): afterwards the number may be another process's. */
	pid_t pid = helpers[kind].pid;
	CLEANUP(closep) int fd = pid ? helpers[kind].fd : -1;

	helpers[kind].pid = 0;
	if (pid == 0)
		return;
	if (patience_ms)
		kill(pid, SIGCONT);
	if (forked_await(pid, fd, patience_ms))
		return;
	kill(pid, SIGKILL);
	(void)forked_await(pid, fd, KILLED_MS);
}
