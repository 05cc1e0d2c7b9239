/*
 * References: what a path is made of besides the same-named files of the layers.
 *
 * A strategy may ask for a file "NAME anywhere under DIRECTORY" (merge_environment.find). For each
 * DIRECTORY that was ever asked for there is an index of the names under it; its directories are
 * kept in the view, watched, also while the kernel does not know them. Each question is remembered
 * with the entry that asked, whether or not there was an answer: when a file of that name changes,
 * comes or goes under DIRECTORY, the entry is refreshed.
 */
#pragma once

#include "compose.h"
#include "directory.h"

struct view;

/* One question of one entry. */
struct question {
	struct entry *entry;
	struct question *next;      /* of the entry */
	struct question *next_same; /* of other entries */
	struct question **place;    /* what points to this one in that list */
};

struct index;

struct references {
	struct index *indexes;
	uint64_t generation; /* raised by every change that a question's answer may depend on */
};

/**
 * Answers a question of a composition: the path of the first file `name` under `directory`, top
 * directories first, names in byte order; and the layers that show its directory. Wants the lock
 * not held. Returns 0 with *ret for free(3), MERGE_ABSENT, or -errno.
 */
int references_find(
	struct view *view, const char *directory, const char *name, char **ret, layer_mask *layers);

/** The entry that answers a question, or NULL. The lock is held. */
const struct entry *references_entry(struct view *view, const char *directory, const char *name);

/**
 * Calls `each` for every file under `directory`, down to `depth` directories below it (-1: all),
 * with its path and the layers that show its directory. Directories come as for references_find();
 * names in no order. Wants the lock not held. Stops at the first non-zero result, and returns it.
 */
int references_list(struct view *view, const char *directory, int depth,
	int (*each)(void *context, const char *path, const char *name, layer_mask layers),
	void *context);

/** Replaces what `entry` had asked by `asked`. The lock is held. 0 or -ENOMEM. */
int references_remember(struct view *view, struct entry *entry, const struct asked *asked);

/** Forgets what `entry` had asked. The lock is held. */
void references_forget(struct entry *entry);

/** Something has changed at `name` in `directory`: who asked for it is queued. The lock is held. */
void references_touch(struct view *view, const struct directory *directory, const char *name);

/** A file came or went in `directory`. The lock is held. */
void references_stale(struct view *view, const struct directory *directory);

/** The directory `path` came, or went: who asked for anything near it is queued. The lock is held.
 */
void references_reindex(struct view *view, const char *path);

/** Frees all, and leaves the directories. The lock is held. */
void references_fini(struct view *view);
