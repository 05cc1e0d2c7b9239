/*
 * What document.c reaches the formats through. Limits are set and the size of the text is checked.
 */
#pragma once

#include "builder.h"
#include "output.h"

/** Read `text` into the builder. 0, PROBLEM or -ENOMEM. */
int yaml_read(struct builder *builder, struct span text);
int json_read(struct builder *builder, struct span text);

/**
 * Write a tree of bounded size. 0, PROBLEM (a value that the format has not, or more than `depth`
 * collections in each other) or -ENOMEM; `output` keeps its own failure.
 */
int yaml_write(
	const struct node *root, unsigned depth, struct output *output, struct problem *problem);
int json_write(const struct node *root, unsigned depth, struct arena *arena, struct output *output,
	struct problem *problem);

/** The problem of a collection that lies too deep. Returns PROBLEM. */
int format_too_deep(struct problem *problem, const struct node *node, unsigned depth);
