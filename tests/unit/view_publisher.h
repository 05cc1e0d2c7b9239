/*
 * The publisher over the kernel in memory. Its operations do what driver/publishing.c and the
 * kernel do together. It records the events that a program would see.
 */
#pragma once

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "publisher.h"
#include "refresh.h"
#include "test.h"
#include "view_kernel.h"

static struct publisher *publisher;

static char events[1 << 16]; /* "MOVED_TO app.yaml\n" … since events_clear() */
static unsigned batches;     /* that have ended */

/* Whether publishing works as on a hidden mount: caches are only invalidated. */
static bool is_hidden;

/* Whether nothing can be published at all, as on a full disk. */
static bool is_full;

static inline void note_event(const char *kind, const char *path)
{
	size_t used = strlen(events);

	snprintf(events + used, sizeof(events) - used, "%s %s\n", kind, path);
}

static inline int publish_replace(const struct change *change, uint64_t parent, const char *name)
{
	struct stat staged;

	assert_true(view_lookup_staged(view, &staged) >= 0);
	held_add(staged.st_ino);
	/* LOOKUP_RENAME_TARGET: the kernel asks again for a cached name. */
	int r = kernel_ask(parent, name, true);
	struct dentry *target = dentry_find(parent, name);
	if (r == 0 && target->ino == staged.st_ino)
		fail_msg("%s: VFS takes source and target for one file", change->path);
	if (r == 0 && S_ISDIR(target->type)) {
		held_drop(staged.st_ino);
		return -EISDIR;
	}
	r = view_apply_change(view, parent, true, NULL);
	if (r < 0) {
		held_drop(staged.st_ino);
		return r;
	}
	dentry_set(parent, name, staged.st_ino, staged.st_mode);
	note_event("MOVED_TO", change->path);
	return 0;
}

static inline int publish_removal(const struct change *change, uint64_t parent, const char *name)
{
	bool is_directory = change->kind == CHANGE_REMOVE_DIRECTORY;
	struct dentry *dentry;
	int r = kernel_lookup(parent, name, true, &dentry);
	if (r < 0)
		return r;
	if (S_ISDIR(dentry->type) != is_directory)
		return is_directory ? -ENOTDIR : -EISDIR;
	r = view_apply_change(view, parent, true, NULL);
	if (r < 0)
		return r;
	dentry_set(parent, name, 0, 0);
	note_event(is_directory ? "DELETE,ISDIR" : "DELETE", change->path);
	return 0;
}

static inline int publish_directory(const struct change *change, uint64_t parent, const char *name)
{
	struct stat stat = {0};

	/* LOOKUP_EXCL: likewise. */
	int r = kernel_ask(parent, name, true);
	if (r != -ENOENT)
		return r ? r : -EEXIST;
	r = view_apply_change(view, parent, true, &stat);
	if (r < 0)
		return r;
	uncached += r == VIEW_PASSING;
	if (!stat.st_ino)
		return -EEXIST;
	held_add(stat.st_ino);
	dentry_set(parent, name, stat.st_ino, stat.st_mode);
	note_event("CREATE,ISDIR", change->path);
	return 0;
}

/* One operation of the publisher, as the kernel answers it; a failed one is invalidated. */
static inline int op_publish(void *context, const struct change *change)
{
	char name[NAME_MAX + 1];
	uint64_t parent;

	(void)context;
	if (is_full)
		return -ENOSPC;
	int r = is_hidden ? -EXDEV : kernel_walk(change->path, true, &parent, name);
	if (r == 0) {
		r = change->kind == CHANGE_REPLACE ? publish_replace(change, parent, name)
		    : change->kind == CHANGE_MAKE_DIRECTORY
			    ? publish_directory(change, parent, name)
			    : publish_removal(change, parent, name);
		listing_drop(parent);
	}
	enum publication_state state = view_publication(view);
	if ((r == 0 && state == PUBLISHING_DONE) || state == PUBLISHING_OVERTAKEN)
		return 0;
	view_apply_change(view, change->parent_ino, false, NULL);
	struct dentry *dentry = dentry_find(change->parent_ino, change->entry->name);
	if (dentry)
		dentry_drop(dentry);
	listing_drop(change->parent_ino);
	note_event("invalidated", change->path);
	return 0;
}

static inline void op_announce(void *context, const struct change *change)
{
	(void)context;
	if (change->kind == CHANGE_LISTING) {
		listing_drop(change->parent_ino);
		return;
	}
	if (change->kind == CHANGE_TIME) {
		note_event("TIME", change->path);
		return;
	}
	note_event("ATTRIBUTES", change->path ? change->path : "");
	view_notify_attributes(view, change);
}

static inline void op_batch_end(void *context)
{
	(void)context;
	batches++;
}

/* Returns the publisher of `view`. */
static inline struct publisher *publisher_here(void)
{
	static const struct publisher_ops ops = {
		.publish = op_publish,
		.announce = op_announce,
		.batch_end = op_batch_end,
	};

	if (!publisher)
		assert_int_equal(
			publisher_new(view, &(struct publisher_options){.ops = &ops}, &publisher),
			0);
	return publisher;
}

static inline void publish(struct change *change)
{
	publisher_carry_out(publisher_here(), change);
}

/*
 * Publishes what is ready now. Returns the milliseconds after which the view wants to be called;
 * -1: none.
 */
static inline int publish_ready(void)
{
	return publisher_publish(publisher_here());
}

/* Publishes everything, until the view waits only for the layers. */
static inline void publish_all(void)
{
	for (;;) {
		struct pollfd polled = {.fd = inotify_fd(view->watch.inotify), .events = POLLIN};
		int timeout_ms = publish_ready();

		if (view_has_work(view))
			continue;
		if (timeout_ms < 0 && poll(&polled, 1, 0) == 0)
			return;
		poll(&polled, 1, timeout_ms);
	}
}

static inline void events_clear(void)
{
	*events = '\0';
}

#define assert_events(expected) assert_string_equal(events, expected)
