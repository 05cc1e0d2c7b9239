/*
 * Dependencies: files that a path is made of besides the layers' files of its own name.
 *
 * A strategy may look for a file "NAME anywhere under DIRECTORY" (merge_environment.find). Each
 * such DIRECTORY has an index of the names under it; its directories stay in the view, watched,
 * even if the kernel forgets them. Each dependency is stored with its entry, also one that found
 * nothing: if a file of that name changes, comes or goes under DIRECTORY, the entry is refreshed.
 */
#pragma once

#include "compose.h"
#include "directory.h"

struct view;

/* One dependency of one entry. */
struct dependency {
	struct entry *entry;
	struct dependency *next;      /* of the entry */
	struct dependency *next_same; /* of other entries */
	struct dependency **place;    /* the pointer to it in that list */
};

struct index;

struct dependency_indexes {
	struct index *indexes;
	uint64_t generation; /* raised by every change that a dependency's answer may depend on */
};

/** The view's finder (finder.h); `context` is the view. The lock must not be held. */
int dependency_list(void *context, const char *directory, int depth,
	int (*each)(void *context, const char *path, const char *name, layer_mask layers),
	void *each_context);
int dependency_find(
	void *context, const char *directory, const char *name, char **ret, layer_mask *layers);

/** Returns the entry that a dependency has found, or NULL. */
const struct entry *dependency_entry_locked(
	struct view *view, const char *directory, const char *name);

/** Replaces the dependencies of `entry` by `asked`. Returns 0 or -ENOMEM. */
int dependency_remember_locked(
	struct view *view, struct entry *entry, const struct dependencies *asked);

/** Removes the dependencies of `entry`. */
void dependency_forget_locked(struct entry *entry);

/** Queues the entries that depend on `name` in `directory`, which has changed. */
void dependency_touch_locked(
	struct view *view, const struct directory *directory, const char *name);

/** Notes that a file came or went in `directory`. */
void dependency_stale_locked(struct view *view, const struct directory *directory);

/**
 * Queues the entries that depend on a name above or below the directory `path`, which came or went.
 */
void dependency_reindex_locked(struct view *view, const char *path);

/** Frees the indexes, and releases their directories. */
void dependency_fini_locked(struct view *view);
