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
