/*
 * Opens, reads whole and closes a file, and calls stat(2) on it, COUNT times. It does nothing else,
 * so that the requests that this makes can be counted.
 *
 *      reader COUNT FILE
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int read_whole(const char *path)
{
	static char buffer[1 << 16];
	ssize_t n;

	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	while ((n = read(fd, buffer, sizeof(buffer))) > 0)
		;
	int r = n < 0 ? -errno : 0;
	close(fd);
	return r;
}

int main(int argc, char **argv)
{
	struct stat found;

	if (argc != 3) {
		fprintf(stderr, "usage: reader COUNT FILE\n");
		return 2;
	}
	for (long count = strtol(argv[1], NULL, 10); count > 0; count--) {
		int r = read_whole(argv[2]);
		if (r == 0 && stat(argv[2], &found) < 0)
			r = -errno;
		if (r < 0) {
			fprintf(stderr, "%s: %s\n", argv[2], strerror(-r));
			return 1;
		}
	}
	return 0;
}
