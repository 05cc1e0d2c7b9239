#include "text.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cleanup.h"

/* Bytes to begin with where fstat(2) does not tell the size, as for a pipe. */
#define TEXT_FIRST 65536u

/* Where a file grows while it is read, or is a pipe. */
static int grow(char **text, size_t *size, size_t limit)
{
	size_t larger = *size > limit / 2 ? limit + 1 : *size * 2;
	char *moved = realloc(*text, larger + 1);

	if (!moved)
		return -ENOMEM;
	*text = moved;
	*size = larger;
	return 0;
}

int text_read(int fd, size_t limit, char **ret, size_t *ret_len)
{
	struct stat found;
	size_t size = TEXT_FIRST, len = 0;

	if (fstat(fd, &found) < 0)
		return -errno;
	if (S_ISREG(found.st_mode) && found.st_size > 0)
		size = (size_t)found.st_size + 1; /* one more, so that the end is seen at once */
	if (size > limit + 1)
		size = limit + 1;

	CLEANUP(freep) char *text = malloc(size + 1);
	if (!text)
		return -ENOMEM;
	for (;;) {
		if (len == size) {
			if (len > limit)
				return -EFBIG;
			int r = grow(&text, &size, limit);
			if (r < 0)
				return r;
		}
		ssize_t n = read(fd, text + len, size - len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		len += (size_t)n;
	}
	if (len > limit)
		return -EFBIG;
	text[len] = '\0';
	*ret_len = len;
	*ret = take_ptr(text);
	return 0;
}

int text_write(int fd, const char *text, size_t len)
{
	while (len > 0) {
		ssize_t n = write(fd, text, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		text += n;
		len -= (size_t)n;
	}
	return 0;
}
