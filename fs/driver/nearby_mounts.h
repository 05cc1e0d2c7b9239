/*
 * Nearby mounts: other mounts that may change what our mount shows. They lie in a layer or in the
 * mountpoint, or on the path to plyfs.yaml, a preset, a schema, a layer or the mountpoint.
 */
#pragma once

#include <stdint.h>

#include "settings.h"

struct nearby_mount {
	char *path;
	uint64_t digest;
};

struct nearby_list {
	struct nearby_mount *items;
	size_t count;
	size_t capacity;
};

struct nearby_mounts {
	uint64_t digest; /* changes when a nearby mount comes, goes or changes; 0: not read yet */
	struct nearby_list in_layers; /* paths relative to the layer */
	/* If a layer follows links: all other mounts (absolute), as a link may lead there. */
	struct nearby_list elsewhere;
};

/**
 * Reads the nearby mounts. `mountpoint` is absolute, without links. Makes no request to a network
 * or FUSE file system. Returns 0 with *ret for nearby_mounts_fini(), or -errno.
 */
int nearby_mounts_read(
	const struct settings *settings, const char *mountpoint, struct nearby_mounts *ret);
void nearby_mounts_fini(struct nearby_mounts *mounts);

/** Calls `each` with the path of every mount that is in `a` and not in `b`. */
void nearby_list_each_without(const struct nearby_list *a, const struct nearby_list *b,
	void (*each)(void *context, const char *path), void *context);
