/*
 * A file in a layer that is written: beside the old one, which a rename replaces when all of it is
 * on the disk. Whoever reads it sees the old bytes or the new ones.
 */
#pragma once

#include "layer.h"
#include "problem.h"
#include "span.h"

/**
 * Waits for the lock of the layer that all changes take, for some seconds. Returns a descriptor
 * that holds it until it is closed, -EWOULDBLOCK when somebody else has it all the time, or -errno.
 */
int layer_file_lock(const struct layer *layer);

/**
 * Makes the directory of a layer that is absent, and those that it lies in, and opens it; `like` is
 * a layer that it is no wider open than, or NULL. Returns 0 with *ret for layer_free(), -EEXIST when
 * something is there already, or -errno.
 */
int layer_file_make_layer(
	const struct layer *layer, const struct layer *like, struct layer **ret);

/* Positive result of layer_file_write(): it is not what was read any more. */
#define LAYER_FILE_MOVED 2

struct layer_file {
	const struct layer *layer;
	const char *path; /* in the layer; a link is followed if it stays in it */
	struct span old;  /* what was read; `data` NULL: it is not there yet */
	struct span new;
	const struct stat *like;   /* of what a new file overrides: who can't read that can't read the
				   new one; NULL: 0644 */
	const struct layer *model; /* the same of directories that are made; NULL: 0755 */
};

/**
 * Writes. Mode, owner, access list and extended attributes of a file that is replaced stay; what is
 * new belongs to the user who runs us, and nobody else may write it. Returns 0; LAYER_FILE_MOVED;
 * PROBLEM; or -errno, and nothing has changed then.
 */
int layer_file_write(const struct layer_file *file, struct problem *problem);

/**
 * Removes the file, if it is what was read; with `old.data` NULL the name, whatever it is: a link is
 * not followed then. Results as layer_file_write().
 */
int layer_file_remove(const struct layer_file *file, struct problem *problem);

/** Removes the directory of the drop-ins of `path`, if nothing is left in it. */
void layer_file_remove_dropins(const struct layer *layer, const char *path);
