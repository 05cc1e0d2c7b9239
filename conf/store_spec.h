/*
 * A store spec: the store that a layer mirrors, `etcd:` or `git:` in plyfs.yaml(5). `plyfs mount`
 * and `plyfs render` run a mirror of the store (fs/supervisor). Other commands read the files that
 * a mirror has left:
 *
 *      BASE/KIND-ID/         belongs to the mirror's user
 *              layer         the layer's directory: a link that the mirror turns to a new tree
 *              state/        the mirror's own (fs/mirror/replica.h)
 *
 * BASE is `state` in `etcd:` or `git:`, or else a default. ID is a hash of the mirror's user and
 * options, except interval, compare and max-delete. Layers of one BASE/KIND-ID share a mirror.
 */
#pragma once

#include <stdint.h>

#include "arena.h"
#include "node.h"
#include "problem.h"
#include "settings_environment.h"

struct store_spec {
	const char *kind; /* "etcd" or "git" */
	const char *what; /* the prefix or the URL; the layer's default name comes from it */
	const char *user; /* the user that the mirror runs as; NULL: not given */
	const char *base;
	const char *home;      /* BASE/KIND-ID */
	const char *directory; /* BASE/KIND-ID/layer */
	/* as `directory`, but in the default BASE of root; NULL if plyfs.yaml gives `state` */
	const char *system;
	const char *const *words; /* arguments of "plyfs" that run the mirror, ending with NULL */
	const char *specifiers;   /* letters of specifiers in prefix, ref or path (layer_spec.h) */
	uint64_t wait_ms;         /* how long a mount waits for the mirror to fill the layer */
	const struct node *place;
};

/* The context of a plyfs.yaml: where relative paths in it begin, and the values of specifiers. */
struct store_spec_place {
	/* of plyfs.yaml, with a slash at the end; "": the working directory */
	const char *directory;
	const struct settings_environment *around;
	struct arena *arena;
};

/** A list (word.h) of the kinds. Each is a key of a layer in plyfs.yaml. */
#define STORE_KINDS "etcd, git"

/** Reads a layer's `etcd:` or `git:`. Returns 0 with *ret in the arena, PROBLEM or -ENOMEM. */
int store_spec_read(const char *kind, const struct node *map, const struct store_spec_place *place,
	const struct store_spec **ret, struct problem *problem);

/** Returns `system` if it exists and `directory` does not; otherwise `directory`. */
const char *store_spec_directory(const struct store_spec *store);
