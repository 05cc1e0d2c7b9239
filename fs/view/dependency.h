/*
 * References: what a path is made of besides the same-named files of the layers.
 *
 * A strategy may ask for a file "NAME anywhere under DIRECTORY" (merge_environment.find). For each
 * DIRECTORY that was ever asked for there is an index of the names under it; its directories are
 * kept in the view, watched, also while the kernel does not know them. Each dependency is remembered
 * with the entry that asked, whether or not there was an answer: when a file of that name changes,
 * comes or goes under DIRECTORY, the entry is refreshed.
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

/**
 * Answers a dependency of a composition: the path of the first file `name` under `directory`, top
 * directories first, names in byte order; and the layers that show its directory. Wants the lock
 * not held. Returns 0 with *ret for free(3), MERGE_ABSENT, or -errno.
 */
int dependency_find(
	struct view *view, const char *directory, const char *name, char **ret, layer_mask *layers);

/** The entry that answers a dependency, or NULL. The lock is held. */
const struct entry *dependency_entry(struct view *view, const char *directory, const char *name);

/**
 * Calls `each` for every file under `directory`, down to `depth` directories below it (-1: all),
 * with its path and the layers that show its directory. Directories come as for dependency_find();
 * names in no order. Wants the lock not held. Stops at the first non-zero result, and returns it.
 */
int dependency_list(struct view *view, const char *directory, int depth,
	int (*each)(void *context, const char *path, const char *name, layer_mask layers),
	void *context);

/** Replaces what `entry` had asked by `asked`. The lock is held. 0 or -ENOMEM. */
int dependency_remember(struct view *view, struct entry *entry, const struct dependencies *asked);

/** Forgets what `entry` had asked. The lock is held. */
void dependency_forget(struct entry *entry);

/** Something has changed at `name` in `directory`: who asked for it is queued. The lock is held. */
void dependency_touch(struct view *view, const struct directory *directory, const char *name);

/** A file came or went in `directory`. The lock is held. */
void dependency_stale(struct view *view, const struct directory *directory);

/** The directory `path` came, or went: who asked for anything near it is queued. The lock is held.
 */
void dependency_reindex(struct view *view, const char *path);

/** Frees all, and leaves the directories. The lock is held. */
void dependency_fini(struct view *view);
