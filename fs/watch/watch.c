#include "watch.h"

#include <errno.h>

#include <stdlib.h>

#include "cleanup.h"

/* The watch of one layer's directory. */
struct layer_watch {
	struct subscription subscription; /* must be first */
	const struct watch *watch;
	void *owner;
	unsigned layer;
};

static void on_event(struct subscription *subscription, uint32_t mask, const char *name)
{
	const struct layer_watch *slot = (const struct layer_watch *)subscription;
	const struct watch *watch = slot->watch;

	watch->handler(watch->context, slot->owner, slot->layer, mask, name);
}

void watch_remove_layer(const struct watch *watch, struct layer_watches *watches, unsigned layer)
{
	struct layer_watch *slot = take_ptr(watches->items[layer]);

	if (slot)
		inotify_unsubscribe(watch->inotify, &slot->subscription);
	free(slot);
}

/* Has the layer watched by subscribe(…, number), a descriptor's or a watch's. */
static int add(const struct watch *watch, struct layer_watches *watches, unsigned layer,
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
		watch_remove_layer(watch, watches, layer);
		watches->items[layer] = take_ptr(slot);
	}
	return r;
}

int watch_add(const struct watch *watch, struct layer_watches *watches, unsigned layer, int fd)
{
	return add(watch, watches, layer, inotify_subscribe, fd);
}

int watch_end(const struct watch *watch, struct layer_watches *watches, unsigned layer, int wd)
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

void watch_remove(const struct watch *watch, struct layer_watches *watches)
{
	for (unsigned layer = 0; layer < watches->count; layer++)
		watch_remove_layer(watch, watches, layer);
}

void watch_renumber(const struct watch *watch, struct layer_watches *watches,
	struct layer_watch **items, size_t count)
{
	watch_remove(watch, watches);
	free(watches->items);
	watches->items = items;
	watches->count = count;
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
