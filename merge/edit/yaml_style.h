/*
 * How what stands around a new value of YAML is written, so that the value looks the same.
 */
#pragma once

#include "editor.h"
#include "format/yaml_text.h"

/* Where a new value goes. */
struct yaml_spot_around {
	const struct extent *in;  /* the map or list; NULL: it becomes the root */
	const struct extent *old; /* what it stands for; NULL: nothing */
	bool is_before_comment;   /* what is below would become text of a block scalar */
};

/** The column of what begins there, in characters, starting at 0. */
int yaml_column(const struct edit *edit, size_t offset);

/** How `in`, or else the document's other blocks, are indented. */
struct yaml_layout yaml_find_layout(
	const struct edit *edit, const struct extent *in, const struct extent *root);

/**
 * `value`, with quotes and brackets as the neighbours have them. 0 with *ret in the arena, or
 * -ENOMEM.
 */
int yaml_adapt(const struct edit *edit, const struct yaml_spot_around *around,
	const struct node *value, const struct node **ret);

/** Likewise for a key. */
int yaml_adapt_key(const struct edit *edit, const struct extent *in, const struct node *key,
	const struct node **ret);
