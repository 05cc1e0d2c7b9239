#include "text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cleanup.h"
#include "outside.h"

/* Size of a buffer in bytes: the first one if fstat(2) does not know the size, as for a pipe. */
#define TEXT_FIRST 65536u

/* Reads into a buffer of `size` bytes at first. A short read that ends at `end` was the last. */
static int read_into(int fd, size_t size, size_t end, size_t limit, char **ret, size_t *ret_len)
{
	size_t len = 0;

	if (size > limit)
		size = limit;
	CLEANUP(freep) char *text = malloc(size + 1);
	if (!text)
		return -ENOMEM;
	while (len < limit) {
		if (len == size) {
			size = size > limit / 2 ? limit : size * 2;
			char *moved = realloc(text, size + 1);
			if (!moved)
				return -ENOMEM;
			text = moved;
		}
		ssize_t n = read(fd, text + len, size - len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		len += (size_t)n;
		if (n == 0 || (len == end && len < size))
			break;
	}
	text[len] = '\0';
	*ret_len = len;
	*ret = take_ptr(text);
	return 0;
}

/* On a kernel's own file system, an empty size means nothing. */
int text_read_sized(int fd, size_t size, size_t limit, char **ret, size_t *ret_len)
{
	return read_into(fd, size + 1, size ? size : SIZE_MAX, limit, ret, ret_len);
}

int text_read(int fd, size_t limit, char **ret, size_t *ret_len)
{
	CLEANUP(freep) char *text = NULL;
	struct stat found;
	size_t len;

	if (fstat(fd, &found) < 0)
		return -errno;
	/* The file may change meanwhile. One byte more finds the end by the first read. */
	size_t size = S_ISREG(found.st_mode) ? (size_t)found.st_size + 1 : TEXT_FIRST;
	int r = read_into(fd, size, SIZE_MAX, limit + 1, &text, &len);
	if (r == 0 && len > limit)
		r = -EFBIG;
	if (r < 0)
		return r;
	*ret_len = len;
	*ret = take_ptr(text);
	return 0;
}

int text_format(char **ret, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	int n = vasprintf(ret, format, arguments);
	va_end(arguments);
	if (n < 0)
		*ret = NULL;
	return n < 0 ? -ENOMEM : 0;
}

void text_put_word(FILE *out, const char *word)
{
	static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				   "_-./:,%@+";
	bool is_raw = true;

	if (*word && word[strspn(word, safe)] == '\0') {
		fputs(word, out);
		return;
	}
	for (const char *at = word; *at; at++)
		is_raw &= (unsigned char)*at >= ' ' && *at != 0x7f;
	fputs(is_raw ? "'" : "$'", out);
	for (; *word; word++) {
		unsigned char c = (unsigned char)*word;

		if (c < ' ' || c == 0x7f)
			fprintf(out, "\\%03o", c);
		else if (c == '\'')
			fputs(is_raw ? "'\\''" : "\\'", out);
		else if (c == '\\' && !is_raw)
			fputs("\\\\", out);
		else
			putc(c, out);
	}
	putc('\'', out);
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

int text_copy(int from, int to)
{
	char part[TEXT_FIRST];
	ssize_t n;
	int r = lseek(from, 0, SEEK_SET) < 0 ? -errno : 0;

	while (r == 0 && (n = read(from, part, sizeof(part))) != 0)
		r = n < 0 ? -errno : text_write(to, part, (size_t)n);
	return r;
}

int text_read_file(const char *path, const char *place, const struct text_kind *kind,
	struct stat *ret_stat, char **ret, size_t *len, struct problem *problem)
{
	struct outside_file file;

	int r = outside_read(place, kind->size_max, &file);
	if (r == -ENOMEM)
		return r;
	if (r < 0 && !file.stat.st_mode)
		return problem_set(problem, path, 0, 0, "can't be opened: %s", text_error(r));
	if (!S_ISREG(file.stat.st_mode))
		return problem_set(problem, path, 0, 0, "is %s; %s read from a file",
			S_ISDIR(file.stat.st_mode) ? "a directory" : "no regular file", kind->what);
	if (r == -EFBIG)
		return problem_set(problem, path, 0, 0, "is larger than %zu bytes; is this a %s?",
			kind->size_max, kind->name);
	if (r < 0)
		return problem_set(problem, path, 0, 0, "can't be read: %s", text_error(r));
	if (ret_stat)
		*ret_stat = file.stat;
	*ret = file.text;
	*len = file.len;
	return 0;
}

static const struct {
	int error;
	const char *text;
} errors[] = {
	{ENOENT, "there is no such file or directory; check its path"},
	{ENOTDIR, "a file is in the place of a directory; check its path"},
	{EACCES, "permission denied; allow it to the user who runs plyfs, also for the directories "
		 "on the path"},
	{ELOOP, "its path has links that lead in a circle; mend them"},
	{EISDIR, "it is a directory; give a file"},
	{ENAMETOOLONG, "its path is too long; give a shorter one"},
	{ETIMEDOUT, "its file system does not answer; unmount that"},
	{EPERM, "Operation not permitted; do it as root, or look for an attribute that forbids it: "
		"lsattr"},
	{EROFS, "Read-only file system; mount it for writing: mount -o remount,rw; but a mount of "
		"plyfs is changed in its layers: plyfs set MOUNTPOINT/PATH"},
	{ENOSPC, "No space left on device; make room there: df -h, df -i"},
	{EDQUOT, "Disk quota exceeded; make room, or have the quota raised"},
	{EFBIG, "File too large; raise the limit of the file system, or ulimit -f"},
	{EIO, "Input/output error; check the disk and its file system: dmesg"},
	{EMFILE, "Too many open files; raise the limit of the process: ulimit -n"},
	{ENFILE, "Too many open files in system; raise the limit: sysctl fs.file-max"},
	{EAGAIN, "Resource temporarily unavailable; try again, or raise ulimit -u"},
	{ENOMEM, "Cannot allocate memory; end other programs, or raise ulimit -v"},
	{ENOTCONN, "the process that served its file system has ended; unmount that: umount -l"},
	{ESTALE, "Stale file handle; mount its file system again"},
	{EBUSY, "Device or resource busy; unmount what is on it, or end its users: fuser -vm"},
	{EEXIST, "something stands there already; move it away"},
	{EXDEV, "it leads to another file system; put all on one"},
	{EOPNOTSUPP, "its file system does not support that; use another one"},
};

const char *text_error(int error)
{
	for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++)
		if (errors[i].error == -error)
			return errors[i].text;
	return strerror(-error);
}
