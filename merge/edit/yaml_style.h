/* The style of the text around a new value of YAML, and how the value is adapted to it. */
#pragma once

#include "editor.h"
#include "format/yaml_text.h"

/* The place of a new value. */
struct yaml_spot_around {
	const struct extent *in;  /* the map or list around the new value; NULL: none */
	const struct extent *old; /* the value that the new one replaces; NULL: none */
	bool is_before_comment;   /* a comment follows, which a block scalar would take as text */
};

/** Returns the column of `offset`, in characters, starting at 0. */
int yaml_column(const struct edit *edit, size_t offset);

/**
 * Returns how maps and lists in block style are indented in `in`. If `in` does not show this,
 * `root` decides; if `root` does not show it either, YAML_LAYOUT decides. `in` and `root` may be
 * NULL.
 */
struct yaml_layout yaml_find_layout(
	const struct edit *edit, const struct extent *in, const struct extent *root);

/**
 * Gives `value` the quotes and brackets of the values around it. Returns 0 with the new value in
 * *ret: `value` itself if it stays as it is, otherwise a copy in the arena. Or returns -ENOMEM.
 */
int yaml_adapt(const struct edit *edit, const struct yaml_spot_around *around,
	const struct node *value, const struct node **ret);

/** As yaml_adapt(), for a key. */
int yaml_adapt_key(const struct edit *edit, const struct extent *in, const struct node *key,
	const struct node **ret);
