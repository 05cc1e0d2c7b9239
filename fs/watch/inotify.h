/*
 * An inotify(7) descriptor that many share.
 *
 * inotify has one watch for an inode, however often it is asked for, and its events bear that
 * watch's number. Here any number of subscriptions lie on a watch, each with the events and the
 * name that it wants. The watch ends with the last of them.
 *
 *      subscription ─┐
 *      subscription ─┴─▶ watch ──▶ inode      an event goes to each whose mask and name it fits
 *
 * Safe for any number of threads.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/inotify.h>

struct inotify;

/* Part of a struct of the subscriber's, who fills in the first three and ends it before he frees
 * it. */
struct subscription {
	/*
	 * Called by inotify_read(): `name` is NULL for what happens to the inode itself. IN_UNMOUNT
	 * and IN_IGNORED come unasked; the latter ends the subscription. It must not begin or end
	 * one itself.
	 */
	void (*notify)(struct subscription *subscription, uint32_t mask, const char *name);
	uint32_t mask;    /* as inotify_add_watch(2)'s */
	const char *name; /* the only one in the directory that counts; NULL: all */

	/* private */
	struct inotify_watch *watch; /* NULL: not subscribed */
	struct subscription *next;
	struct subscription **place; /* what points to it */
};

/** Returns 0 with *ret for inotify_free(), or -errno (-EMFILE: too many inotify instances). */
int inotify_new(struct inotify **ret);

/** All subscriptions must have ended. NULL: nothing. */
void inotify_free(struct inotify *inotify);

/**
 * Reads from what `fd`, which stays the caller's, is: another's inotify(7) descriptor, with the watches
 * that it has. Nothing is subscribed yet; a watch that nobody subscribes to ends with its first event. 0
 * or -errno.
 */
int inotify_take_over(struct inotify *inotify, int fd);

/** To be polled for POLLIN. */
int inotify_fd(const struct inotify *inotify);

/** Watches that the kernel keeps now. */
size_t inotify_watch_count(struct inotify *inotify);

/**
 * Subscribes to the inode that is open as `fd` (O_PATH is enough). Returns 0 or -errno (-ENOSPC:
 * fs.inotify.max_user_watches).
 */
int inotify_subscribe(struct inotify *inotify, struct subscription *subscription, int fd);

/** Ends a subscription, if it has not ended yet. */
void inotify_unsubscribe(struct inotify *inotify, struct subscription *subscription);

bool inotify_is_subscribed(struct inotify *inotify, const struct subscription *subscription);

/**
 * Reads all that lies in the queue and notifies the subscribers. `lost` is called where the queue
 * overflowed. Never blocks.
 */
void inotify_read(struct inotify *inotify, void (*lost)(void *context), void *context);
