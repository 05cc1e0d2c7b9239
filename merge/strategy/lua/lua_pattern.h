/*
 * How long a pattern of Lua's can take: no hook interrupts a search, so it is judged before.
 */
#pragma once

#include "span.h"

/**
 * The steps that searching `text` for `pattern` may take, at most: comparisons of a character with
 * an item of the pattern. Above LUA_PATTERN_STEPS_MAX they are not counted further.
 */
double lua_pattern_steps(struct span pattern, struct span text);

/* Of one search: about a second of a processor. */
#define LUA_PATTERN_STEPS_MAX 1e8
