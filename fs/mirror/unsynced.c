#include "unsynced.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "boot.h"
#include "tree.h"

#define UNSYNCED "unsynced"

int unsynced_mark(int state_fd)
{
	char boot[BOOT_MAX];

	boot_read(boot);
	(void)unlinkat(state_fd, UNSYNCED, 0);
	return tree_write(state_fd, UNSYNCED, span_of(boot), 0600, false);
}

bool unsynced_is_marked(int state_fd)
{
	return faccessat(state_fd, UNSYNCED, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

bool unsynced_is_lost(int state_fd)
{
	return boot_is_another(state_fd, UNSYNCED);
}

void unsynced_end_beside(int state_fd, int lock_fd)
{
	pid_t pid = fork();

	if (pid == 0) {
		close(lock_fd);
		if (fork() == 0 && syncfs(state_fd) == 0)
			(void)unlinkat(state_fd, UNSYNCED, 0);
		_exit(0);
	}
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR) {
	}
}
