/*
 * A file descriptor that is closed when its variable goes out of scope: CLEANUP(closep) int fd.
 */
#pragma once

#include <unistd.h>

static inline void closep(int *fd)
{
	if (*fd >= 0)
		(void)close(*fd);
}
