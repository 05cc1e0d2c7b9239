/*
 * The cost of a search with a Lua pattern. No hook interrupts a search, so the cost is computed
 * before the search begins.
 */
#pragma once

#include "span.h"

/**
 * Returns an upper bound of the steps of a search for `pattern` in `text`. A step compares one
 * character with one item of the pattern. Stops counting above LUA_PATTERN_STEPS_MAX.
 */
double lua_pattern_steps(struct span pattern, struct span text);

/* Greatest number of steps of one search: about one second of processor time. */
#define LUA_PATTERN_STEPS_MAX 1e8
