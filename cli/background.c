#include "background.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cleanup.h"
#include "command.h"
#include "descriptor.h"
#include "message.h"
#include "text.h"

int background_keep_standard(int kept)
{
	int fd;

	for (fd = STDERR_FILENO + 1; fd < kept; fd++)
		close(fd);
	closefrom(kept > STDERR_FILENO ? kept + 1 : STDERR_FILENO + 1);
	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

static int exit_code_of(pid_t child)
{
	int status;

	while (waitpid(child, &status, 0) < 0) {
		if (errno != EINTR)
			return message(
				"can't wait for the background process: %s", text_error(-errno));
	}
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	return message(
		"the background process was ended by a signal: %s", strsignal(WTERMSIG(status)));
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
		ssize_t n;

		close(fds[1]);
		do
			n = read(fds[0], &(char){0}, 1);
		while (n < 0 && errno == EINTR);
		*exit_code = n == 1 ? EXIT_DONE : exit_code_of(child);
		close(fds[0]);
		return BACKGROUND_PARENT;
	}
	close(fds[0]);
	*ret = (struct background){fds[1], take_fd(&null_fd)};
	return 0;
}

void background_ready(struct background *background)
{
	ssize_t n;

	if (background->pipe_fd < 0)
		return;
	(void)setsid();
	/* The mount must hold neither the terminal nor a pipe whose end the caller waits for. */
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		dup2(background->null_fd, fd);
	close(background->null_fd);
	do
		n = write(background->pipe_fd, "", 1);
	while (n < 0 && errno == EINTR);
	close(background->pipe_fd);
	background->pipe_fd = -1;
}
