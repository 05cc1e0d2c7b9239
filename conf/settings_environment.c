#include "settings_environment.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "outside.h"

static int copy(const char *text, struct arena *arena, const char **ret)
{
	*ret = text ? arena_copy(arena, span_of(text)) : NULL;
	return text && !*ret ? -ENOMEM : 0;
}

int settings_environment_copy(const struct settings_environment *around, struct arena *arena,
	struct settings_environment *ret)
{
	if (!around)
		return 0;
	const struct {
		const char *text;
		const char **ret;
	} fields[] = {
		{around->directory, &ret->directory},
		{around->host, &ret->host},
		{around->machine_id, &ret->machine_id},
		{around->user, &ret->user},
		{around->mountpoint, &ret->mountpoint},
		{around->beneath, &ret->beneath},
	};
	int r = 0;

	for (size_t i = 0; r == 0 && i < sizeof(fields) / sizeof(*fields); i++)
		r = copy(fields[i].text, arena, fields[i].ret);
	for (size_t i = 0; r == 0 && i < SETTINGS_FACTS_MAX; i++)
		r = copy(around->facts[i], arena, &ret->facts[i]);
	return r;
}

bool settings_environment_is_other(const struct settings_environment *around)
{
	return around->host || around->machine_id || around->user || around->facts[0];
}

/* Returns whether `path`, with all links followed, is the mountpoint, or the directory beneath. */
static bool is_mountpoint(const struct settings_environment *around, const char *path)
{
	char found[PATH_MAX];

	return outside_find(path, found) == 0 && strcmp(found, around->mountpoint) == 0;
}

/*
 * Returns the rest of `path` behind the mountpoint, through whatever links the path leads there;
 * NULL: it does not lead through the mountpoint. Looks up no name in the mount if `beneath` is
 * known: perhaps no process answers yet.
 */
static const char *behind(const struct settings_environment *around, const char *path)
{
	const char *rest = NULL;
	char part[PATH_MAX];

	for (size_t len = strspn(path, "/"); path[len]; len += strspn(path + len, "/")) {
		bool is_beneath = rest && around->beneath;

		len += strcspn(path + len, "/");
		int n = is_beneath ? snprintf(part, sizeof(part), "%s/%.*s", around->beneath,
					     (int)(path + len - rest), rest)
				   : snprintf(part, sizeof(part), "%.*s", (int)len, path);
		/* The last one counts: ".." may lead out of it, and in again. */
		if (n >= 0 && (size_t)n < sizeof(part) && is_mountpoint(around, part))
			rest = path + len + strspn(path + len, "/");
	}
	return rest;
}

bool settings_environment_hides(const struct settings_environment *around, const char *path)
{
	return around->mountpoint && behind(around, path);
}

static int uncover(
	const struct settings_environment *around, struct arena *arena, const char **path)
{
	const char *rest = behind(around, *path);

	if (rest)
		*path = arena_printf(arena, "%s%s%s", around->beneath, *rest ? "/" : "", rest);
	return *path ? 0 : -ENOMEM;
}

int settings_environment_absolute(const struct settings_environment *around, const char *path,
	struct arena *arena, const char **ret)
{
	const char *directory = around->directory;
	bool is_root = directory && strcmp(directory, "/") == 0;

	*ret = path;
	if (!directory || *path == '/')
		return 0;
	while (path[0] == '.' && path[1] == '/')
		path += 1 + strspn(path + 1, "/");
	if (strcmp(path, ".") == 0 || !*path)
		*ret = directory;
	else
		*ret = arena_printf(arena, "%s/%s", is_root ? "" : directory, path);
	return *ret ? 0 : -ENOMEM;
}

int settings_environment_place(const struct settings_environment *around, const char *path,
	struct arena *arena, const char **ret)
{
	int r = settings_environment_absolute(around, path, arena, ret);

	return r == 0 && around->mountpoint && around->beneath ? uncover(around, arena, ret) : r;
}
