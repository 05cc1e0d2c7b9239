/*
 * Values that pass between a merge and a Lua script.
 *
 * A map or list becomes a box: userdata that refers to a node. A date, binary data or an integer of
 * more than 64 bits becomes a box that scripts can't look into. Any other scalar becomes a string,
 * number or boolean of Lua, or the global `null`. A scalar that comes back unchanged keeps
 * its text.
 *
 * A script can't change a value that it gets. It can change a copy, which dict() or list() makes,
 * until the copy becomes part of another value, or of the result.
 */
#pragma once

#include <lua.h>

#include "cloud.h"

struct lua_values {
	struct cloud *cloud;
	/* for each kind of scalar, the registry's reference to a table from values to nodes */
	int seen[CLOUD_KINDS];
};

/** Sets up the globals. Call it in protected mode. `values` must live as long as the state. */
void lua_value_open(lua_State *L, struct lua_values *values);

/** Pushes the value of `node`, which must be frozen (cloud_freeze()). May raise an error. */
void lua_value_push(lua_State *L, const struct node *node);

/** Returns the node for the value at `index`. Raises an error if no node can hold the value. */
const struct node *lua_value_take(lua_State *L, int index);

/* For lua_value.c and lua_box.c alone. All of these functions may raise an error. */

/* Names of the metatables in the registry. */
#define LUA_BOX_DICT "plyfs.dict"
#define LUA_BOX_LIST "plyfs.list"
#define LUA_BOX_SCALAR "plyfs.scalar"

/* Greatest depth of the maps and lists that one call makes from Lua tables. */
#define LUA_TABLE_DEPTH_MAX 100

/* The content of a userdata. */
struct lua_box {
	const struct node *node;
	struct node *open; /* `node`, while the script may change it; else NULL */
};

/** Stores `values` in the state's registry, for the functions below, and fills values->seen. */
void lua_box_set_values(lua_State *L, struct lua_values *values);

/** Returns the arena in which scripts make nodes. */
struct arena *lua_box_arena(lua_State *L);

/** Returns the origins in which the merge records its decisions; NULL: it records none. */
struct origins *lua_box_origins(lua_State *L);

/**
 * Counts the arena's growth as memory that the scripts use. `before` is the arena's former size, in
 * bytes. Raises an error if `r` < 0 (an allocation failed), or if the scripts use too much memory.
 */
void lua_box_check(lua_State *L, int r, size_t before);

/** Pushes a box with these members. `type` is the name of its metatable. */
void lua_box_push(lua_State *L, const struct node *node, struct node *open, const char *type);

/** Returns the box at `index`; NULL: it is another value. */
struct lua_box *lua_box_at(lua_State *L, int index);

/** Returns the kind of the value at `index`; CLOUD_KINDS: it is no scalar of Lua. */
enum cloud_kind lua_box_scalar_kind(lua_State *L, int index);

/** Returns the node for the scalar at `index`. */
const struct node *lua_box_take_scalar(lua_State *L, int index);

const struct node *lua_box_new_float(lua_State *L, double number);

/** Raises an error if a map or list around `node` would be deeper than limits.depth (limit.h). */
void lua_box_check_height(lua_State *L, const struct node *node);

/** Makes a list of the Lua table at `table`. In it, tables may be nested to the depth `left`. */
struct node *lua_box_list_of(lua_State *L, int table, unsigned left);

/** Makes a map in the same way. */
struct node *lua_box_dict_of(lua_State *L, int table, unsigned left);
