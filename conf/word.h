/*
 * A word out of a list that people are shown as well: "layers, rules, files, options".
 */
#pragma once

#include <stdbool.h>

#include "span.h"

/** The place of `word` in `list`, starting at 0; -1 when it isn't in it. */
int word_index(const char *list, struct span word);

/**
 * The word in `list` that `word` is most likely a slip of the finger for: at most two letters away,
 * and at most half of its own. False when there is none.
 */
bool word_nearest(const char *list, struct span word, struct span *ret);
