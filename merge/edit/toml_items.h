/*
 * Entries between brackets: the items of TOML's arrays and the pairs of its inline tables.
 */
#pragma once

#include "text_lines.h"

/* In brackets, with commas between them. */
struct toml_items {
	const struct text_lines *lines;
	const struct extent *in;
	const struct extent **items;
	uint32_t count;
};

/** 0 or -ENOMEM. */
int toml_items_of(const struct text_lines *lines, const struct extent *in, struct toml_items *ret);

/** Takes out entries from `first` up to `end`. 0, EDIT_CANNOT or -ENOMEM. */
int toml_items_remove(const struct toml_items *items, uint32_t first, uint32_t end);

/** Puts texts before entry `at`, or behind the last. 0, EDIT_CANNOT or -ENOMEM. */
int toml_items_insert(
	const struct toml_items *items, uint32_t at, const struct span *texts, uint32_t count);
