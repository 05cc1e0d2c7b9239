/*
 * What Lua leaves to chance, in an order that is the same in each run: the same input must give the
 * same bytes. Functions for scripts.
 */
#pragma once

#include <lua.h>

/** pairs(table): numbers, then strings in byte order, then booleans, then the rest. `__pairs` is
 * honoured. */
int lua_order_pairs(lua_State *L);

/** table.sort(list [, is_before]), stable. */
int lua_order_sort(lua_State *L);
