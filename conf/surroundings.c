#include "surroundings.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

static int copy(const char *text, struct arena *arena, const char **ret)
{
	*ret = text ? arena_copy(arena, span_of(text)) : NULL;
	return text && !*ret ? -ENOMEM : 0;
}

int surroundings_copy(
	const struct surroundings *around, struct arena *arena, struct surroundings *ret)
{
	if (!around)
		return 0;
	return copy(around->directory, arena, &ret->directory);
}

int surroundings_place(
	const struct surroundings *around, const char *path, struct arena *arena, const char **ret)
{
	const char *directory = around->directory;
	bool is_root = directory && strcmp(directory, "/") == 0;

	*ret = path;
	if (directory && *path != '/')
		*ret = arena_printf(arena, "%s/%s", is_root ? "" : directory, path);
	return *ret ? 0 : -ENOMEM;
}
