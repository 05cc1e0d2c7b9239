#include "forked.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "await.h"
#include "cleanup.h"
#include "descriptor.h"

int forked_keep_only(int output, int *kept, size_t count)
{
	descriptor_close_except(kept, count);
	int null = open("/dev/null", O_RDWR);
	/* Its number may be among the standard ones. */
	int out = output < 0 ? null : fcntl(output, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);

	if (null < 0 || out < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 ||
		dup2(out, STDERR_FILENO) < 0)
		return -errno;
	const int used[] = {null, out, output};
	for (size_t i = 0; i < sizeof(used) / sizeof(*used); i++)
		if (used[i] > STDERR_FILENO)
			close(used[i]);
	return 0;
}

bool forked_dies_with(pid_t parent)
{
	return prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent;
}

bool forked_reap(pid_t pid, int *status)
{
	return waitpid(pid, status, WNOHANG) != 0;
}

bool forked_is_stopped(pid_t pid)
{
	siginfo_t info = {0};

	return waitid(P_PID, (id_t)pid, &info, WSTOPPED | WNOHANG | WNOWAIT) == 0 &&
	       info.si_pid != 0;
}

void forked_name(pid_t pid, char ret[FORKED_NAME_MAX])
{
	char path[sizeof("/proc//comm") + 3 * sizeof(pid)];

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	CLEANUP(fclosep) FILE *file = fopen(path, "re");
	/* The kernel ends the name with a line break. */
	size_t n = file ? fread(ret, 1, FORKED_NAME_MAX, file) : 0;
	ret[n ? n - 1 : 0] = '\0';
}

bool forked_await(pid_t pid, int pidfd, int timeout_ms)
{
	if (pidfd >= 0)
		(void)await_fd(pidfd, POLLIN, timeout_ms);
	for (int ms = pidfd < 0 ? 0 : timeout_ms; !forked_reap(pid, NULL); ms++) {
		if (ms >= timeout_ms)
			return false;
		await_pause_us(1000);
	}
	return true;
}
