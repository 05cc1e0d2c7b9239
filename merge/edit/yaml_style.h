/* The style of the text around a new value of YAML, and how the value is adapted to it. */
#pragma once

#include "editor.h"
#include "format/yaml_text.h"

/* The place of a new value. */
struct yaml_spot_around {
	const struct extent *in;  /* the map or list around it; NULL: the value becomes the root */
	const struct extent *old; /* the value that it replaces; NULL: none */
	bool is_before_comment;   /* the comment below would become text of a block scalar */
};

/** Returns the column of `offset`, in characters, starting at 0. */
int yaml_column(const struct edit *edit, size_t offset);

/** Returns the indentation of the blocks in `in`; if there are none, of those in `root`. */
struct yaml_layout yaml_find_layout(
	const struct edit *edit, const struct extent *in, const struct extent *root);

/**
 * Gives `value` the neighbours' quotes and brackets. Returns 0 with *ret in the arena, or -ENOMEM.
 */
int yaml_adapt(const struct edit *edit, const struct yaml_spot_around *around,
	const struct node *value, const struct node **ret);

/** As yaml_adapt(), for a key. */
int yaml_adapt_key(const struct edit *edit, const struct extent *in, const struct node *key,
	const struct node **ret);
