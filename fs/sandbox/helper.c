#include "helper.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Where our socket is: behind what is kept. */
#define SOCKET_LEAST 64

/* Returns where the socket is now. */
static int keep_only(int socket, int kept)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	int at = fcntl(socket, F_DUPFD_CLOEXEC, kept >= SOCKET_LEAST ? kept + 1 : SOCKET_LEAST);

	if (null < 0 || at < 0)
		_exit(1);
	for (int i = 0; i < 3; i++)
		if (dup2(null, i) < 0)
			_exit(1);
	for (int i = 3; i < at; i++)
		if (i != kept)
			close(i);
	closefrom(at + 1);
	return at;
}

int helper_begin(const char *name, int socket, int kept)
{
	int at = keep_only(socket, kept);

	prctl(PR_SET_NAME, name);
	/* A terminal, and systemd, send these to all processes at once. */
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGUSR1, SIG_IGN);
	if (chdir("/") < 0)
		_exit(1);
	return at;
}

/*
 * signal() refuses the C library's own two, which GNU make's children find ignored. A handler of
 * its own stays: without it setuid(2) in a process of several threads ends the process (nptl(7)).
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
