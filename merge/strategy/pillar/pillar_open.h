/*
 * The nodes that are made for the file that is being built: pillar_value.h tells what for.
 */
#pragma once

#include "pillar_value.h"

/* The bits of node.mark. Nodes of a source, and nodes that are sealed, have none. */
enum {
	PILLAR_OPEN = 1,     /* made for the file that is being built: may be changed in place */
	PILLAR_SHIELDED = 2, /* a marker stood here: nothing is combined into it */
};

/**
 * An open node in the place of *value: itself, or a copy with room for `more` items; a scalar is
 * only opened for what is noted about it. Returns 0 or -ENOMEM.
 */
int pillar_open(
	struct pillar_values *values, const struct node **value, uint32_t more, struct node **ret);

/** A map or list with nothing in it, in the place of `like`, with `mark`. Returns 0 or -ENOMEM. */
int pillar_open_new(
	struct pillar_values *values, const struct node *like, uint8_t mark, struct node **ret);
