/* Lists of words in one text, such as "layers, rules, files, options". */
#pragma once

#include <stdbool.h>

#include "span.h"

/** Returns the index of `word` in `list`, starting at 0; -1: it is not there. */
int word_index(const char *list, struct span word);

/**
 * Returns how many bytes must be changed, inserted, removed or swapped with the next one to turn
 * `a` into `b`; SIZE_MAX if `a` or `b` is too long.
 */
size_t word_distance(struct span a, struct span b);

/**
 * Finds the word in `list` that is nearest to `word`. The word_distance() must be at most 2, and at
 * most half the length of the word in `list`. Returns false if there is no such word.
 */
bool word_nearest(const char *list, struct span word, struct span *ret);
