/*
 * Paths of a tree: where something has changed, or will.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* All zero: none. */
struct path_list {
	char **paths;
	size_t count;
	size_t capacity;
};

/** Adds a copy of the first `len` bytes of `path`. 0 or -ENOMEM. */
int path_list_add(struct path_list *list, const char *path, size_t len);

/** Adds all of the other one. 0 or -ENOMEM. */
int path_list_add_all(struct path_list *list, const struct path_list *other);

/** Sorts it by bytes, so that what is in one directory stands together, each path once. */
void path_list_sort(struct path_list *list);

void path_list_clear(struct path_list *list);
void path_list_fini(struct path_list *list);
