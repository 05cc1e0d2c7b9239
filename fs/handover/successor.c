#include "successor.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cleanup.h"
#include "descriptor.h"
#include "handover.h"
#include "helper.h"

/* It ends at once, unless it is stopped. */
#define END_MS 1000

/* Where the process has its end of the socket, behind the standard streams. */
#define SOCKET_FD 3

struct successor_request {
	bool is_note; /* else an heir is to be started */
	dev_t dev;
};

struct successor {
	int socket;
};

__attribute__((noreturn)) static void start(const char *program, const struct successor_call *call)
{
	sigset_t none;

	signal(SIGCHLD, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	signal(SIGUSR1, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (chdir(call->directory) == 0)
		execv(program, call->words);
	_exit(127);
}

/* Unless too many are under way: who asks reads what others wrote, and may be in their hands. */
static void begin(const char *program, const struct successor_call *call, unsigned *count)
{
	while (*count > 0 && waitpid(-1, NULL, WNOHANG) > 0)
		--*count;
	if (*count >= SUCCESSORS_MAX)
		return;
	pid_t pid = fork();
	if (pid == 0)
		start(program, call);
	*count += pid > 0;
}

/* Until the daemon has ended. */
__attribute__((noreturn)) static void serve(const char *program, const struct successor_call *call)
{
	struct successor_request request;
	unsigned count = 0;
	dev_t dev = 0;
	ssize_t n;

	while ((n = recv(SOCKET_FD, &request, sizeof(request), 0)) > 0) {
		if (n != sizeof(request))
			continue;
		if (request.is_note)
			dev = request.dev;
		else
			begin(program, call, &count);
	}
	if (dev)
		handover_tidy(dev);
	_exit(0);
}

/* Nothing may hold the terminal, or the pipe of a caller that waits for its end. */
static bool leave_standard(void)
{
	bool is_left = true;
	int fd = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++)
		is_left &= dup2(fd, i) >= 0;
	return is_left;
}

__attribute__((noreturn)) static void run(
	int socket, const char *program, const struct successor_call *call)
{
	if (dup2(socket, SOCKET_FD) < 0 || fcntl(SOCKET_FD, F_SETFD, FD_CLOEXEC) < 0 ||
		chdir("/") < 0 || (!call->is_foreground && !leave_standard()))
		_exit(1);
	closefrom(SOCKET_FD + 1);
	prctl(PR_SET_NAME, helper_name(HELPER_RENEW));
	signal(SIGCHLD, SIG_DFL);
	/* A terminal, and systemd, send these to the daemon's processes all at once. */
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGUSR1, SIG_IGN);
	serve(program, call);
}

int successor_new(const struct successor_call *call, struct successor **ret)
{
	char program[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
	CLEANUP(freep) struct successor *successor = calloc(1, sizeof(*successor));
	int ends[2];

	if (length < 0)
		return -errno;
	program[length] = '\0';
	if (!successor)
		return -ENOMEM;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return -errno;
	successor->socket = ends[0];
	pid_t pid = fork();
	if (pid == 0)
		run(ends[1], program, call);
	int r = pid < 0 ? -errno : 0;
	close(ends[1]);
	if (r < 0) {
		close(ends[0]);
		return r;
	}
	helper_began(HELPER_RENEW, pid);
	*ret = take_ptr(successor);
	return 0;
}

void successor_free(struct successor *successor)
{
	if (!successor)
		return;
	close(successor->socket);
	helper_end(HELPER_RENEW, END_MS);
	free(successor);
}

void successor_begin(const struct successor *successor)
{
	const struct successor_request request = {0};

	(void)send(successor->socket, &request, sizeof(request), MSG_NOSIGNAL | MSG_DONTWAIT);
}

void successor_note(const struct successor *successor, dev_t dev)
{
	const struct successor_request request = {.is_note = true, .dev = dev};

	(void)send(successor->socket, &request, sizeof(request), MSG_NOSIGNAL | MSG_DONTWAIT);
}
