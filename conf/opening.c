#include "opening.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>

#include "cleanup.h"
#include "descriptor.h"
#include "text.h"

static struct opening_delegate delegate;

void opening_delegate(const struct opening_delegate *named)
{
	delegate = *named;
}

void opening_announce(void)
{
	if (delegate.look)
		delegate.look();
}

bool opening_has_found(int directory, bool follows)
{
	return !delegate.has_found || delegate.has_found(directory, follows);
}

void opening_take(void)
{
	if (delegate.take)
		delegate.take();
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
	return delegate.open ? delegate.open(path_fd, flags, false) : -EACCES;
}

int opening_at(int dirfd, const char *path, int flags)
{
	int fd = openat(dirfd, path, flags | O_CLOEXEC);

	if (fd >= 0 && observer)
		observer(observer_context, fd);
	if (fd >= 0 || errno != EACCES || !delegate.open)
		return fd < 0 ? -errno : fd;
	CLEANUP(closep)
	int found = openat(dirfd, path, O_PATH | O_CLOEXEC | (flags & (O_DIRECTORY | O_NOFOLLOW)));
	return found < 0 ? -errno : delegate.open(found, flags, true);
}

const char *opening_error(int error)
{
	if (error == -EBUSY)
		return "the process plyfs-monitor, which opens new paths, waits for a layer whose "
		       "file system does not answer; look after that";
	return error == -EPIPE
		       ? "it was not there when plyfs started, and the process plyfs-monitor, "
			 "which opens new paths, has ended; start plyfs again"
		       : text_error(error);
}
