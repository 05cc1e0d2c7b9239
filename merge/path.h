/* A path relative to a root: names, separated by single "/". */
#pragma once

#include "span.h"

/** Returns what is wrong with `path`: a static text such as "it is empty"; NULL: nothing. */
const char *path_fault(struct span path);

/** Returns the last name of `path`. */
static inline const char *path_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/** Returns the length of `path` up to and including its last slash; 0: `path` has no slash. */
static inline size_t path_directory_length(const char *path)
{
	return (size_t)(path_name(path) - path);
}

/** Removes the last name of `path`, with the slash before it. */
static inline void path_cut(char *path)
{
	size_t length = path_directory_length(path);

	path[length ? length - 1 : 0] = '\0';
}

/**
 * Returns `path` relative to `directory`: "" if both are the same; NULL if `path` is elsewhere.
 * Both must be absolute, or both relative to a root (""). `directory` may end with a slash.
 */
const char *path_within(const char *path, const char *directory);

/** Joins `directory` ("": the root) and `name`. Returns 0 with *ret for free(3), or -ENOMEM. */
int path_join(const char *directory, const char *name, char **ret);
