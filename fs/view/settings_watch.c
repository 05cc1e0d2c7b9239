#include "settings_watch.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "cleanup.h"

#define SETTINGS_WATCH_MASK                                                                                \
	(IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE | IN_ONLYDIR)

/* A name in a directory that is there. */
struct watched_name {
	int wd;
	char *name;
};

struct settings_watch {
	int fd;
	struct watched_name *items;
	size_t count;
};

static void clear(struct settings_watch *watch)
{
	for (size_t i = 0; i < watch->count; i++) {
		inotify_rm_watch(watch->fd, watch->items[i].wd);
		free(watch->items[i].name);
	}
	free(watch->items);
	watch->items = NULL;
	watch->count = 0;
}

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
		const char *name = slash ? slash + 1 : copy;
		if (!*name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
			return 0; /* no name of its own that could lead elsewhere */
		CLEANUP(freep) char *kept = strdup(name);
		if (!kept)
			return -ENOMEM;
		if (slash)
			slash[slash == copy] = '\0';
		int wd = inotify_add_watch(watch->fd, slash ? copy : ".", SETTINGS_WATCH_MASK);
		if (wd >= 0) {
			watch->items[watch->count++] = (struct watched_name){wd, take_ptr(kept)};
			return 0;
		}
		if (!slash || errno != ENOENT)
			return 0;
	}
}

int settings_watch_set(struct settings_watch *watch, const struct settings *settings)
{
	int r = 0;

	clear(watch);
	watch->items = calloc(settings->layer_count + 1, sizeof(*watch->items));
	if (!watch->items)
		return -ENOMEM;
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
	watch->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (watch->fd < 0)
		return -errno;
	int r = settings_watch_set(watch, settings);
	if (r < 0)
		return r;
	*ret = take_ptr(watch);
	return 0;
}

void settings_watch_free(struct settings_watch *watch)
{
	if (!watch)
		return;
	if (watch->fd >= 0) {
		clear(watch);
		close(watch->fd);
	}
	free(watch);
}

int settings_watch_fd(const struct settings_watch *watch)
{
	return watch->fd;
}

static bool concerns(const struct settings_watch *watch, const struct inotify_event *event)
{
	if (event->mask & IN_Q_OVERFLOW)
		return true;
	for (size_t i = 0; i < watch->count; i++)
		if (watch->items[i].wd == event->wd &&
			(!event->len || strcmp(watch->items[i].name, event->name) == 0))
			return true;
	return false;
}

bool settings_watch_has_event(struct settings_watch *watch)
{
	char buffer[16 * 1024] __attribute__((aligned(__alignof__(struct inotify_event))));
	bool have_moved = false;
	ssize_t n;

	while ((n = read(watch->fd, buffer, sizeof(buffer))) > 0)
		for (char *at = buffer; at < buffer + n;) {
			const struct inotify_event *event =
				(const struct inotify_event *)(void *)at;
			have_moved |= concerns(watch, event);
			at += sizeof(*event) + event->len;
		}
	return have_moved;
}
