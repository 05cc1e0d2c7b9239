#include "mounted.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "array.h"
#include "cleanup.h"
#include "descriptor.h"
#include "document.h"
#include "limit.h"
#include "text.h"

#define MOUNTINFO "/proc/self/mountinfo"
#define FILE_SYSTEM_TYPE "fuse.plyfs"
#define STATUS_FILE ".plyfs/status"

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
 * `is_whole`: not only a directory of the file system is mounted there.
 */
static bool split_line(char *line, char **mountpoint, char **type, bool *is_whole)
{
	char *at = line;

	for (int field = 0; field < 4; field++) {
		*is_whole = strncmp(at, "/ ", 2) == 0;
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
		bool is_whole;

		if (!split_line(line, &mountpoint, &type, &is_whole) || !is_in(real, mountpoint) ||
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

static bool has(const struct mounted *mounted, const char *path)
{
	for (size_t i = 0; i < mounted->count; i++)
		if (strcmp(mounted->paths[i], path) == 0)
			return true;
	return false;
}

static int add(struct mounted *mounted, size_t *capacity, const char *path)
{
	if (has(mounted, path))
		return 0;
	if (array_grow(mounted->paths, mounted->count, *capacity) < 0)
		return -ENOMEM;
	mounted->paths[mounted->count] = strdup(path);
	return mounted->paths[mounted->count++] ? 0 : -ENOMEM;
}

int mounted_all(struct mounted *ret)
{
	CLEANUP(mounted_fini) struct mounted mounted = {0};
	CLEANUP(fclosep) FILE *stream = fopen(MOUNTINFO, "re");
	CLEANUP(freep) char *line = NULL;
	size_t size = 0, capacity = 0;
	int r = 0;

	if (!stream)
		return -errno;
	while (r == 0 && getline(&line, &size, stream) > 0) {
		char *mountpoint, *type;
		bool is_whole;

		if (split_line(line, &mountpoint, &type, &is_whole) && is_whole &&
			strcmp(type, FILE_SYSTEM_TYPE) == 0)
			r = add(&mounted, &capacity, mountpoint);
	}
	if (r < 0)
		return r;
	*ret = mounted;
	mounted = (struct mounted){0};
	return 0;
}

void mounted_fini(struct mounted *mounted)
{
	for (size_t i = 0; i < mounted->count; i++)
		free(mounted->paths[i]);
	free(mounted->paths);
}

int mounted_status(const char *mountpoint, char **ret, size_t *ret_len)
{
	CLEANUP(freep) char *file = NULL;
	struct stat found;

	if (asprintf(&file, "%s/" STATUS_FILE, mountpoint) < 0)
		return -ENOMEM;
	/* In a rendered tree anything may stand there. */
	int fd = open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	int r = fstat(fd, &found) < 0 ? -errno : S_ISREG(found.st_mode) ? 0 : -EINVAL;
	if (r == 0)
		r = text_read(fd, LIMITS_DEFAULT.source_bytes, ret, ret_len);
	close(fd);
	return r;
}

int mounted_report(const char *mountpoint, struct document **ret, struct problem *problem)
{
	const struct source source = {.name = mountpoint, .layer = ""};
	const struct read_options options = {.format = &format_json};
	CLEANUP(freep) char *text = NULL;
	size_t len;

	int r = mounted_status(mountpoint, &text, &len);
	return r < 0 ? r : document_read(&source, (struct span){text, len}, &options, ret, problem);
}
