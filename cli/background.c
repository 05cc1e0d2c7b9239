#include "background.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cleanup.h"
#include "command.h"
#include "descriptor.h"
#include "message.h"

int background_keep_standard(void)
{
	int fd;

	closefrom(STDERR_FILENO + 1);
	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

/* What the child became, when it ended before it was ready. */
static int exit_code_of(pid_t child)
{
	int status;

	while (waitpid(child, &status, 0) < 0) {
		if (errno != EINTR) {
			message("can't wait for the background process: %s", strerror(errno));
			return EXIT_FAILED;
		}
	}
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	message("the background process was ended by a signal: %s", strsignal(WTERMSIG(status)));
	return EXIT_FAILED;
}

/* Returns the exit code. */
static int wait_for(pid_t child, int fd)
{
	char byte;
	ssize_t n;

	do
		n = read(fd, &byte, 1);
	while (n < 0 && errno == EINTR);
	return n == 1 ? EXIT_DONE : exit_code_of(child);
}

int background_start(struct background *ret, int *exit_code)
{
	CLEANUP(closep) int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	int fds[2];

	if (null_fd < 0 || pipe2(fds, O_CLOEXEC) < 0)
		return -errno;
	pid_t child = fork();
	if (child < 0) {
		int r = -errno;
		close(fds[0]);
		close(fds[1]);
		return r;
	}
	if (child > 0) {
		close(fds[1]);
		*exit_code = wait_for(child, fds[0]);
		close(fds[0]);
		return BACKGROUND_PARENT;
	}
	close(fds[0]);
	setsid();
	*ret = (struct background){fds[1], null_fd};
	null_fd = -1;
	return 0;
}

/* Nothing may hold the terminal, or the pipe of a caller that waits for its end. */
static void leave_terminal(struct background *background)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		dup2(background->null_fd, fd);
	close(background->null_fd);
}

void background_ready(struct background *background)
{
	ssize_t n;

	if (background->pipe_fd < 0)
		return;
	leave_terminal(background);
	do
		n = write(background->pipe_fd, "", 1);
	while (n < 0 && errno == EINTR);
	close(background->pipe_fd);
	background->pipe_fd = -1;
}

void background_notify(void)
{
	background_say("READY=1", true);
}

/* -1: there is none. */
static int manager_fd = -1;

void background_find_manager(void)
{
	const char *path = getenv("NOTIFY_SOCKET");
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	size_t len = path ? strlen(path) : 0;

	if (manager_fd >= 0 || len < 2 || len >= sizeof(address.sun_path) ||
		(path[0] != '/' && path[0] != '@'))
		return;
	memcpy(address.sun_path, path, len);
	if (path[0] == '@')
		address.sun_path[0] = '\0'; /* the abstract name space */

	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd >= 0 && connect(fd, (const struct sockaddr *)&address,
			       (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len)) < 0) {
		close(fd);
		fd = -1;
	}
	manager_fd = fd;
}

void background_say(const char *text, bool is_important)
{
	background_find_manager();
	/* A manager that does not hear it says so itself, when its time is up. */
	if (manager_fd >= 0)
		(void)send(manager_fd, text, strlen(text),
			MSG_NOSIGNAL | (is_important ? 0 : MSG_DONTWAIT));
}
