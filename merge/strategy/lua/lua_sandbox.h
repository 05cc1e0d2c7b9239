/*
 * A Lua state for hostile scripts: without files or a clock, and with bounds on memory and work.
 * The unit of work is one instruction of Lua's virtual machine; large operands count as more units.
 */
#pragma once

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "budget.h"

/* Greatest memory of one state, in bytes: enough for all values of a 16 MiB source. */
#define LUA_MEMORY_MAX (64u << 20)

/* Greatest work of one state, in units: a fraction of a second, less than the usual time limit. */
#define LUA_WORK_MAX 50000000u

/* Greatest sum of a state's allocations, in bytes: these take as long as LUA_WORK_MAX units. */
#define LUA_TRAFFIC_MAX (1536u << 20)

/* Greatest number of variable arguments of one call, because each call copies them. */
#define LUA_ARGUMENTS_MAX 250

struct lua_sandbox {
	size_t used;           /* bytes of memory in use */
	size_t longest;        /* bytes of the longest string so far */
	uint64_t work;         /* in units, so far */
	uint64_t timed;        /* `work` at the last check of the budget */
	struct budget *budget; /* the time limit; NULL: none */
	uint64_t traffic;      /* sum of all allocations, in bytes; it differs between runs */
	bool is_out_of_memory; /* LUA_MEMORY_MAX was reached */
	/* memory of the system was short: drop the result, as a script can catch the error */
	bool has_failed;
};

/**
 * Opens a state with the safe functions of base, string, table, math and utf8. Borrows `sandbox`
 * and `budget` (NULL: no time limit) until lua_close(). Returns NULL if memory is short.
 */
lua_State *lua_sandbox_open(struct lua_sandbox *sandbox, struct budget *budget);

/** Counts `units` of work. Raises an error in Lua if a limit is exceeded. */
void lua_sandbox_work(lua_State *L, uint64_t units);

/**
 * Adds `bytes`, which were allocated outside Lua for a script, to the memory in use. Raises an
 * error if the sum exceeds LUA_MEMORY_MAX.
 */
void lua_sandbox_memory(lua_State *L, size_t bytes);

/** Raises an error after an allocation outside Lua has failed. */
void lua_sandbox_fail(lua_State *L);

/* These functions (lua_order.c) replace Lua's own, whose order differs between runs. */

/**
 * pairs(table): numeric keys in ascending order, then strings in byte order, then false and true,
 * then all other keys. Respects `__pairs`.
 */
int lua_order_pairs(lua_State *L);

/** table.sort(list [, is_before]), stable. */
int lua_order_sort(lua_State *L);
