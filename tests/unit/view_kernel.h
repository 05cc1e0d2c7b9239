/*
 * A kernel in memory, in front of a view, that never forgets by itself: its cache of a name, a
 * listing or an absence holds until it is changed here.
 */
#pragma once

#include <errno.h>
#include <limits.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "state.h"
#include "test.h"

/* The kernel's entry of one name. `ino` 0: it knows that there is no such name. */
struct dentry {
	struct dentry *next;
	uint64_t parent;
	uint64_t ino;
	mode_t type;
	char name[NAME_MAX + 1];
};

/* An inode that the kernel holds, and how often it was looked up. */
struct held {
	struct held *next;
	uint64_t ino;
	uint64_t lookups;
	unsigned opened; /* by tests: it stays when its name goes */
};

/* A listing that the kernel has cached. */
struct cached_listing {
	struct cached_listing *next;
	uint64_t ino;
	char *text; /* "name\n" … sorted; directories end with a slash, links with "@" */
};

static struct view *view;
static struct dentry *dentries;
static struct held *helds;
static struct cached_listing *listings;

/* Answers that must not be cached. */
static unsigned uncached;

/* A request that waits for an answer, by its own look or by one that it joined. */
struct request {
	struct view_caller caller; /* first */
	sem_t is_answered;
	int result;
	struct stat stat;
};

static inline void request_answer(struct view_caller *caller, int result, const struct stat *stat)
{
	struct request *request = (struct request *)caller;

	request->result = result;
	if (result >= 0)
		request->stat = *stat;
	sem_post(&request->is_answered);
}

/* view_lookup() and its answer. */
static inline int view_ask(
	struct view *asked, uint64_t parent, const char *name, bool is_publisher, struct stat *ret)
{
	struct request request = {.caller = {.answer = request_answer}};

	if (is_publisher)
		return view_lookup(asked, parent, name, NULL, ret);
	sem_init(&request.is_answered, 0, 0);
	int r = view_lookup(asked, parent, name, &request.caller, &request.stat);
	if (r == VIEW_LATER)
		sem_wait(&request.is_answered);
	else
		request.result = r;
	uncached += request.result == VIEW_PASSING;
	sem_destroy(&request.is_answered);
	*ret = request.stat;
	return request.result < 0 || request.result == VIEW_GOING ? request.result : 0;
}

static inline struct held *held_find(uint64_t ino)
{
	struct held *held = helds;

	while (held && held->ino != ino)
		held = held->next;
	return held;
}

static inline void held_add(uint64_t ino)
{
	struct held *held = held_find(ino);

	if (!held) {
		held = calloc(1, sizeof(*held));
		assert_non_null(held);
		held->ino = ino;
		held->next = helds;
		helds = held;
	}
	held->lookups++;
}

/* The kernel drops the inode, unless a file of it is open. */
static inline void held_drop(uint64_t ino)
{
	for (struct held **place_of = &helds; *place_of; place_of = &(*place_of)->next) {
		struct held *held = *place_of;
		if (held->ino != ino)
			continue;
		if (held->opened)
			return;
		*place_of = held->next;
		view_forget(view, ino, held->lookups);
		free(held);
		return;
	}
}

static inline struct dentry *dentry_find(uint64_t parent, const char *name)
{
	struct dentry *dentry = dentries;

	while (dentry && (dentry->parent != parent || strcmp(dentry->name, name) != 0))
		dentry = dentry->next;
	return dentry;
}

static inline void listing_drop(uint64_t ino)
{
	for (struct cached_listing **at = &listings; *at; at = &(*at)->next)
		if ((*at)->ino == ino) {
			struct cached_listing *listing = *at;
			*at = listing->next;
			free(listing->text);
			free(listing);
			return;
		}
}

static inline void dentry_drop(struct dentry *dropped)
{
	uint64_t ino = dropped->ino;
	bool is_found = true;

	for (struct dentry **at = &dentries; *at; at = &(*at)->next)
		if (*at == dropped) {
			*at = dropped->next;
			free(dropped);
			break;
		}
	if (!ino)
		return;
	/* The entries below it go first: a parent outlives its children. */
	while (is_found) {
		is_found = false;
		for (struct dentry *child = dentries; child; child = child->next)
			if (child->parent == ino) {
				dentry_drop(child);
				is_found = true;
				break; /* the next one may have gone with it */
			}
	}
	listing_drop(ino);
	held_drop(ino);
}

static inline void dentry_set(uint64_t parent, const char *name, uint64_t ino, mode_t mode)
{
	struct dentry *dentry = dentry_find(parent, name);

	if (dentry && dentry->ino == ino)
		return;
	if (dentry)
		dentry_drop(dentry);
	dentry = calloc(1, sizeof(*dentry));
	assert_non_null(dentry);
	dentry->parent = parent;
	dentry->ino = ino;
	dentry->type = mode & S_IFMT;
	strcpy(dentry->name, name);
	dentry->next = dentries;
	dentries = dentry;
}

/* Asks the view, whatever is cached. Returns 0 or -errno, and the cache is up to date. */
static inline int kernel_ask(uint64_t parent, const char *name, bool is_publisher)
{
	struct stat stat;
	int r = view_ask(view, parent, name, is_publisher, &stat);

	if (r == VIEW_GOING) {
		r = -ENOENT;
	} else if (r >= 0) {
		held_add(stat.st_ino);
		dentry_set(parent, name, stat.st_ino, stat.st_mode);
	} else if (r == -ENOENT) {
		dentry_set(parent, name, 0, 0);
	}
	return r > 0 ? 0 : r;
}

static inline int kernel_lookup(
	uint64_t parent, const char *name, bool is_publisher, struct dentry **ret)
{
	struct dentry *dentry = dentry_find(parent, name);

	if (!dentry) {
		int r = kernel_ask(parent, name, is_publisher);
		if (r < 0 && r != -ENOENT)
			return r;
		dentry = dentry_find(parent, name);
	}
	*ret = dentry;
	return dentry && dentry->ino ? 0 : -ENOENT;
}

/* Resolves all but the last name. */
static inline int kernel_walk(const char *path, bool is_publisher, uint64_t *parent, char *last)
{
	uint64_t ino = VIEW_INO_ROOT;

	for (;;) {
		size_t length = strcspn(path, "/");
		struct dentry *dentry;

		assert_true(length <= NAME_MAX);
		memcpy(last, path, length);
		last[length] = '\0';
		if (!path[length])
			break;
		int r = kernel_lookup(ino, last, is_publisher, &dentry);
		if (r < 0)
			return r;
		if (!S_ISDIR(dentry->type))
			return -ENOTDIR;
		ino = dentry->ino;
		path += length + 1;
	}
	*parent = ino;
	return 0;
}

/* Finds the inode's number at a path, "" being the root. Returns 0 or -errno. */
static inline int kernel_find(const char *path, uint64_t *ret)
{
	char last[NAME_MAX + 1];
	struct dentry *dentry;
	uint64_t parent;

	*ret = 0;
	if (!*path) {
		*ret = VIEW_INO_ROOT;
		return 0;
	}
	int r = kernel_walk(path, false, &parent, last);
	if (r == 0)
		r = kernel_lookup(parent, last, false, &dentry);
	if (r == 0)
		*ret = dentry->ino;
	return r;
}

/* Memory is short: the kernel drops the name, and all below it. */
static inline void forget(const char *path)
{
	char last[NAME_MAX + 1];
	uint64_t parent;

	if (kernel_walk(path, false, &parent, last) < 0)
		return;
	struct dentry *dentry = dentry_find(parent, last);
	if (dentry)
		dentry_drop(dentry);
}
