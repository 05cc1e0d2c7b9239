/*
 * A Lua state in which hostile scripts may run: no files, no clock, no way out, and a bound on
 * memory and on work.
 *
 * Work is counted in units of one instruction of Lua's virtual machine. What one instruction or one
 * call can do with large operands is counted by their size, because no hook interrupts it.
 */
#pragma once

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "budget.h"

/* Bytes of one state. The values of a 16 MiB source, which a script may all look at, fit. */
#define LUA_MEMORY_MAX (64u << 20)

/*
 * Units of one state: a fraction of a second, far from the usual limit of time, so that a script is
 * stopped at the same place everywhere.
 */
#define LUA_WORK_MAX 50000000u

/* Bytes that one state allocates in all: what takes as long as the work above. */
#define LUA_TRAFFIC_MAX (1536u << 20)

/* Variable arguments of one call: each call copies them. */
#define LUA_ARGUMENTS_MAX 250

struct lua_sandbox {
	size_t used;    /* bytes */
	size_t longest; /* bytes of the longest string so far */
	uint64_t work;
	uint64_t timed; /* work at which the budget was looked at last */
	/* For what takes long and can't be counted, such as "..", which writes numbers. Or NULL. */
	struct budget *budget;
	/* Bytes. Not a part of `work`, because it differs from run to run, with Lua's hashes. */
	uint64_t traffic;
	bool is_out_of_memory; /* LUA_MEMORY_MAX was reached */
};

/**
 * A state with base, string, table, math and utf8, as far as they are safe. `sandbox` and `budget`
 * (NULL: no limit of time) are borrowed until lua_close(). NULL: no memory.
 */
lua_State *lua_sandbox_open(struct lua_sandbox *sandbox, struct budget *budget);

/** Counts work; raises an error in Lua when there was too much. */
void lua_sandbox_work(lua_State *L, uint64_t units);

/** Counts bytes that a script made this program use elsewhere; raises an error as well. */
void lua_sandbox_memory(lua_State *L, size_t bytes);

/*
 * What Lua leaves to chance, in an order that is the same in each run: the same input must give the
 * same bytes. Functions for scripts, of lua_order.c.
 */

/** pairs(table): numbers, then strings in byte order, then booleans, then the rest. `__pairs` is
 * honoured. */
int lua_order_pairs(lua_State *L);

/** table.sort(list [, is_before]), stable. */
int lua_order_sort(lua_State *L);
