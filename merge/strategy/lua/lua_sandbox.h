/*
 * A Lua state for hostile scripts: no files, no clock, no way out, and bounds on memory and work.
 *
 * The unit of work is one instruction of Lua's virtual machine. An instruction or a call with large
 * operands counts by their size, because no hook interrupts it.
 */
#pragma once

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "budget.h"

/* Greatest memory of one state, in bytes: enough for all values of a 16 MiB source. */
#define LUA_MEMORY_MAX (64u << 20)

/*
 * Greatest work of one state, in units. It takes a fraction of a second, far below the usual time
 * limit, so that a script stops at the same point on every machine.
 */
#define LUA_WORK_MAX 50000000u

/* Greatest sum of a state's allocations, in bytes. So much takes as long as LUA_WORK_MAX units. */
#define LUA_TRAFFIC_MAX (1536u << 20)

/* Greatest number of variable arguments of one call, because each call copies them. */
#define LUA_ARGUMENTS_MAX 250

struct lua_sandbox {
	size_t used;    /* bytes of memory in use */
	size_t longest; /* bytes of the longest string so far */
	uint64_t work;
	uint64_t timed; /* `work` at the last check of the budget */
	/* limits slow work that can't be counted, such as ".." with numbers; NULL: no limit */
	struct budget *budget;
	/*
	 * Bytes allocated. Not part of `work`: this number differs between runs, because of Lua's
	 * hashes.
	 */
	uint64_t traffic;
	bool is_out_of_memory; /* LUA_MEMORY_MAX was reached */
	/* An allocation failed. A script can catch the error, so its result does not count. */
	bool has_failed;
};

/**
 * Opens a state with base, string, table, math and utf8, as far as they are safe. Borrows `sandbox`
 * and `budget` (NULL: no time limit) until lua_close(). Returns NULL when there is no memory.
 */
lua_State *lua_sandbox_open(struct lua_sandbox *sandbox, struct budget *budget);

/** Counts work. Raises an error in Lua above LUA_WORK_MAX. */
void lua_sandbox_work(lua_State *L, uint64_t units);

/** Counts bytes that plyfs allocates for a script outside Lua. Raises above LUA_MEMORY_MAX. */
void lua_sandbox_memory(lua_State *L, size_t bytes);

/** Raises an error because plyfs has no memory outside Lua. */
void lua_sandbox_fail(lua_State *L);

/*
 * Replacements for functions of Lua whose order differs between runs: the same input must give the
 * same bytes. Functions for scripts, in lua_order.c.
 */

/**
 * pairs(table): numeric keys in ascending order, then strings in byte order, then false and true,
 * then all other keys. Respects `__pairs`.
 */
int lua_order_pairs(lua_State *L);

/** table.sort(list [, is_before]), stable. */
int lua_order_sort(lua_State *L);
