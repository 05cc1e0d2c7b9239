#include "unsynced.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cleanup.h"
#include "descriptor.h"
#include "tree.h"

#define UNSYNCED "unsynced"

/* Size of a boot's id, in bytes, with its NUL. */
#define BOOT_MAX 64

static void read_short(int directory_fd, const char *path, char ret[BOOT_MAX])
{
	CLEANUP(closep)
	int fd = openat(directory_fd, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, ret, BOOT_MAX - 1);

	ret[n > 0 ? n : 0] = '\0';
}

static void read_boot(char ret[BOOT_MAX])
{
	read_short(AT_FDCWD, "/proc/sys/kernel/random/boot_id", ret);
}

int unsynced_mark(int state_fd)
{
	char boot[BOOT_MAX];

	read_boot(boot);
	(void)unlinkat(state_fd, UNSYNCED, 0);
	return tree_write(state_fd, UNSYNCED, span_of(boot), 0600, false);
}

bool unsynced_is_marked(int state_fd)
{
	return faccessat(state_fd, UNSYNCED, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

bool unsynced_is_lost(int state_fd)
{
	char boot[BOOT_MAX], marked[BOOT_MAX];

	if (!unsynced_is_marked(state_fd))
		return false;
	read_boot(boot);
	read_short(state_fd, UNSYNCED, marked);
	return strcmp(boot, marked) != 0;
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
