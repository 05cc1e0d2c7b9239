/*
 * A Lua state for hostile scripts: without files or a clock, and with bounds on memory and work.
 *
 * The unit of work is one instruction of Lua's virtual machine. An instruction or a call with large
 * operands counts as more units, by their size, because no hook interrupts it.
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
 * Greatest work of one state, in units. A script reaches this limit in a fraction of a second. That
 * is before the usual time limit, so the script stops at the same point on every machine.
 */
#define LUA_WORK_MAX 50000000u

/* Greatest sum of a state's allocations, in bytes. So many take as long as LUA_WORK_MAX units. */
#define LUA_TRAFFIC_MAX (1536u << 20)

/* Greatest number of variable arguments of one call, because each call copies them. */
#define LUA_ARGUMENTS_MAX 250

struct lua_sandbox {
	size_t used;    /* bytes of memory in use */
	size_t longest; /* bytes of the longest string so far */
	uint64_t work;
	uint64_t timed; /* `work` at the last check of the budget */
	/* Time limit, or NULL. It ends work that isn't counted, such as ".." with numbers. */
	struct budget *budget;
	/*
	 * Sum of all allocations, in bytes. It is not part of `work`, because it differs between
	 * runs, as Lua's hashes do.
	 */
	uint64_t traffic;
	bool is_out_of_memory; /* LUA_MEMORY_MAX was reached */
	/*
	 * The system had no memory. The script can catch that error, so drop the script's result.
	 */
	bool has_failed;
};

/**
 * Opens a state with the safe functions of base, string, table, math and utf8. Borrows `sandbox`
 * and `budget` (NULL: no time limit) until lua_close(). Returns NULL when there is no memory.
 */
lua_State *lua_sandbox_open(struct lua_sandbox *sandbox, struct budget *budget);

/** Counts `units` of work. Raises an error in Lua if a limit is exceeded. */
void lua_sandbox_work(lua_State *L, uint64_t units);

/** Counts bytes allocated for a script outside Lua. Raises an error above LUA_MEMORY_MAX. */
void lua_sandbox_memory(lua_State *L, size_t bytes);

/** Raises an error because an allocation outside Lua failed. */
void lua_sandbox_fail(lua_State *L);

/*
 * These functions (lua_order.c) replace Lua's own. The same input must give the same bytes, but
 * the order that Lua's own functions give differs between runs.
 */

/**
 * pairs(table): numeric keys in ascending order, then strings in byte order, then false and true,
 * then all other keys. Respects `__pairs`.
 */
int lua_order_pairs(lua_State *L);

/** table.sort(list [, is_before]), stable. */
int lua_order_sort(lua_State *L);
