#include "anchor.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "cleanup.h"

#define ANCHOR_MASK                                                                                \
	(IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE | IN_ONLYDIR)

/* A name in a directory that is there. */
struct anchor {
	int wd;
	char *name;
};

struct anchors {
	int fd;
	struct anchor *items;
	size_t count;
};

static void clear(struct anchors *anchors)
{
	for (size_t i = 0; i < anchors->count; i++) {
		inotify_rm_watch(anchors->fd, anchors->items[i].wd);
		free(anchors->items[i].name);
	}
	free(anchors->items);
	anchors->items = NULL;
	anchors->count = 0;
}

/* The nearest directory above `path` that is there, and the name that leads on from it. */
static int add(struct anchors *anchors, const char *path)
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
		int wd = inotify_add_watch(anchors->fd, slash ? copy : ".", ANCHOR_MASK);
		if (wd >= 0) {
			anchors->items[anchors->count++] = (struct anchor){wd, take_ptr(kept)};
			return 0;
		}
		if (!slash || errno != ENOENT)
			return 0;
	}
}

int anchors_set(struct anchors *anchors, const struct settings *settings)
{
	int r = 0;

	clear(anchors);
	anchors->items = calloc(settings->layer_count + 1, sizeof(*anchors->items));
	if (!anchors->items)
		return -ENOMEM;
	if (settings->path)
		r = add(anchors, settings->path);
	for (size_t i = 0; r == 0 && i < settings->layer_count; i++)
		r = add(anchors, settings->layers[i]->path);
	return r;
}

static void anchors_freep(struct anchors **anchors)
{
	anchors_free(*anchors);
}

int anchors_new(const struct settings *settings, struct anchors **ret)
{
	CLEANUP(anchors_freep) struct anchors *anchors = calloc(1, sizeof(*anchors));

	if (!anchors)
		return -ENOMEM;
	anchors->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (anchors->fd < 0)
		return -errno;
	int r = anchors_set(anchors, settings);
	if (r < 0)
		return r;
	*ret = take_ptr(anchors);
	return 0;
}

void anchors_free(struct anchors *anchors)
{
	if (!anchors)
		return;
	if (anchors->fd >= 0) {
		clear(anchors);
		close(anchors->fd);
	}
	free(anchors);
}

int anchors_fd(const struct anchors *anchors)
{
	return anchors->fd;
}

static bool concerns(const struct anchors *anchors, const struct inotify_event *event)
{
	if (event->mask & IN_Q_OVERFLOW)
		return true;
	for (size_t i = 0; i < anchors->count; i++)
		if (anchors->items[i].wd == event->wd &&
			(!event->len || strcmp(anchors->items[i].name, event->name) == 0))
			return true;
	return false;
}

bool anchors_have_moved(struct anchors *anchors)
{
	char buffer[16 * 1024] __attribute__((aligned(__alignof__(struct inotify_event))));
	bool have_moved = false;
	ssize_t n;

	while ((n = read(anchors->fd, buffer, sizeof(buffer))) > 0)
		for (char *at = buffer; at < buffer + n;) {
			const struct inotify_event *event =
				(const struct inotify_event *)(void *)at;
			have_moved |= concerns(anchors, event);
			at += sizeof(*event) + event->len;
		}
	return have_moved;
}
