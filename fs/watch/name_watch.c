#include "name_watch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "inotify.h"

struct watched_name {
	struct subscription subscription; /* must be first */
	struct name_watch *watch;
	struct watched_name *next;
	char name[];
};

struct name_watch {
	struct inotify *inotify;
	struct watched_name *names;
	struct watched_name *old; /* the replaced ones, during a renewal */
	bool has_event;           /* in the last read */
};

int name_watch_new(struct name_watch **ret)
{
	CLEANUP(freep) struct name_watch *watch = calloc(1, sizeof(*watch));

	if (!watch)
		return -ENOMEM;
	int r = inotify_new(&watch->inotify);
	if (r < 0)
		return r;
	*ret = take_ptr(watch);
	return 0;
}

static void drop(struct name_watch *watch, struct watched_name **names)
{
	for (struct watched_name *name; (name = *names);) {
		*names = name->next;
		inotify_unsubscribe(watch->inotify, &name->subscription);
		free(name);
	}
}

void name_watch_free(struct name_watch *watch)
{
	if (!watch)
		return;
	drop(watch, &watch->old);
	drop(watch, &watch->names);
	inotify_free(watch->inotify);
	free(watch);
}

int name_watch_fd(const struct name_watch *watch)
{
	return inotify_fd(watch->inotify);
}

static void on_event(struct subscription *subscription, uint32_t mask, const char *name)
{
	(void)mask;
	(void)name;
	((struct watched_name *)subscription)->watch->has_event = true;
}

static void on_overflow(void *watch)
{
	((struct name_watch *)watch)->has_event = true;
}

int name_watch_add(struct name_watch *watch, int wd, const char *name, uint32_t mask)
{
	size_t size = strlen(name) + 1;
	CLEANUP(freep) struct watched_name *added = calloc(1, sizeof(*added) + size);

	if (!added)
		return -ENOMEM;
	memcpy(added->name, name, size);
	added->subscription =
		(struct subscription){.notify = on_event, .mask = mask, .name = added->name};
	added->watch = watch;
	int r = inotify_subscribe_to(watch->inotify, &added->subscription, wd);
	if (r < 0)
		return r;
	added->next = watch->names;
	watch->names = take_ptr(added);
	return 0;
}

void name_watch_renew(struct name_watch *watch)
{
	drop(watch, &watch->old);
	watch->old = watch->names;
	watch->names = NULL;
}

static bool has(const struct watched_name *names, const struct watched_name *name)
{
	for (; names; names = names->next)
		if (names->subscription.watch == name->subscription.watch &&
			strcmp(names->name, name->name) == 0)
			return true;
	return false;
}

bool name_watch_end_renewal(struct name_watch *watch)
{
	bool has_new = false;

	for (const struct watched_name *name = watch->names; name && !has_new; name = name->next)
		has_new = !has(watch->old, name);
	drop(watch, &watch->old);
	return has_new;
}

bool name_watch_has_event(struct name_watch *watch)
{
	watch->has_event = false;
	inotify_read(watch->inotify, on_overflow, watch);
	return watch->has_event;
}
