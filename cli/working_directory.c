#include "working_directory.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

char *working_directory(void)
{
	char *path = getcwd(NULL, 0);

	return path || errno == ENOMEM ? path : strdup("/proc/self/cwd (deleted)");
}
