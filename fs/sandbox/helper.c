#include "helper.h"

#include <fcntl.h>
#include <signal.h>
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

void helper_reset_signals(void)
{
	static const char by_default[64]; /* the kernel's struct sigaction, which is smaller */
	sigset_t none;

	/* signal() refuses the C library's own two, 32 and 33, which GNU make's children find ignored. */
	for (int i = 1; i < NSIG; i++)
		(void)syscall(SYS_rt_sigaction, i, by_default, NULL, (size_t)NSIG / 8);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}
