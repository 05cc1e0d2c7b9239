/*
 * A union lookup: the object that the layers show at one path at one moment.
 *
 * The layers are examined from the highest down. The first object decides the kind. Lower objects
 * contribute while they are of the same kind. Below a link, nothing contributes.
 *
 *      host    dir   file    -      .wh.x    link
 *      site    dir   dir    file     file    file
 *      vendor  dir   file   file     file    file
 *              ───   ────   ────   ──────    ────
 *              all   host   both  nothing    host
 *
 * An object of a different kind, a whiteout, or an opaque directory hides the lower layers.
 * Whiteouts are those of overlayfs (a character device 0/0) and of container images (".wh.NAME",
 * and ".wh..wh..opq" in a directory: OCI image-spec, layer.md). Sockets, pipes and other devices
 * count as nothing.
 *
 * A layer that can't be examined (no permission, an I/O error, a dead file system) counts as having
 *
 *      a directory          if the other layers show a directory, or the path is the root
 *      nothing              if the other layers show a link
 *      an unreadable file   in all other cases
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "settings.h"

/* A set of layers: bit n is the layer of rank n. */
typedef uint64_t layer_mask;
_Static_assert(LAYERS_MAX <= 64, "a bit for each layer");

/* The prefix of a container image's whiteout; the hidden name follows. */
#define UNION_MARK_PREFIX ".wh."

/* A directory with this name in it is opaque: it hides the lower layers' directory. */
#define UNION_OPAQUE_NAME ".wh..wh..opq"

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
	const char *why;  /* why it is left out; static; NULL: it is not left out */
};

struct union_lookup {
	enum union_kind kind;
	layer_mask layers; /* of the contributors; of a directory, also those with an error */
	unsigned count;    /* number of contributors; 1 for a link */
	struct contributor *found; /* contributors, highest precedence first; then those left out */
	unsigned left_out_count;
	bool has_unknown; /* a layer that is not in `found` could not be examined */
	/*
	 * The errno with which a layer's file system has failed (layer_has_failed()); 0: none has.
	 * After a failure, `kind` may be wrong. Of several errors: LAYER_LATE (layer.h), else
	 * ETIMEDOUT, else the first.
	 */
	int failure;
	/*
	 * As `failure`, but only of layers that may hide the lower layers: the layer could not be
	 * examined and counts as nothing, or the layer has an object at the path but its whiteouts
	 * could not be examined. 0: there is no such layer.
	 */
	int whiteout_error;
	/* kind of the highest object hidden because its kind is not `kind`; or UNION_NONE */
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

/** Returns the name that the mark `name` hides; "": the opaque mark; NULL: `name` is no mark. */
const char *union_marked_name(const char *name);

/**
 * Looks up `path`, relative to the root ("": the root), in `layers` alone. Usually these are the
 * layers that show the directory that contains `path`. Call union_lookup_init(ret) before. Returns
 * 0; or -errno: memory or descriptors are short.
 */
int union_look_up(const struct settings *settings, layer_mask layers, const char *path,
	struct union_lookup *ret);

/** Returns whether there are contributors, none of which could be examined. */
bool union_is_out_of_sight(const struct union_lookup *lookup);

/**
 * For a path that showed a directory before: if union_is_out_of_sight(), turns the lookup into that
 * of a directory that could not be examined, with the same `layers`.
 */
void union_keep_directory(struct union_lookup *lookup);

/**
 * Returns 0 if the lookup shows whether the path is a directory, and which layers have it; or the
 * -errno with which a file system has failed.
 */
int union_knows_directory(const struct union_lookup *lookup);

/** Returns the layers that did not answer about the path. */
layer_mask union_timed_out(const struct union_lookup *lookup);

/** Removes the contributor `found[index]` of a lookup that was not expanded (expand.h). */
void union_drop(struct union_lookup *lookup, unsigned index);

/** Returns whether there is a layer that could not be examined. */
bool union_has_unseen(const struct union_lookup *lookup);

/** Returns whether the file system of a layer has failed (layer_has_failed()). */
bool union_has_failed(const struct union_lookup *lookup);

/** Returns whether `result`, of a function of layer.h, means that the layer has no such file. */
bool union_is_absent(int result);

/** Returns the kind of an object with the file type in `mode`. */
enum union_kind union_kind_of(mode_t mode);

static inline bool union_is_leaf(enum union_kind kind)
{
	return kind == UNION_FILE || kind == UNION_LINK;
}

/** Returns whether the object is a whiteout of overlayfs: a device 0/0. */
bool union_is_whiteout_device(const struct stat *stat);

/** Returns the layers whose directory is open. An optional layer may be absent. */
layer_mask union_all_layers(const struct settings *settings);
