#include "boot.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "descriptor.h"

/* Reads the beginning of a file. Returns whether the file exists. */
static bool read_short(int directory_fd, const char *path, char ret[BOOT_MAX])
{
	CLEANUP(closep) int fd = descriptor_open_file(directory_fd, path);
	ssize_t n = fd < 0 ? 0 : read(fd, ret, BOOT_MAX - 1);

	ret[n > 0 ? n : 0] = '\0';
	return fd >= 0;
}

void boot_read(char ret[BOOT_MAX])
{
	read_short(AT_FDCWD, "/proc/sys/kernel/random/boot_id", ret);
}

bool boot_is_another(int fd, const char *name)
{
	char boot[BOOT_MAX], last[BOOT_MAX];

	boot_read(boot);
	return read_short(fd, name, last) && strcmp(boot, last) != 0;
}
