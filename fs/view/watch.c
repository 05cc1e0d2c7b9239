#include "watch.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cleanup.h"

#define BUCKETS 4096u

/* Of 64 KiB each: more than the 16384 events that the kernel queues by default have with the
 * longest names. Who writes faster than that must not keep the caller, and with it the view's lock.
 */
#define READS_MAX 128

#define WATCH_MASK                                                                                 \
	(IN_CLOSE_WRITE | IN_MODIFY | IN_MOVED_FROM | IN_MOVED_TO | IN_CREATE | IN_DELETE |        \
		IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)

/* One layer's part of one directory. */
struct slot {
	int wd;
	unsigned layer;
	struct directory *directory;
	struct slot *next;
};

struct watch {
	int fd;
	pthread_mutex_t lock;
	struct slot *buckets[BUCKETS]; /* lock */
	size_t count;                  /* lock; slots */
};

int watch_new(struct watch **ret)
{
	CLEANUP(freep) struct watch *watch = calloc(1, sizeof(*watch));

	if (!watch)
		return -ENOMEM;
	watch->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (watch->fd < 0)
		return -errno;
	pthread_mutex_init(&watch->lock, NULL);
	*ret = take_ptr(watch);
	return 0;
}

void watch_free(struct watch *watch)
{
	if (!watch)
		return;
	for (size_t i = 0; i < BUCKETS; i++)
		for (struct slot *slot = watch->buckets[i], *next; slot; slot = next) {
			next = slot->next;
			free(slot);
		}
	close(watch->fd);
	pthread_mutex_destroy(&watch->lock);
	free(watch);
}

int watch_fd(const struct watch *watch)
{
	return watch->fd;
}

size_t watch_count(struct watch *watch)
{
	pthread_mutex_lock(&watch->lock);
	size_t count = watch->count;
	pthread_mutex_unlock(&watch->lock);
	return count;
}

static struct slot **bucket_of(struct watch *watch, int wd)
{
	return &watch->buckets[(unsigned)wd % BUCKETS];
}

/* Takes the slot out. Returns whether another one lies on the same watch. */
static bool drop_slot(struct watch *watch, struct directory *directory, unsigned layer)
{
	int wd = directory->watches[layer];
	struct slot **place = bucket_of(watch, wd);
	bool is_shared = false;

	while (*place) {
		struct slot *slot = *place;
		if (slot->wd == wd && slot->directory == directory && slot->layer == layer) {
			*place = slot->next;
			free(slot);
			watch->count--;
			continue;
		}
		is_shared |= slot->wd == wd;
		place = &slot->next;
	}
	directory->watches[layer] = -1;
	return is_shared;
}

static void end_watch(struct watch *watch, struct directory *directory, unsigned layer)
{
	int wd = directory->watches[layer];

	if (wd >= 0 && !drop_slot(watch, directory, layer))
		inotify_rm_watch(watch->fd, wd);
}

int watch_add(struct watch *watch, struct directory *directory, unsigned layer, int fd)
{
	char path[sizeof("/proc/self/fd/") + 3 * sizeof(int)];
	CLEANUP(freep) struct slot *slot = malloc(sizeof(*slot));

	if (!slot)
		return -ENOMEM;
	/* The descriptor's name in /proc, so that it is the very directory that was opened. */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	pthread_mutex_lock(&watch->lock);
	/* The settings were replaced since the caller looked. */
	if (layer >= directory->layer_count) {
		pthread_mutex_unlock(&watch->lock);
		return 0;
	}
	int wd = inotify_add_watch(watch->fd, path, WATCH_MASK);
	int error = errno;
	/* Another thread may have been faster, and found the same, or another directory. */
	if (wd >= 0 && wd != directory->watches[layer]) {
		end_watch(watch, directory, layer);
		struct slot **bucket = bucket_of(watch, wd);
		*slot = (struct slot){wd, layer, directory, *bucket};
		*bucket = take_ptr(slot);
		watch->count++;
		directory->watches[layer] = wd;
	}
	pthread_mutex_unlock(&watch->lock);
	return wd < 0 ? -error : 0;
}

bool watch_has(struct watch *watch, const struct directory *directory, unsigned layer)
{
	pthread_mutex_lock(&watch->lock);
	bool has = directory->watches[layer] >= 0;
	pthread_mutex_unlock(&watch->lock);
	return has;
}

void watch_remove_layer(struct watch *watch, struct directory *directory, unsigned layer)
{
	pthread_mutex_lock(&watch->lock);
	end_watch(watch, directory, layer);
	pthread_mutex_unlock(&watch->lock);
}

void watch_renumber(
	struct watch *watch, struct directory *directory, int *watches, size_t layer_count)
{
	pthread_mutex_lock(&watch->lock);
	for (unsigned layer = 0; layer < directory->layer_count; layer++)
		end_watch(watch, directory, layer);
	free(directory->watches);
	directory->watches = watches;
	directory->layer_count = layer_count;
	pthread_mutex_unlock(&watch->lock);
}

void watch_remove(struct watch *watch, struct directory *directory)
{
	for (unsigned layer = 0; layer < directory->layer_count; layer++)
		watch_remove_layer(watch, directory, layer);
}

static void dispatch(struct watch *watch, const struct inotify_event *event, watch_handler *handler,
	void *context)
{
	const char *name = event->len ? event->name : NULL;

	if (event->mask & IN_Q_OVERFLOW) {
		handler(context, NULL, 0, event->mask, NULL);
		return;
	}
	for (struct slot *slot = *bucket_of(watch, event->wd), *next; slot; slot = next) {
		next = slot->next;
		if (slot->wd != event->wd)
			continue;
		handler(context, slot->directory, slot->layer, event->mask, name);
		if (event->mask & IN_IGNORED)
			drop_slot(watch, slot->directory, slot->layer);
	}
}

size_t watch_read(struct watch *watch, watch_handler *handler, void *context)
{
	char buffer[64 * 1024] __attribute__((aligned(__alignof__(struct inotify_event))));
	size_t count = 0;

	for (int i = 0; i < READS_MAX; i++) {
		ssize_t n = read(watch->fd, buffer, sizeof(buffer));
		if (n <= 0)
			break;
		pthread_mutex_lock(&watch->lock);
		for (char *at = buffer; at < buffer + n; count++) {
			const struct inotify_event *event =
				(const struct inotify_event *)(void *)at;
			dispatch(watch, event, handler, context);
			at += sizeof(*event) + event->len;
		}
		pthread_mutex_unlock(&watch->lock);
	}
	return count;
}
