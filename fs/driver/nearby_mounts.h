/*
 * Nearby mounts: other mounts that may change what our mount shows. A nearby mount lies in a layer
 * or in the mountpoint, or on a path that leads to a layer, to the mountpoint, to plyfs.yaml or to
 * a file that plyfs.yaml names.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "own_mount.h"
#include "path_list.h"
#include "settings.h"

struct view;

struct nearby_mount {
	char *path;
	uint64_t digest; /* hash of its line in the mount table (mount_table.h) */
};

struct nearby_list {
	struct nearby_mount *items;
	size_t count;
	size_t capacity;
};

struct nearby_mounts {
	/* each path that leads to a layer, to the mountpoint, to plyfs.yaml or to a file that
	 * plyfs.yaml names; empty: the paths must be found again */
	struct path_list ways;
	struct path_list tops; /* the mountpoint, then the layers; all mounts in these are nearby */
	uint64_t digest;       /* of the nearby mounts; 0: not read yet */
	uint64_t elsewhere_digest;    /* of the mounts in `elsewhere` */
	struct nearby_list in_layers; /* paths relative to the layer */
	struct nearby_list elsewhere; /* if has_links: all other mounts; absolute paths */
	bool has_links;               /* a layer follows links, which may lead to any mount */
};

/**
 * Reads the nearby mounts. `mountpoint` is absolute, without links. Makes no request to a network
 * or FUSE file system. Returns 0 with *ret for nearby_mounts_fini(), or -errno.
 */
int nearby_mounts_read(
	const struct settings *settings, const char *mountpoint, struct nearby_mounts *ret);
void nearby_mounts_fini(struct nearby_mounts *mounts);

/** Makes nearby_mounts_are_same() return false. Call this function when the settings change. */
void nearby_mounts_forget_paths(struct nearby_mounts *mounts);

/**
 * Returns whether the nearby mounts are still those in `mounts`, and `own` is still mounted; false
 * if that is unknown. Reads own->table_fd, and needs no memory and no new descriptor.
 */
bool nearby_mounts_are_same(const struct nearby_mounts *mounts, const struct own_mount *own);

/** Calls each(view, path) for every mount in `a` that `b` lacks, or has with another digest. */
void nearby_list_each_without(const struct nearby_list *a, const struct nearby_list *b,
	void (*each)(struct view *view, const char *path), struct view *view);
