#include "descriptor.h"

#include <errno.h>
#include <stdio.h>
#include <sys/resource.h>

void descriptor_raise_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

void descriptor_link(int fd, char ret[DESCRIPTOR_LINK_MAX])
{
	snprintf(ret, DESCRIPTOR_LINK_MAX, "/proc/self/fd/%d", fd);
}

int descriptor_path(int fd, char ret[PATH_MAX])
{
	char link[DESCRIPTOR_LINK_MAX];

	if (fd < 0)
		return -EBADF;
	descriptor_link(fd, link);
	ssize_t length = readlink(link, ret, PATH_MAX - 1);
	if (length < 0)
		return -errno;
	ret[length] = '\0';
	return *ret == '/' ? 0 : -ENOENT;
}
