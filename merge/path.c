#include "path.h"

#include <errno.h>
#include <stdio.h>

/* Linux's maxima in bytes, for a path and for one name. A longer one can't be a file. */
#define PATH_LENGTH_MAX 4095
#define NAME_LENGTH_MAX 255

const char *path_fault(struct span path)
{
	const char *end = span_end(path);

	if (path.len == 0)
		return "it is empty";
	if (memchr(path.data, '\0', path.len))
		return "it has a NUL byte in it";
	if (path.len > PATH_LENGTH_MAX)
		return "it is too long for a path";
	for (const char *part = path.data;; part++) {
		const char *slash = memchr(part, '/', (size_t)(end - part));
		struct span name = {part, (size_t)((slash ? slash : end) - part)};

		if (name.len == 0)
			return "a slash stands in front, at the end, or next to another";
		if (span_is(name, ".") || span_is(name, ".."))
			return "\".\" and \"..\" are not allowed";
		if (name.len > NAME_LENGTH_MAX)
			return "a name in it is too long for a file";
		if (!slash)
			return NULL;
		part = slash;
	}
}

const char *path_within(const char *path, const char *directory)
{
	size_t len = strlen(directory);

	if (len == 0)
		return path;
	len -= directory[len - 1] == '/';
	if (strncmp(path, directory, len) != 0 || (path[len] && path[len] != '/'))
		return NULL;
	return path + len + (path[len] == '/');
}

int path_join(const char *directory, const char *name, char **ret)
{
	const char *slash = *directory ? "/" : "";

	if (asprintf(ret, "%s%s%s", directory, slash, name) >= 0)
		return 0;
	*ret = NULL;
	return -ENOMEM;
}
