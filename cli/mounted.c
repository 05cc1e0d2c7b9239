#include "mounted.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "limit.h"
#include "text.h"

#define MOUNTINFO "/proc/self/mountinfo"
#define FILE_SYSTEM_TYPE "fuse.plyfs"
#define STATUS_FILE ".plyfs/status"

static void fclosep(FILE **stream)
{
	if (*stream)
		fclose(*stream);
}

/* Undoes the kernel's escapes, "\040" for a blank, in place. */
static void unescape(char *text)
{
	char *out = text;

	for (const char *in = text; *in; out++) {
		unsigned code;

		if (*in == '\\' && sscanf(in + 1, "%3o", &code) == 1 &&
			strspn(in + 1, "01234567") >= 3) {
			*out = (char)code;
			in += 4;
		} else {
			*out = *in++;
		}
	}
	*out = '\0';
}

static bool is_in(const char *path, const char *directory)
{
	size_t len = strlen(directory);

	if (strcmp(directory, "/") == 0)
		return true;
	return strncmp(path, directory, len) == 0 && (path[len] == '/' || path[len] == '\0');
}

/*
 * A line is "36 35 98:0 /root /mount/point options [tags] - type source …" (proc(5)). Cuts it up.
 */
static bool split_line(char *line, char **mountpoint, char **type)
{
	char *at = line;

	for (int field = 0; field < 4; field++) {
		at = strchr(at, ' ');
		if (!at)
			return false;
		at++;
	}
	char *dash = strstr(at, " - ");
	if (!dash)
		return false;
	*type = dash + 3;
	(*type)[strcspn(*type, " ")] = '\0';
	at[strcspn(at, " ")] = '\0';
	unescape(at);
	*mountpoint = at;
	return true;
}

int mounted_find(const char *path, char **ret)
{
	CLEANUP(freep) char *real = realpath(path, NULL), *line = NULL, *found = NULL;
	CLEANUP(fclosep) FILE *stream = NULL;
	size_t size = 0;
	bool is_plyfs = false;

	if (!real)
		return -errno;
	stream = fopen(MOUNTINFO, "re");
	if (!stream)
		return -errno;

	/* The innermost mountpoint counts, and of several mounts there the one made last. */
	while (getline(&line, &size, stream) > 0) {
		char *mountpoint, *type;

		if (!split_line(line, &mountpoint, &type) || !is_in(real, mountpoint) ||
			(found && strlen(mountpoint) < strlen(found)))
			continue;
		char *copy = strdup(mountpoint);
		if (!copy)
			return -ENOMEM;
		free(found);
		found = copy;
		is_plyfs = strcmp(type, FILE_SYSTEM_TYPE) == 0;
	}
	if (!is_plyfs)
		return -ENOENT;
	*ret = take_ptr(found);
	return 0;
}

int mounted_status(const char *mountpoint, char **ret, size_t *ret_len)
{
	CLEANUP(freep) char *file = NULL;

	if (asprintf(&file, "%s/" STATUS_FILE, mountpoint) < 0)
		return -ENOMEM;
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	int r = text_read(fd, LIMITS_DEFAULT.source_bytes, ret, ret_len);
	close(fd);
	return r;
}
