/*
 * A lookup: what the layers show at one path at one moment.
 *
 * The layers are looked at from the highest down. The first object found decides the kind; lower
 * ones take part while they are of the same kind:
 *
 *      host    dir   file    -      .wh.x    link
 *      site    dir   dir    file     file    file      a different kind, a whiteout, or an opaque
 *      vendor  dir   file   file     file    file      directory hides all that lies below it
 *              ───   ────   ────   ──────    ────
 *              all   host   both  nothing    host
 *
 * Whiteouts are overlayfs' (a character device 0/0) and those of container images (".wh.NAME", and
 * ".wh..wh..opq" in a directory: OCI image-spec, layer.md). Sockets, pipes and devices are passed
 * over. A layer that can't be looked at (no permission, an I/O error, a dead file system) counts as
 * having a file that can't be read, or a directory where the others have one: leaving it out could
 * show what it hides, and hide what it shows.
 *
 * This is the only place that knows these rules. It keeps nothing and holds no lock.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "settings.h"

/* A set of layers: bit n is the layer of rank n. */
typedef uint64_t layer_mask;
_Static_assert(LAYERS_MAX <= 64, "a bit for each layer");

/* Before the name that a mark of a container image hides. */
#define UNION_MARK_PREFIX ".wh."

/* In a directory: what lower layers have of it is hidden. */
#define UNION_OPAQUE_NAME ".wh..wh..opq"

enum union_kind { UNION_NONE, UNION_FILE, UNION_DIRECTORY, UNION_LINK };

struct contributor {
	unsigned layer;
	int error;        /* 0, or the errno that kept us from looking */
	struct stat stat; /* with error 0 */
	const char *path; /* where it lies in the layer; NULL: at the path that was looked at */
	const char *why;  /* left out: by which rule, static; NULL: a source */
	bool is_ignored;  /* left out: its name is not that of a drop-in; dropin_refusal() says why */
};

struct union_lookup {
	enum union_kind kind;
	layer_mask layers;         /* of what was found */
	unsigned count;            /* contributors; 1 for a link */
	struct contributor *found; /* highest precedence first; behind them what is left out */
	unsigned left_out_count;
	bool has_unknown; /* a layer could not be looked at, and is not in `found` for that */
	enum union_kind
		hidden_kind;   /* of what is hidden for being of another kind; NONE: nothing */
	unsigned hidden_layer; /* that has it */

	/* private: what `found` points to */
	struct contributor own[LAYERS_MAX];
	struct contributor *expanded; /* with their paths (expand.h); NULL: none */
};

void union_lookup_init(struct union_lookup *lookup);
void union_lookup_fini(struct union_lookup *lookup);

/** On the heap: a lookup is large. NULL: no memory. Freed by union_lookup_freep(). */
struct union_lookup *union_lookup_new(void);
void union_lookup_freep(struct union_lookup **lookup);

/* Names that never show: whiteout marks, and our own directory's staging names don't reach here. */
bool union_is_mark(const char *name);

/** For a whiteout mark's name, the name that it hides (points into `name`); "" for an opaque mark;
 * NULL for any other name. */
const char *union_marked_name(const char *name);

/**
 * Looks at `path` (into *ret, which must be initialised), relative to the root ("" is the root), in
 * those `layers` that show its directory. Returns 0, or a shortage as -errno.
 */
int union_look_up(const struct settings *settings, layer_mask layers, const char *path,
	struct union_lookup *ret);

/** Whether there is something, of which nothing can be looked at: what it was it may be still. */
bool union_is_out_of_sight(const struct union_lookup *lookup);

/** What is out of sight is taken for a directory, of which nothing is known but its layers. */
void union_take_for_directory(struct union_lookup *lookup);

/** Whether some layer could not be looked at. */
bool union_has_unseen(const struct union_lookup *lookup);

/** Whether such an error of a layer's file means that there is none. */
bool union_is_absent(int result);

/** The kind that an object with that mode shows as. */
enum union_kind union_kind_of(mode_t mode);

/** Whether it is overlayfs' kind of whiteout. */
bool union_is_whiteout_device(const struct stat *stat);

/** All layers that are there. */
layer_mask union_all_layers(const struct settings *settings);
