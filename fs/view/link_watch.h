/*
 * Links: what a name is made of that the watches of its own directory don't tell of.
 *
 * Where a layer follows symbolic links, a name may be one that leads anywhere:
 *
 *      app.yaml ─▶ ..data/app.yaml          ..data ─▶ ..2024_1
 *
 *      watched: "..data" in the layer, "..2024_1" in the layer, "app.yaml" in ..2024_1
 *
 * Each step behind the first link is a name in a directory, whether or not it is there. And a
 * source that has more than one name (a hard link) can be changed by a name that nothing here looks
 * at: its inode is watched. What happens to any of these has happened to the name.
 *
 * A name's watches are made anew, before it is read, each time that it is looked at; when they are
 * all there, they take the place of those it had. What can't be watched has its directory polled.
 *
 * Everything here takes the view's lock, unless it says otherwise.
 */
#pragma once

#include "union.h"

struct directory;
struct link_watch;
struct view;

/** Watches the ways that links lead from `path` in those `layers` that follow them. */
void link_watch_follow(
	struct view *view, const struct settings *settings, layer_mask layers, const char *path);

/**
 * Before `directory` is listed: link_watch_follow() for every name in it that is a link, also to
 * nothing; and what could not be watched is tried again.
 */
void link_watch_directory(struct view *view, const struct settings *settings, layer_mask layers,
	struct directory *directory);

/**
 * Watches the files and links that were found at `path`, as far as they have more names; `lookup`
 * then has what they were like when they were watched. Returns whether one is watched that was not
 * before.
 */
bool link_watch_sources(struct view *view, const struct settings *settings, const char *path,
	struct union_lookup *lookup);

/** Ends all watches of the names in `directory`. The lock is held, or nobody else has the view. */
void link_watch_remove(struct directory *directory);

/**
 * Reports that a mount has come or gone at `path` (absolute, without links), outside of the layers:
 * the names whose links lead there are looked at again.
 */
void link_watch_note_mount(struct view *view, const char *path);
