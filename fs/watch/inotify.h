/*
 * An inotify(7) descriptor with any number of subscribers.
 *
 * The kernel has one watch per descriptor and inode. Here a watch has any number of subscriptions,
 * each with a mask of events and a name. The watch ends with its last subscription.
 *
 *      subscription ─┐
 *      subscription ─┴─▶ watch ──▶ inode      an event goes to each subscription that it matches
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/inotify.h>

struct inotify;

/*
 * A subscription: part of the subscriber's struct. The subscriber sets the first three fields, and
 * ends the subscription before it frees the struct.
 */
struct subscription {
	/*
	 * Called by inotify_read(). `name` NULL: an event of the inode itself. IN_UNMOUNT and
	 * IN_IGNORED match any mask; IN_IGNORED ends the subscription. `notify` must not begin
	 * or end a subscription.
	 */
	void (*notify)(struct subscription *subscription, uint32_t mask, const char *name);
	uint32_t mask;    /* as for inotify_add_watch(2) */
	const char *name; /* the only name in a watched directory that matches; NULL: all match */

	/* Set by inotify_subscribe() and inotify_subscribe_to(); equal for the same inode. NULL:
	 * not subscribed. */
	struct inotify_watch *watch;

	/* private */
	struct subscription *next;
	struct subscription **place; /* the pointer that points to this subscription */
};

/** Returns 0 with *ret for inotify_free(), or -errno (-EMFILE: too many inotify instances). */
int inotify_new(struct inotify **ret);

/** Closes the descriptor. All subscriptions must have ended. NULL: does nothing. */
void inotify_free(struct inotify *inotify);

/**
 * Takes over another process's inotify(7) instance, open as `fd`, with its watches. `fd` stays the
 * caller's. Call this function before the first subscription. Returns 0 or -errno.
 */
int inotify_take_over(struct inotify *inotify, int fd);

/**
 * Limits the number of watches to `most`; 0: to half of what the kernel allows the user
 * (user_namespaces(7), max_inotify_watches). Without this call, the kernel's limit applies.
 */
void inotify_limit(struct inotify *inotify, size_t most);

/** Returns the number of watches that the kernel allows the user; SIZE_MAX if it is unknown. */
size_t inotify_max(void);

/** Returns the descriptor to poll for POLLIN. */
int inotify_fd(const struct inotify *inotify);

size_t inotify_watch_count(struct inotify *inotify);

/**
 * Subscribes to the inode that is open as `fd` (O_PATH is enough). Returns 0 or -errno (-ENOSPC:
 * fs.inotify.max_user_watches; -EDQUOT: inotify_limit()).
 */
int inotify_subscribe(struct inotify *inotify, struct subscription *subscription, int fd);

/**
 * From now on until inotify_expect_no_more(), an event of a watch without a subscription is only
 * dropped. At other times, it ends the watch. So call this function before another process adds a
 * watch to inotify_fd(). Returns 0; or -EDQUOT (inotify_limit()). After -EDQUOT, do not call
 * inotify_expect_no_more().
 */
int inotify_expect(struct inotify *inotify);

/** Ends one inotify_expect(). Returns whether events without a subscription were dropped. */
bool inotify_expect_no_more(struct inotify *inotify);

/**
 * Subscribes to watch number `wd`, which another process has added with at least the events of
 * subscription->mask. Returns 0 or -ENOMEM.
 */
int inotify_subscribe_to(struct inotify *inotify, struct subscription *subscription, int wd);

/** Ends a subscription. Does nothing if the subscription has ended already. */
void inotify_unsubscribe(struct inotify *inotify, struct subscription *subscription);

bool inotify_is_subscribed(const struct subscription *subscription);

/** Reads up to 8 MiB of queued events. Calls `lost` if the queue overflowed. Never blocks. */
void inotify_read(struct inotify *inotify, void (*lost)(void *context), void *context);
