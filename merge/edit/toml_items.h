/* Edits of the entries between brackets, in TOML's arrays and inline tables. */
#pragma once

#include "text_lines.h"

/* The entries between a pair of brackets, separated by commas. */
struct toml_items {
	const struct text_lines *lines;
	const struct extent *in;     /* the array or inline table */
	const struct extent **items; /* its entries, in the order of the text */
	uint32_t count;
};

/** Collects the entries of `in`. Returns 0 or -ENOMEM. */
int toml_items_of(const struct text_lines *lines, const struct extent *in, struct toml_items *ret);

/**
 * Removes the entries from index `first` to `end - 1`. Returns 0; EDIT_CANNOT if a comment would be
 * lost, or if lines->edit already removes an adjacent entry; or -ENOMEM.
 */
int toml_items_remove(const struct toml_items *items, uint32_t first, uint32_t end);

/**
 * Inserts texts before the entry at index `at`; if `at` is items->count, behind all entries.
 * Returns 0, EDIT_CANNOT or -ENOMEM.
 */
int toml_items_insert(
	const struct toml_items *items, uint32_t at, const struct span *texts, uint32_t count);
