/*
 * A library to be preloaded. It ends the process before its n-th call that changes something on a
 * disk, as SIGKILL would. DYING is n, starting at 1. With DYING_TORN, half of the written bytes get
 * to the disk. The exit code is 99. Only the first thread of the process that was started counts.
 *
 * With DYING_CALL only the calls of this function count.
 *
 * With DYING_ERRNO the process does not end: that call alone fails with the error of this number,
 * and a line on standard error reports it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXIT_DIED 99

static long left;
static bool is_torn;
static int error;
static pid_t first;
static const char *only; /* NULL: each function counts; a copy, as plyfs writes its title over it */

__attribute__((constructor)) static void begin(void)
{
	const char *dying = getenv("DYING");

	left = dying ? atol(dying) : 0;
	is_torn = getenv("DYING_TORN");
	error = getenv("DYING_ERRNO") ? atoi(getenv("DYING_ERRNO")) : 0;
	first = getpid();
	if (getenv("DYING_CALL"))
		only = strdup(getenv("DYING_CALL"));
}

static bool is_time(const char *name)
{
	return left > 0 && (!only || strcmp(only, name) == 0) && syscall(SYS_gettid) == first &&
	       --left == 0;
}

/* Straight to the kernel, past any other preloaded library. */
static void die(void)
{
	syscall(SYS_exit_group, EXIT_DIED);
}

static int fail(const char *name)
{
	dprintf(STDERR_FILENO, "dying: %s fails\n", name);
	errno = error;
	return -1;
}

ssize_t write(int fd, const void *data, size_t len)
{
	struct stat stat;

	if (syscall(SYS_fstat, fd, &stat) == 0 && S_ISREG(stat.st_mode) && is_time("write")) {
		if (error)
			return fail("write");
		if (is_torn)
			syscall(SYS_write, fd, data, len / 2);
		die();
	}
	return syscall(SYS_write, fd, data, len);
}

#define DYING(name, parameters, ...)                                                               \
	int name parameters                                                                        \
	{                                                                                          \
		if (is_time(#name)) {                                                              \
			if (error)                                                                 \
				return fail(#name);                                                \
			die();                                                                     \
		}                                                                                  \
		return (int)syscall(__VA_ARGS__);                                                  \
	}

DYING(renameat, (int from, const char *old, int to, const char *new), SYS_renameat2, from, old, to,
	new, 0)
DYING(renameat2, (int from, const char *old, int to, const char *new, unsigned flags),
	SYS_renameat2, from, old, to, new, flags)
DYING(linkat, (int from, const char *old, int to, const char *new, int flags), SYS_linkat, from,
	old, to, new, flags)
DYING(symlinkat, (const char *target, int at, const char *name), SYS_symlinkat, target, at, name)
DYING(unlinkat, (int at, const char *name, int flags), SYS_unlinkat, at, name, flags)
DYING(mkdirat, (int at, const char *name, mode_t mode), SYS_mkdirat, at, name, mode)
DYING(fchmod, (int fd, mode_t mode), SYS_fchmod, fd, mode)
DYING(fchown, (int fd, uid_t uid, gid_t gid), SYS_fchown, fd, uid, gid)
DYING(futimens, (int fd, const struct timespec times[2]), SYS_utimensat, fd, NULL, times, 0)
