#include "inotify.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "clock.h"
#include "descriptor.h"

#define BUCKETS 4096u

/*
 * Maximum number of reads in a call, of 64 KiB each. They hold more than the 16384 events that the
 * kernel queues by default, even with the longest names. A program that makes events faster than
 * that must not hold up the daemon.
 */
#define READS_MAX 128

/* The kernel's limit, which is read again after so long. */
#define LIMIT_FILE "/proc/sys/user/max_inotify_watches"
#define LIMIT_MS 1000

struct inotify_watch {
	int wd;
	struct subscription *subscriptions;
	struct inotify_watch *next; /* in the bucket */
};

struct inotify {
	int fd;
	struct inotify_watch *buckets[BUCKETS];
	size_t count;
	unsigned expected; /* watches that others are adding */
	bool has_missed;   /* events of such a one */
	size_t most;       /* inotify_limit(); 0: half of the kernel's limit */
	size_t half;       /* of that */
	int64_t half_ms;   /* clock_ms() when it was read; 0: never */
};

int inotify_new(struct inotify **ret)
{
	CLEANUP(freep) struct inotify *inotify = calloc(1, sizeof(*inotify));

	if (!inotify)
		return -ENOMEM;
	inotify->most = SIZE_MAX;
	inotify->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (inotify->fd < 0)
		return -errno;
	*ret = take_ptr(inotify);
	return 0;
}

void inotify_free(struct inotify *inotify)
{
	if (!inotify)
		return;
	close(inotify->fd);
	free(inotify);
}

int inotify_take_over(struct inotify *inotify, int fd)
{
	assert(!inotify->count);
	return dup3(fd, inotify->fd, O_CLOEXEC) < 0 ? -errno : 0;
}

int inotify_fd(const struct inotify *inotify)
{
	return inotify->fd;
}

size_t inotify_watch_count(struct inotify *inotify)
{
	return inotify->count;
}

void inotify_limit(struct inotify *inotify, size_t most)
{
	inotify->most = most;
}

size_t inotify_max(void)
{
	char text[32];
	CLEANUP(closep) int fd = open(LIMIT_FILE, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (n <= 0)
		return SIZE_MAX;
	text[n] = '\0';
	return (size_t)strtoull(text, NULL, 10);
}

/* Returns whether no watch may be added. */
static bool is_full(struct inotify *inotify)
{
	int64_t now = clock_ms();

	if (inotify->most)
		return inotify->count >= inotify->most;
	if (!inotify->half_ms ||
		(inotify->count >= inotify->half && now >= inotify->half_ms + LIMIT_MS)) {
		inotify->half = inotify_max() / 2;
		inotify->half_ms = now;
	}
	return inotify->count >= inotify->half;
}

/* Returns the pointer that points to the watch, or that would. */
static struct inotify_watch **find(struct inotify *inotify, int wd)
{
	struct inotify_watch **place = &inotify->buckets[(unsigned)wd % BUCKETS];

	while (*place && (*place)->wd != wd)
		place = &(*place)->next;
	return place;
}

/* Subscribes to a watch that the kernel has. `fresh` becomes it, if it is not known. */
static void attach(struct inotify *inotify, struct subscription *subscription, int wd,
	struct inotify_watch **fresh)
{
	struct inotify_watch **place = find(inotify, wd);

	if (!*place) {
		inotify->count++;
		*place = take_ptr(*fresh);
		(*place)->wd = wd;
	}
	struct inotify_watch *watch = *place;
	subscription->watch = watch;
	subscription->next = watch->subscriptions;
	subscription->place = &watch->subscriptions;
	if (subscription->next)
		subscription->next->place = &subscription->next;
	watch->subscriptions = subscription;
}

/* Adds a watch, or to the mask of the one that the inode has. Returns its number, or -errno. */
static int add_watch(struct inotify *inotify, int fd, uint32_t mask)
{
	char path[DESCRIPTOR_LINK_MAX];

	if (is_full(inotify))
		return -EDQUOT;
	/* The descriptor's link in /proc leads to the very inode that was opened. */
	descriptor_link(fd, path);
	int wd = inotify_add_watch(inotify->fd, path, mask | IN_MASK_ADD);
	return wd < 0 ? -errno : wd;
}

int inotify_subscribe(struct inotify *inotify, struct subscription *subscription, int fd)
{
	CLEANUP(freep) struct inotify_watch *fresh = calloc(1, sizeof(*fresh));

	if (!fresh)
		return -ENOMEM;
	int wd = add_watch(inotify, fd, subscription->mask);
	if (wd >= 0)
		attach(inotify, subscription, wd, &fresh);
	return wd < 0 ? wd : 0;
}

int inotify_subscribe_to(struct inotify *inotify, struct subscription *subscription, int wd)
{
	CLEANUP(freep) struct inotify_watch *fresh = calloc(1, sizeof(*fresh));

	if (!fresh)
		return -ENOMEM;
	attach(inotify, subscription, wd, &fresh);
	return 0;
}

int inotify_expect(struct inotify *inotify)
{
	bool has_room = !is_full(inotify);
	inotify->expected += has_room;
	return has_room ? 0 : -EDQUOT;
}

bool inotify_expect_no_more(struct inotify *inotify)
{
	bool has_missed = inotify->has_missed;
	if (--inotify->expected == 0)
		inotify->has_missed = false;
	return has_missed;
}

/* Takes the subscription off its watch, which ends with the last one. */
static void detach(struct inotify *inotify, struct subscription *subscription)
{
	struct inotify_watch *watch = subscription->watch;

	*subscription->place = subscription->next;
	if (subscription->next)
		subscription->next->place = subscription->place;
	subscription->watch = NULL;
	if (watch->subscriptions)
		return;
	inotify_rm_watch(inotify->fd, watch->wd);
	*find(inotify, watch->wd) = watch->next;
	inotify->count--;
	free(watch);
}

void inotify_unsubscribe(struct inotify *inotify, struct subscription *subscription)
{
	if (subscription->watch)
		detach(inotify, subscription);
}

bool inotify_is_subscribed(const struct subscription *subscription)
{
	return subscription->watch;
}

/*
 * Passes an event to the subscribers. The queue may still hold events of a watch that has ended. A
 * watch that was taken over and has no subscription ends now.
 */
static void dispatch(struct inotify *inotify, const struct inotify_event *event)
{
	const struct inotify_watch *watch = *find(inotify, event->wd);

	if (!watch && inotify->expected)
		inotify->has_missed = true;
	else if (!watch && !(event->mask & IN_IGNORED))
		inotify_rm_watch(inotify->fd, event->wd);
	const char *name = event->len ? event->name : NULL;
	struct subscription *subscription = watch ? watch->subscriptions : NULL;

	for (struct subscription *next; subscription; subscription = next) {
		next = subscription->next;
		bool is_wanted =
			event->mask & (subscription->mask | IN_UNMOUNT | IN_IGNORED) &&
			(!name || !subscription->name || strcmp(name, subscription->name) == 0);
		if (is_wanted)
			subscription->notify(subscription, event->mask, name);
		if (event->mask & IN_IGNORED)
			detach(inotify, subscription);
	}
}

void inotify_read(struct inotify *inotify, void (*lost)(void *context), void *context)
{
	char buffer[64 * 1024] __attribute__((aligned(__alignof__(struct inotify_event))));

	for (int i = 0; i < READS_MAX; i++) {
		ssize_t n = read(inotify->fd, buffer, sizeof(buffer));
		if (n <= 0)
			break;
		for (char *at = buffer; at < buffer + n;) {
			const struct inotify_event *event =
				(const struct inotify_event *)(void *)at;
			if (event->mask & IN_Q_OVERFLOW)
				lost(context);
			else
				dispatch(inotify, event);
			at += sizeof(*event) + event->len;
		}
		/* With room for another event, there was none (inotify(7)). */
		if ((size_t)n + sizeof(struct inotify_event) + NAME_MAX + 1 <= sizeof(buffer))
			break;
	}
}
