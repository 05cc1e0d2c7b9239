#include "watch.h"

#include <errno.h>

#include <stdlib.h>

#include "cleanup.h"

#define WATCH_MASK                                                                                 \
	(IN_CLOSE_WRITE | IN_MODIFY | IN_MOVED_FROM | IN_MOVED_TO | IN_CREATE | IN_DELETE |        \
		IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)

/* The watch of one layer's directory. */
struct layer_watch {
	struct subscription subscription; /* must be first */
	struct watch *watch;
	void *owner;
	unsigned layer;
};

struct watch {
	struct inotify *inotify;
	watch_handler *handler; /* set by watch_read() while it reads */
	void *context;
};

int watch_new(size_t most, struct watch **ret)
{
	CLEANUP(freep) struct watch *watch = calloc(1, sizeof(*watch));

	if (!watch)
		return -ENOMEM;
	int r = inotify_new(&watch->inotify);
	if (r < 0)
		return r;
	inotify_limit(watch->inotify, most);
	*ret = take_ptr(watch);
	return 0;
}

void watch_free(struct watch *watch)
{
	if (!watch)
		return;
	inotify_free(watch->inotify);
	free(watch);
}

struct inotify *watch_inotify(const struct watch *watch)
{
	return watch->inotify;
}

int watch_fd(const struct watch *watch)
{
	return inotify_fd(watch->inotify);
}

size_t watch_count(const struct watch *watch)
{
	return inotify_watch_count(watch->inotify);
}

static void on_event(struct subscription *subscription, uint32_t mask, const char *name)
{
	const struct layer_watch *slot = (const struct layer_watch *)subscription;
	const struct watch *watch = slot->watch;

	watch->handler(watch->context, slot->owner, slot->layer, mask, name);
}

static void end_watch(struct watch *watch, struct layer_watches *watches, unsigned layer)
{
	struct layer_watch *slot = take_ptr(watches->items[layer]);

	if (slot)
		inotify_unsubscribe(watch->inotify, &slot->subscription);
	free(slot);
}

/* Has the layer watched by subscribe(…, number), a descriptor's or a watch's. */
static int add(struct watch *watch, struct layer_watches *watches, unsigned layer,
	int (*subscribe)(struct inotify *inotify, struct subscription *subscription, int number),
	int number)
{
	CLEANUP(freep) struct layer_watch *slot = malloc(sizeof(*slot));
	int r = 0;

	if (!slot)
		return -ENOMEM;
	*slot = (struct layer_watch){
		{.notify = on_event, .mask = WATCH_MASK}, watch, watches->owner, layer};
	/* The settings may have been replaced since the caller read the number of layers. */
	if (layer < watches->count)
		r = subscribe(watch->inotify, &slot->subscription, number);
	if (layer < watches->count && r == 0) {
		end_watch(watch, watches, layer);
		watches->items[layer] = take_ptr(slot);
	}
	return r;
}

int watch_add(struct watch *watch, struct layer_watches *watches, unsigned layer, int fd)
{
	return add(watch, watches, layer, inotify_subscribe, fd);
}

uint32_t watch_mask(void)
{
	return WATCH_MASK;
}

int watch_begin(struct watch *watch)
{
	return inotify_expect(watch->inotify);
}

int watch_end(struct watch *watch, struct layer_watches *watches, unsigned layer, int wd)
{
	int r = wd < 0 ? 0 : add(watch, watches, layer, inotify_subscribe_to, wd);
	bool has_missed = inotify_expect_no_more(watch->inotify);

	return r == 0 ? has_missed : r;
}

bool watch_has(const struct layer_watches *watches, unsigned layer)
{
	const struct layer_watch *slot = watches->items[layer];

	return slot && inotify_is_subscribed(&slot->subscription);
}

void watch_remove_layer(struct watch *watch, struct layer_watches *watches, unsigned layer)
{
	end_watch(watch, watches, layer);
}

void watch_renumber(struct watch *watch, struct layer_watches *watches, struct layer_watch **items,
	size_t count)
{
	for (unsigned layer = 0; layer < watches->count; layer++)
		end_watch(watch, watches, layer);
	free(watches->items);
	watches->items = items;
	watches->count = count;
}

void watch_remove(struct watch *watch, struct layer_watches *watches)
{
	for (unsigned layer = 0; layer < watches->count; layer++)
		watch_remove_layer(watch, watches, layer);
}

static void on_overflow(void *context)
{
	const struct watch *watch = context;

	watch->handler(watch->context, NULL, 0, IN_Q_OVERFLOW, NULL);
}

void watch_read(struct watch *watch, watch_handler *handler, void *context)
{
	watch->handler = handler;
	watch->context = context;
	inotify_read(watch->inotify, on_overflow, watch);
}
