/* New text for an edit of TOML. An int result is 0, EDIT_CANNOT (editor.h), PROBLEM or -ENOMEM. */
#pragma once

#include "text_lines.h"

/* How the pairs near the new text are written. */
struct toml_manner {
	struct span indent;        /* the blanks before a pair */
	const char *equals;        /* "=" with the blanks around it */
	const struct node *string; /* new strings get the quotes of this value; may be NULL */
};

/** Returns the manner of the last pair of the extent `in`; if it has none, of a pair elsewhere. */
struct toml_manner toml_manner_of(const struct edit *edit, const struct extent *in);

/**
 * Writes `value` for a place after "=" or in a list, on one line if `is_inline`. If `value` and
 * `string` (may be NULL) are strings, the text gets the quotes of `string`.
 */
int toml_new_value(const struct text_lines *lines, const struct node *value,
	const struct node *string, bool is_inline, struct span *ret);

/**
 * Writes `value` after `keys`, a dotted key of `count` parts: "a.b = 1", without a line end. If
 * `is_dotted`, a map becomes dotted keys, perhaps on several lines; if not, an inline table.
 */
int toml_new_pairs(const struct text_lines *lines, const struct edit_step *keys, size_t count,
	const struct node *value, const struct toml_manner *manner, bool is_dotted,
	struct span *ret);

/** Writes `value`, a table or a list of tables, with headers. `steps` lead to `value`. */
int toml_new_tables(const struct text_lines *lines, const struct edit_step *steps, size_t count,
	const struct node *value, const struct toml_manner *manner, struct span *ret);
