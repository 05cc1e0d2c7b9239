/*
 * A store: what a layer is a mirror of, `etcd:` or `git:` in plyfs.yaml(5). Whoever mounts or
 * renders has a mirror run for it (fs/supervisor), and who only looks takes what that has left:
 *
 *      BASE/KIND-ID.lock     held by who runs the mirror
 *      BASE/KIND-ID/         belongs to the mirror's user
 *              layer         the layer's directory: a link that the mirror turns
 *              state/        the mirror's own (fs/mirror/replica.h)
 *
 * ID follows from what is mirrored, and as whom. So layers that say the same of that share a
 * mirror, whatever plyfs.yaml they stand in and however often that is mounted.
 */
#pragma once

#include <stdint.h>

#include "arena.h"
#include "node.h"
#include "problem.h"
#include "surroundings.h"

struct store_spec {
	const char *kind; /* "etcd" or "git" */
	const char *what; /* the prefix or the URL, which the layer is called by */
	const char *user; /* whom the mirror runs as; NULL: none is given */
	const char *base;
	const char *home;         /* BASE/KIND-ID */
	const char *lock;         /* BASE/KIND-ID.lock */
	const char *directory;    /* BASE/KIND-ID/layer */
	const char *system;       /* the same of root's mirror; NULL: it counts for nothing */
	const char *const *words; /* behind "plyfs", ending with NULL */
	const char *specifiers; /* as of a layer_spec: of the prefix, ref or path */
	uint64_t wait_ms;         /* so long a mount waits for the first state */
	const struct node *place;
};

/* Where a plyfs.yaml stands, for what is relative in it. */
struct store_spec_place {
	const char *directory; /* that it is in, with a slash at the end; "": the present one */
	const struct surroundings *around;
	struct arena *arena;
};

/** The kinds, as the keys of a layer: see word.h. */
#define STORE_KINDS "etcd, git"

/**
 * Takes `etcd:` or `git:` of a layer, which must not be NULL. Nothing is opened. Returns 0 with
 * *ret in the arena, PROBLEM or -ENOMEM.
 */
int store_spec_read(const char *kind, const struct node *map, const struct store_spec_place *place,
	const struct store_spec **ret, struct problem *problem);

/** The layer's directory as it is now: that of our own mirror, else of root's. */
const char *store_spec_directory(const struct store_spec *store);
