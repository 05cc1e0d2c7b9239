#include "path_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"

int path_list_add(struct path_list *list, const char *path, size_t len)
{
	if (array_grow(list->paths, list->count, list->capacity) < 0)
		return -ENOMEM;
	char *copy = strndup(path, len);
	if (!copy)
		return -ENOMEM;
	list->paths[list->count++] = copy;
	return 0;
}

int path_list_add_pair(struct path_list *list, const char *first, const char *second)
{
	int r = path_list_add(list, first, strlen(first));

	if (r == 0 && (r = path_list_add(list, second, strlen(second))) < 0)
		free(list->paths[--list->count]);
	return r;
}

int path_list_add_all(struct path_list *list, const struct path_list *other)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < other->count; i++)
		r = path_list_add(list, other->paths[i], strlen(other->paths[i]));
	return r;
}

bool path_list_has(const struct path_list *list, const char *path)
{
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->paths[i], path) == 0)
			return true;
	return false;
}

void path_list_sort(struct path_list *list)
{
	size_t kept = 0;

	if (!list->count)
		return;
	qsort(list->paths, list->count, sizeof(*list->paths), array_compare_texts);
	for (size_t i = 1; i < list->count; i++)
		if (strcmp(list->paths[i], list->paths[kept]) == 0)
			free(list->paths[i]);
		else
			list->paths[++kept] = list->paths[i];
	list->count = kept + 1;
}

void path_list_clear(struct path_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->paths[i]);
	list->count = 0;
}

void path_list_fini(struct path_list *list)
{
	path_list_clear(list);
	free(list->paths);
	*list = (struct path_list){0};
}
