/*
 * Dependencies: files at other paths that a merged path is made of.
 *
 * A strategy may search for a file NAME anywhere under DIRECTORY (merge_environment.find). Each
 * search is a dependency of the merged path's entry, even if it finds nothing: if a file NAME
 * changes, comes or goes under DIRECTORY, this entry is queued. Each DIRECTORY has an index of the
 * names under it. Even if the kernel forgets the directories under DIRECTORY, the view keeps and
 * watches them.
 */
#pragma once

#include "compose.h"
#include "directory.h"

struct view;

struct dependency {
	struct entry *entry;
	struct dependency *next;      /* the next one of the same entry */
	struct dependency *next_same; /* the next one with the same name and index */
	struct dependency **place;    /* the pointer to this one in the list of `next_same` */
};

struct index;
struct look;

struct dependency_indexes {
	struct index *indexes;
	uint64_t changed; /* revision of the last touch, stale or reindex (below) */
};

/** The view's finder (finder.h); `context` is the view. May wait. */
int dependency_list(void *context, const char *directory, int depth,
	int (*each)(void *context, const char *path, const char *name, layer_mask layers),
	void *each_context);
int dependency_find(void *context, const char *directory, const char *name, size_t skip, char **ret,
	layer_mask *layers);

/** Returns the first entry `name` under `directory`, by the index, which may be stale; or NULL. */
const struct entry *dependency_entry(struct view *view, const char *directory, const char *name);

/**
 * Replaces the dependencies of the look's entry by those of the look. But if composing failed
 * before it met any dependency, the entry keeps those that it has. Returns 0; or -ENOMEM: some are
 * not stored.
 */
int dependency_remember(struct view *view, const struct look *look);

/**
 * Call it after dependency_remember(). If the look has dependencies, and dependency_touch(),
 * dependency_stale() or dependency_reindex() was called since the look began, queues the look's
 * entry and returns true: the call may concern a dependency that was not stored yet.
 */
bool dependency_is_late(struct view *view, const struct look *look);

void dependency_forget(struct entry *entry);

/** Queues the entries that depend on the changed file `name` in `directory`. */
void dependency_touch(struct view *view, const struct directory *directory, const char *name);

/** Notes that a file came or went in `directory`: makes the indexes that cover it stale. */
void dependency_stale(struct view *view, const struct directory *directory);

/**
 * Notes that the directory `path` came or went, or its rights changed: queues all virtual files,
 * and each entry with a dependency whose DIRECTORY is `path`, or lies above or below it.
 */
void dependency_reindex(struct view *view, const char *path);

void dependency_fini(struct view *view);
