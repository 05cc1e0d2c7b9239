/*
 * A union lookup: the object that the layers show at one path at one moment.
 *
 * The layers are examined from the highest down. The first object found decides the kind. Lower
 * ones contribute while they are of the same kind:
 *
 *      host    dir   file    -      .wh.x    link
 *      site    dir   dir    file     file    file      a different kind, a whiteout, or an opaque
 *      vendor  dir   file   file     file    file      directory hides the lower layers
 *              ───   ────   ────   ──────    ────
 *              all   host   both  nothing    host
 *
 * Whiteouts are overlayfs' (a character device 0/0) and those of container images (".wh.NAME", and
 * ".wh..wh..opq" in a directory: OCI image-spec, layer.md). Sockets, pipes and devices are passed
 * over.
 *
 * A layer that can't be examined (no permission, an I/O error, a dead file system) may hide files
 * of lower layers. So it counts as a layer with an unreadable file at the path. But if the other
 * layers show a directory there, or the path is the root, it counts as a layer with a directory. If
 * the other layers show a link, it counts as a layer with nothing there.
 *
 * Only this module knows these rules. It keeps no state.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "settings.h"

/* A set of layers: bit n is the layer of rank n. */
typedef uint64_t layer_mask;
_Static_assert(LAYERS_MAX <= 64, "a bit for each layer");

/* The prefix of a container image's whiteout; the name that it hides follows. */
#define UNION_MARK_PREFIX ".wh."

/* A directory that contains this name is opaque: it hides the lower layers' directory. */
#define UNION_OPAQUE_NAME ".wh..wh..opq"

/* Packed: each entry (directory.h) has a member of this type. */
enum union_kind {
	UNION_NONE,
	UNION_FILE,
	UNION_DIRECTORY,
	UNION_LINK,
} __attribute__((packed));

/* One layer's object at the path, or a drop-in. */
struct contributor {
	unsigned layer;   /* the layer's rank */
	int error;        /* 0; or an errno: it could not be examined */
	struct stat stat; /* with error 0 */
	const char *path; /* its path in the layer; NULL: the path of the lookup */
	const char *why;  /* a static text: why it is left out; NULL: not left out */
	bool is_ignored;  /* its name is not a drop-in's (dropin_name.h) */
};

struct union_lookup {
	enum union_kind kind;
	layer_mask layers; /* of the contributors; for a directory, also those not examined */
	unsigned count;    /* number of contributors; 1 for a link */
	struct contributor *found; /* highest precedence first; then those left out */
	unsigned left_out_count;
	bool has_unknown; /* a layer that is not in `found` could not be examined */
	/*
	 * The errno with which a layer's file system has failed (layer_has_failed()); 0: none has.
	 * After a failure, `kind` may be wrong, or the path may be hidden. Of several errors:
	 * LAYER_LATE (layer.h), else ETIMEDOUT, else the first.
	 */
	int failure;
	/* If not 0, such an errno: it is unknown whether a layer hides what lower ones have. */
	int whiteout_error;
	/* The kind of the highest object that is hidden because it is not of `kind`; or NONE. */
	enum union_kind hidden_kind;
	unsigned hidden_layer; /* the layer that has that object */

	/* private: the storage of `found` */
	struct contributor own[LAYERS_MAX];
	struct contributor *expanded; /* from expand.h, with their paths; NULL: none */
};

void union_lookup_init(struct union_lookup *lookup);
void union_lookup_fini(struct union_lookup *lookup);
/** Does union_lookup_fini(), but keeps `failure` and `whiteout_error`. */
void union_lookup_reset(struct union_lookup *lookup);

/** Returns the size of all files that the lookup has found, in bytes. */
uint64_t union_lookup_bytes(const struct union_lookup *lookup);

/** Allocates a lookup, which is large, for union_lookup_freep(). NULL: no memory. */
struct union_lookup *union_lookup_new(void);
void union_lookup_freep(struct union_lookup **lookup);

/** Returns whether `name` is a whiteout mark. The mount shows no such name. */
bool union_is_mark(const char *name);

/** Returns whether a name in the path is a whiteout mark. */
bool union_has_mark(const char *path);

/**
 * Returns the name that the whiteout mark `name` hides (it points into `name`), "" for an opaque
 * mark, or NULL for any other name.
 */
const char *union_marked_name(const char *name);

/**
 * Looks up `path` in `layers`, the layers that show its directory. `path` is relative to the root
 * ("" is the root). The caller has called union_lookup_init(ret). Returns 0; or -errno if memory or
 * descriptors are short.
 */
int union_look_up(const struct settings *settings, layer_mask layers, const char *path,
	struct union_lookup *ret);

/**
 * Returns whether there are contributors, but none could be examined. Then the path may still be
 * what it was before.
 */
bool union_is_out_of_sight(const struct union_lookup *lookup);

/**
 * If union_is_out_of_sight(), turns the lookup of a former directory into one of a directory that
 * could not be examined: without contributors, and with the same `layers`.
 */
void union_keep_directory(struct union_lookup *lookup);

/**
 * Returns 0 if it is known whether the path is a directory, and which layers show that directory.
 * Otherwise returns the -errno with which a file system has failed.
 */
int union_knows_directory(const struct union_lookup *lookup);

/** Returns the layers that did not answer about the path. */
layer_mask union_timed_out(const struct union_lookup *lookup);

/** Takes the contributor `found[index]` out of a lookup that was not expanded (expand.h). */
void union_drop(struct union_lookup *lookup, unsigned index);

/** Returns whether any layer could not be examined. */
bool union_has_unseen(const struct union_lookup *lookup);

/**
 * Returns whether any layer could not be examined because its file system has failed
 * (layer_has_failed()).
 */
bool union_has_failed(const struct union_lookup *lookup);

/** Returns whether `result`, of a function of layer.h, means that the layer has no such file. */
bool union_is_absent(int result);

/** Returns the kind of an object with the file type in `mode`. */
enum union_kind union_kind_of(mode_t mode);

static inline bool union_is_leaf(enum union_kind kind)
{
	return kind == UNION_FILE || kind == UNION_LINK;
}

/** Returns whether the object is a whiteout as overlayfs makes it, a device 0/0. */
bool union_is_whiteout_device(const struct stat *stat);

/** Returns the layers whose directory is open. An optional layer may be absent. */
layer_mask union_all_layers(const struct settings *settings);
