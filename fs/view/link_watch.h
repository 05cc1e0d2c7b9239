/*
 * Link watches, for names whose sources can change without an event in the directory of the name.
 *
 * In a layer that follows symbolic links, a name may lead anywhere:
 *
 *      app.yaml ─▶ ..data/app.yaml          ..data ─▶ ..2024_1
 *
 *      watched: "..data" in the layer, "..2024_1" in the layer, "app.yaml" in ..2024_1
 *
 * Each name that a link leads through, or to, is a step. The view watches each step, even a missing
 * one. If a source has several names (hard links, or a bind mount of the file: descriptor_stat()),
 * the view watches the source's inode. An event of a step or of the inode counts as an event of the
 * source's name in its layer.
 *
 * A look (look.h) at a name replaces the name's watches before the look reads the sources. If a
 * watch can't be made, or a link leads to a network or FUSE file system, the view polls the
 * directory of the name.
 */
#pragma once

#include "union.h"

struct directory;
struct link_watch;
struct view;

/** Watches the steps of the link at `path`, in those `layers` that follow links. */
void link_watch_follow(
	struct view *view, const struct settings *settings, layer_mask layers, const char *path);

/**
 * Watches the steps of every link in `directory`, dangling ones included, and tries failed watches
 * again. Call it before the layers are listed.
 */
void link_watch_directory(struct view *view, const struct settings *settings, layer_mask layers,
	struct directory *directory);

/**
 * Watches the inodes of those sources in `lookup` (of `path`) that have several names, and updates
 * their attributes in `lookup`. Returns whether one of these inodes was not watched before.
 */
bool link_watch_sources(struct view *view, const struct settings *settings, const char *path,
	struct union_lookup *lookup);

/** Ends the watches of names in `directory`. */
void link_watch_remove(struct directory *directory);

/**
 * Notes that a file system was mounted or unmounted at `path` (absolute, without links, in no
 * layer). If a link leads through `path`, or ends at or above it, calls view_look_again().
 */
void link_watch_note_mount(struct view *view, const char *path);
