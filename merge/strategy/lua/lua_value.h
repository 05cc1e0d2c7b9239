/*
 * Values between a merge and a Lua script.
 *
 * Maps and lists are userdata that stand for a node. Scalars become Lua's own strings, numbers and
 * booleans, `null` where there is none; a date, binary data or an integer of more than 64 bits is
 * userdata that a script can only hand on. A scalar that comes back as it was given keeps its text:
 * the node that a value was made from is remembered by the value.
 *
 * What a script got is never changed. dict() and list() make copies that the script may change
 * until they become part of another value, or of the result: so no value can come to hold itself.
 *
 * A box is the userdata that stands for a map or a list, or for a scalar that Lua has no type for.
 * lua_value.c turns nodes into values and back, and lua_box.c has the methods.
 */
#pragma once

#include <lua.h>

#include "cloud.h"

struct lua_values {
	struct cloud *cloud;
	int seen[CLOUD_KINDS]; /* in the registry, for each kind of scalar: value to node */
};

/** Sets up the globals dict, list, kind and null. To be called protected. */
void lua_value_open(lua_State *L, struct lua_values *values);

/** Pushes the value of `node`, which must be frozen. May raise. */
void lua_value_push(lua_State *L, const struct node *node);

/** The node for the value at `index`; raises for what is no value. */
const struct node *lua_value_take(lua_State *L, int index);

/* Between the two files; all of it may raise. */

/* Names of the metatables in the registry. */
#define LUA_BOX_DICT "plyfs.dict"
#define LUA_BOX_LIST "plyfs.list"
#define LUA_BOX_SCALAR "plyfs.scalar"

/* Maps and lists that one call makes from Lua tables in each other. */
#define LUA_TABLE_DEPTH_MAX 100

/* What a userdata holds. */
struct lua_box {
	const struct node *node;
	struct node *open; /* the same node while the script may change it; else NULL */
};

void lua_box_set_values(lua_State *L, struct lua_values *values);

/** The arena in which scripts make nodes. */
struct arena *lua_box_arena(lua_State *L);

/** Where decisions are noted; NULL: nobody asks. */
struct origins *lua_box_origins(lua_State *L);

/** Raises for `r` < 0, and counts what the arena has grown since it held `before` bytes. */
void lua_box_check(lua_State *L, int r, size_t before);

/** Pushes a box; `open` is `node` where the script may change it, else NULL. */
void lua_box_push(lua_State *L, const struct node *node, struct node *open, const char *type);

/** The box at `index`, or NULL. */
struct lua_box *lua_box_at(lua_State *L, int index);

/** The kind of the value at `index` that is a scalar in Lua; CLOUD_KINDS for others. */
enum cloud_kind lua_box_scalar_kind(lua_State *L, int index);

/** The node for a scalar in Lua. */
const struct node *lua_box_take_scalar(lua_State *L, int index);
const struct node *lua_box_new_float(lua_State *L, double number);

/** Raises where `node`, put into a collection, would be nested deeper than limits.depth. */
void lua_box_check_height(lua_State *L, const struct node *node);

/** A new node from a Lua table, `left` tables deep at most. */
struct node *lua_box_list_of(lua_State *L, int table, unsigned left);
struct node *lua_box_dict_of(lua_State *L, int table, unsigned left);
