/*
 * New text of TOML, for what an edit adds: written by the format's writer, and then made as its
 * neighbours are.
 */
#pragma once

#include "text_lines.h"

/* How neighbours are written. */
struct toml_manner {
	struct span indent;        /* of the line */
	bool is_tight_before;      /* no blank before "=" … */
	bool is_tight_after;       /* … or behind it */
	const struct node *string; /* a value, whose quotes new ones get; may be NULL */
};

/** That of the last pair in `in`, or else of any pair. */
struct toml_manner toml_manner_of(const struct edit *edit, const struct extent *in);

/** The value as it stands behind "=" or in a list; in one line if it `is_inline`. */
int toml_new_value(const struct text_lines *lines, const struct node *value,
	const struct node *string, bool is_inline, struct span *ret);

/**
 * What `value` comes to behind the keys, a dotted key of `count` parts: "a.b = 1", without an end
 * of line. A map is an inline table, unless it `is_dotted`: then it may be several lines.
 */
int toml_new_pairs(const struct text_lines *lines, const struct edit_step *keys, size_t count,
	const struct node *value, const struct toml_manner *manner, bool is_dotted,
	struct span *ret);

/** The headers, with what is behind them, that a table or a list of tables is written as. */
int toml_new_tables(const struct text_lines *lines, const struct edit_step *steps, size_t count,
	const struct node *value, const struct toml_manner *manner, struct span *ret);
