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

/* Positive result of layer_file_write(): it is not what was read any more. */
#define LAYER_FILE_MOVED 2

struct layer_file {
	const struct layer *layer;
	const char *path; /* in the layer; a link is followed if it stays in it */
	struct span old;  /* what was read; `data` NULL: it is not there yet */
	struct span new;
	const struct stat *like;   /* of a new file: it gets this mode, owner and group; NULL: 0644,
				   and the group that the directory gives */
	const struct layer *model; /* directories that are made are like those here; NULL: 0755 */
};

/**
 * Writes. Mode, owner, access list and extended attributes stay. Returns 0; LAYER_FILE_MOVED;
 * PROBLEM; or -errno, and nothing has changed then.
 */
int layer_file_write(const struct layer_file *file, struct problem *problem);
