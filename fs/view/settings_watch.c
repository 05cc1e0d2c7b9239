#include "settings_watch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>

#include "cleanup.h"
#include "name_watch.h"

#define SETTINGS_WATCH_MASK                                                                        \
	(IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE | IN_ONLYDIR)

struct settings_watch {
	struct name_watch *names;
};

/* The nearest directory above `path` that is there, and the name that leads on from it. */
static int add(struct settings_watch *watch, const char *path)
{
	CLEANUP(freep) char *copy = strdup(path);
	if (!copy)
		return -ENOMEM;
	for (;;) {
		size_t length = strlen(copy);
		while (length > 1 && copy[length - 1] == '/')
			copy[--length] = '\0';
		char *slash = strrchr(copy, '/');
		CLEANUP(freep) char *name = strdup(slash ? slash + 1 : copy);
		if (!name)
			return -ENOMEM;
		if (!*name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
			return 0; /* no name of its own that could lead elsewhere */
		if (slash)
			slash[slash == copy] = '\0';
		int r = name_watch_add(watch->names, slash ? copy : "", name, SETTINGS_WATCH_MASK);
		if (!slash || r != -ENOENT)
			return r == -ENOMEM ? r : 0;
	}
}

int settings_watch_set(struct settings_watch *watch, const struct settings *settings)
{
	int r = 0;

	name_watch_clear(watch->names);
	if (settings->path)
		r = add(watch, settings->path);
	for (size_t i = 0; r == 0 && i < settings->layer_count; i++)
		r = add(watch, settings->layers[i]->path);
	return r;
}

static void settings_watch_freep(struct settings_watch **watch)
{
	settings_watch_free(*watch);
}

int settings_watch_new(const struct settings *settings, struct settings_watch **ret)
{
	CLEANUP(settings_watch_freep) struct settings_watch *watch = calloc(1, sizeof(*watch));

	if (!watch)
		return -ENOMEM;
	int r = name_watch_new(&watch->names);
	if (r == 0)
		r = settings_watch_set(watch, settings);
	if (r < 0)
		return r;
	*ret = take_ptr(watch);
	return 0;
}

void settings_watch_free(struct settings_watch *watch)
{
	if (!watch)
		return;
	name_watch_free(watch->names);
	free(watch);
}

int settings_watch_fd(const struct settings_watch *watch)
{
	return name_watch_fd(watch->names);
}

bool settings_watch_has_event(struct settings_watch *watch)
{
	return name_watch_has_event(watch->names);
}
