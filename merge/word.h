/*
 * A word out of a list that people are shown as well: "layers, rules, files, options".
 */
#pragma once

#include <stdbool.h>

#include "span.h"

/** The place of `word` in `list`, starting at 0; -1 when it isn't in it. */
int word_index(const char *list, struct span word);

/**
 * Letters to change, put in, leave out or swap with their neighbour to make `b` out of `a`; SIZE_MAX
 * if one of them is too long to tell.
 */
size_t word_distance(struct span a, struct span b);

/**
 * The word in `list` that `word` is most likely a slip of the finger for: at most two letters away,
 * and at most half of its own. False when there is none.
 */
bool word_nearest(const char *list, struct span word, struct span *ret);
