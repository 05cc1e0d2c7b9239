/*
 * Nearby mounts: other mounts that may change what our mount shows. They lie in a layer or in the
 * mountpoint, or on the path to plyfs.yaml, a preset, a schema, a layer or the mountpoint.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "own_mount.h"
#include "settings.h"

struct nearby_mount {
	char *path;
	uint64_t digest; /* of its line in the mount table (mount_table.h) */
};

struct nearby_list {
	struct nearby_mount *items;
	size_t count;
	size_t capacity;
};

/* The paths at which a mount would change what the layers show. */
struct nearby_paths {
	struct arena *arena; /* holds the paths */
	/* Each path on the way to plyfs.yaml, a preset, a schema, a layer or the mountpoint. */
	const char **ways;
	size_t way_count; /* 0: the paths must be found anew, as they may be others by now */
	size_t way_capacity;
	/* The mountpoint, then the layers: mounts below these paths are nearby, too. */
	const char **tops;
	size_t top_count;
	size_t top_capacity;
};

struct nearby_mounts {
	struct nearby_paths paths;
	uint64_t digest; /* changes when a nearby mount comes, goes or changes; 0: not read yet */
	uint64_t elsewhere_digest;    /* as `digest`, but of the mounts in `elsewhere` */
	struct nearby_list in_layers; /* paths relative to the layer */
	/* If a layer follows links: all other mounts, as a link may lead there. Absolute paths. */
	struct nearby_list elsewhere;
	bool has_links; /* a layer follows links */
};

/**
 * Reads the nearby mounts. `mountpoint` is absolute, without links. Makes no request to a network
 * or FUSE file system. Returns 0 with *ret for nearby_mounts_fini(), or -errno.
 */
int nearby_mounts_read(
	const struct settings *settings, const char *mountpoint, struct nearby_mounts *ret);
void nearby_mounts_fini(struct nearby_mounts *mounts);

/** Makes nearby_mounts_are_same() return false, as new settings may name other paths. */
void nearby_mounts_forget_paths(struct nearby_mounts *mounts);

/**
 * Returns true if the nearby mounts are still those in `mounts`, and `own` is still mounted; false
 * if not, or if that is unknown. Reads own->table_fd once. Needs no memory, no new descriptor and
 * no other system call.
 */
bool nearby_mounts_are_same(const struct nearby_mounts *mounts, const struct own_mount *own);

/** Calls `each` with the path of every mount in `a` that `b` lacks, or has with another digest. */
void nearby_list_each_without(const struct nearby_list *a, const struct nearby_list *b,
	void (*each)(void *context, const char *path), void *context);
