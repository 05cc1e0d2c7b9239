/*
 * Dependencies: what a path is made of besides the same-named files of the layers.
 *
 * A strategy may ask for a file "NAME anywhere under DIRECTORY" (merge_environment.find). For each
 * DIRECTORY that was ever asked for there is an index of the names under it; its directories are
 * kept in the view, watched, also while the kernel does not know them. Each dependency is
 * remembered with the entry that asked, whether or not there was an answer: when a file of that
 * name changes, comes or goes under DIRECTORY, the entry is refreshed.
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
	struct dependency **place;    /* what points to this one in that list */
};

struct index;

struct dependency_indexes {
	struct index *indexes;
	uint64_t generation; /* raised by every change that a dependency's answer may depend on */
};

/** The view's finder (finder.h); `context` is the view. Want the lock not held. */
int dependency_list(void *context, const char *directory, int depth,
	int (*each)(void *context, const char *path, const char *name, layer_mask layers),
	void *each_context);
int dependency_find(
	void *context, const char *directory, const char *name, char **ret, layer_mask *layers);

/** The entry that answers a dependency, or NULL. */
const struct entry *dependency_entry_locked(
	struct view *view, const char *directory, const char *name);

/** From now on `entry` depends on what it has `asked` for, and on nothing else. 0 or -ENOMEM. */
int dependency_remember_locked(
	struct view *view, struct entry *entry, const struct dependencies *asked);

/** From now on `entry` depends on nothing. */
void dependency_forget_locked(struct entry *entry);

/** Something has changed at `name` in `directory`: the entries that depend on it are queued. */
void dependency_touch_locked(
	struct view *view, const struct directory *directory, const char *name);

/** A file came or went in `directory`. */
void dependency_stale_locked(struct view *view, const struct directory *directory);

/**
 * The directory `path` came, or went: the entries that depend on anything above or below are
 * queued.
 */
void dependency_reindex_locked(struct view *view, const char *path);

/** Frees all, and leaves the directories. */
void dependency_fini_locked(struct view *view);
