/*
 * Link watches: for names whose sources can change without an event in their own directory.
 *
 * In a layer that follows symbolic links, a name may lead anywhere:
 *
 *      app.yaml ─▶ ..data/app.yaml          ..data ─▶ ..2024_1
 *
 *      watched: "..data" in the layer, "..2024_1" in the layer, "app.yaml" in ..2024_1
 *
 * Each step behind the first link is a name in a directory, even if it is missing. A source with
 * several names (hard links) can be changed through another name: its inode is watched. An event of
 * any of these counts as an event of the name.
 *
 * A name's watches are made anew by each look, before it reads; when all are there, they replace
 * the former ones. If a watch can't be made, the directory is polled.
 *
 * These functions take the view's lock, unless they say otherwise.
 */
#pragma once

#include "union.h"

struct directory;
struct link_watch;
struct view;

/** Watches the steps of the links at `path`, in those `layers` that follow links. */
void link_watch_follow(
	struct view *view, const struct settings *settings, layer_mask layers, const char *path);

/**
 * Calls link_watch_follow() for every link in `directory`, also a dangling one, before it is
 * listed. Tries failed watches again.
 */
void link_watch_directory(struct view *view, const struct settings *settings, layer_mask layers,
	struct directory *directory);

/**
 * Watches the found files and links at `path` that have more names, and updates `lookup` to their
 * state then. Returns whether one is new.
 */
bool link_watch_sources(struct view *view, const struct settings *settings, const char *path,
	struct union_lookup *lookup);

/** Ends all watches of the names in `directory`. Wants the lock held, or the view unshared. */
void link_watch_remove(struct directory *directory);

/**
 * Queues the names whose links lead to `path` (absolute, without links, outside of the layers),
 * because a mount has come or gone there.
 */
void link_watch_note_mount(struct view *view, const char *path);
