/*
 * A box: the userdata that stands for a map or a list, or for a scalar that Lua has no type for.
 * Shared by lua_value.c, which turns nodes into values and back, and lua_box.c, which has the
 * methods. All of it may raise.
 */
#pragma once

#include "lua_value.h"

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
