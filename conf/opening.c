#include "opening.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>

#include "cleanup.h"
#include "descriptor.h"

static int (*delegate)(int path_fd, int flags, bool is_setting);
static void (*announce)(void);

void opening_delegate(int (*opener)(int path_fd, int flags, bool is_setting), void (*look)(void))
{
	delegate = opener;
	announce = look;
}

void opening_announce(void)
{
	if (announce)
		announce();
}

static void (*observer)(void *context, int fd);
static void *observer_context;

void opening_observe(void (*observe)(void *context, int fd), void *context)
{
	observer = observe;
	observer_context = context;
}

int opening_ask(int path_fd, int flags)
{
	return delegate ? delegate(path_fd, flags, false) : -EACCES;
}

int opening_at(int dirfd, const char *path, int flags)
{
	int fd = openat(dirfd, path, flags | O_CLOEXEC);

	if (fd >= 0 && observer)
		observer(observer_context, fd);
	if (fd >= 0 || errno != EACCES || !delegate)
		return fd < 0 ? -errno : fd;
	CLEANUP(closep)
	int found = openat(dirfd, path, O_PATH | O_CLOEXEC | (flags & (O_DIRECTORY | O_NOFOLLOW)));
	return found < 0 ? -errno : delegate(found, flags, true);
}
