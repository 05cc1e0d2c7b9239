/* A list of paths, or of names. It owns copies of them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* All zero: empty. */
struct path_list {
	char **paths;
	size_t count;
	size_t capacity;
};

/** Adds a copy of the first `len` bytes of `path`. Returns 0 or -ENOMEM. */
int path_list_add(struct path_list *list, const char *path, size_t len);

/** Adds copies of both paths, or of neither. Returns 0 or -ENOMEM. */
int path_list_add_pair(struct path_list *list, const char *first, const char *second);

/** Adds copies of all paths of the other list. Returns 0 or -ENOMEM. */
int path_list_add_all(struct path_list *list, const struct path_list *other);

bool path_list_has(const struct path_list *list, const char *path);

/** Sorts the paths by bytes, and removes duplicates. */
void path_list_sort(struct path_list *list);

void path_list_clear(struct path_list *list);
void path_list_fini(struct path_list *list);
