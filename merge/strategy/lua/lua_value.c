#include "lua_value.h"

#include <errno.h>
#include <lauxlib.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lua_sandbox.h"
#include "number.h"
#include "origin_bound.h"
#include "scalar.h"
#include "utf8.h"

/* The key of struct lua_values in the registry. */
#define VALUES "plyfs.values"

void lua_box_set_values(lua_State *L, struct lua_values *values)
{
	lua_pushlightuserdata(L, values);
	lua_setfield(L, LUA_REGISTRYINDEX, VALUES);
	for (int kind = 0; kind < CLOUD_KINDS; kind++) {
		lua_newtable(L);
		values->seen[kind] = luaL_ref(L, LUA_REGISTRYINDEX);
	}
}

static struct lua_values *values_of(lua_State *L)
{
	lua_getfield(L, LUA_REGISTRYINDEX, VALUES);
	struct lua_values *values = lua_touserdata(L, -1);
	lua_pop(L, 1);
	return values;
}

struct arena *lua_box_arena(lua_State *L)
{
	return values_of(L)->cloud->arena;
}

struct origins *lua_box_origins(lua_State *L)
{
	return values_of(L)->cloud->origins;
}

void lua_box_check(lua_State *L, int r, size_t before)
{
	if (r < 0)
		lua_sandbox_fail(L);
	lua_sandbox_memory(L, arena_bytes(lua_box_arena(L)) - before);
}

void lua_box_push(lua_State *L, const struct node *node, struct node *open, const char *type)
{
	struct lua_box *box = lua_newuserdatauv(L, sizeof(*box), 0);

	*box = (struct lua_box){node, open};
	luaL_setmetatable(L, type);
}

static const char *type_of(const struct node *node)
{
	enum cloud_kind kind = cloud_kind(node);

	if (kind == CLOUD_DICT)
		return LUA_BOX_DICT;
	return kind == CLOUD_LIST ? LUA_BOX_LIST : LUA_BOX_SCALAR;
}

struct lua_box *lua_box_at(lua_State *L, int index)
{
	static const char *const types[] = {LUA_BOX_DICT, LUA_BOX_LIST, LUA_BOX_SCALAR};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		void *box = luaL_testudata(L, index, types[i]);
		if (box)
			return box;
	}
	return NULL;
}

/* Records that the scalar on top was made from `node`. */
static void remember(lua_State *L, enum cloud_kind kind, const struct node *node)
{
	lua_rawgeti(L, LUA_REGISTRYINDEX, values_of(L)->seen[kind]);
	lua_pushvalue(L, -2);
	/* Never changed through this pointer, only returned. */
	lua_pushlightuserdata(L, (void *)node);
	lua_rawset(L, -3);
	lua_pop(L, 1);
}

/* Returns the node that the scalar at `index` was last made from, or NULL. */
static const struct node *recall(lua_State *L, enum cloud_kind kind, int index)
{
	index = lua_absindex(L, index);
	lua_rawgeti(L, LUA_REGISTRYINDEX, values_of(L)->seen[kind]);
	lua_pushvalue(L, index);
	lua_rawget(L, -2);
	const struct node *node = lua_touserdata(L, -1);
	lua_pop(L, 2);
	return node;
}

static bool push_integer(lua_State *L, const struct node *node)
{
	struct number number;

	number_of_int(node->text, (enum node_schema)node->schema, &number);
	if (number.form != NUMBER_SMALL || number.small > INT64_MAX)
		return false;
	lua_pushinteger(
		L, number.is_negative ? -(lua_Integer)number.small : (lua_Integer)number.small);
	return true;
}

void lua_value_push(lua_State *L, const struct node *node)
{
	enum cloud_kind kind = cloud_kind(node);

	luaL_checkstack(L, 6, NULL);
	switch (kind) {
	case CLOUD_STR:
		lua_pushlstring(L, node->text.data, node->text.len);
		break;
	case CLOUD_BOOL:
		lua_pushboolean(L, scalar_bool(node));
		break;
	case CLOUD_NULL:
		lua_pushlightuserdata(L, NULL);
		break;
	case CLOUD_FLOAT:
		lua_pushnumber(L, scalar_number(node));
		if (isnan(scalar_number(node)))
			return;
		break;
	case CLOUD_INT:
		if (push_integer(L, node))
			break;
		__attribute__((fallthrough)); /* too large for Lua: passed as a box */
	case CLOUD_DICT:
	case CLOUD_LIST:
	case CLOUD_OTHER:
	case CLOUD_KINDS:
		lua_box_push(L, node, NULL, type_of(node));
		return;
	}
	remember(L, kind, node);
}

/* Returns the depth of nesting in `node`. Raises if it is more than limits.depth. */
static unsigned height(lua_State *L, const struct node *node, unsigned left)
{
	unsigned highest = 0;

	if (node_is_scalar(node))
		return 0;
	if (left == 0)
		luaL_error(L, "values are nested too deep");
	lua_sandbox_work(L, 1 + node_count(node) / 4);
	for (uint32_t i = 0; i < node_count(node); i++) {
		unsigned below = height(L, *node_entry(node, i), left - 1);
		if (below > highest)
			highest = below;
	}
	return highest + 1;
}

static unsigned depth_max(lua_State *L)
{
	return values_of(L)->cloud->merge->request->limits.depth;
}

void lua_box_check_height(lua_State *L, const struct node *node)
{
	unsigned max = depth_max(L);

	if (height(L, node, max) + 1 > max)
		luaL_error(L, "values are nested too deep");
}

static const struct node *new_scalar(lua_State *L, const char *text, size_t len)
{
	size_t before = arena_bytes(lua_box_arena(L));
	char *copy = arena_copy(lua_box_arena(L), (struct span){text, len});
	struct node *node =
		copy ? node_new_scalar(lua_box_arena(L), (struct span){copy, len}, NODE_PLAIN)
		     : NULL;

	lua_box_check(L, node ? 0 : -ENOMEM, before);
	return node;
}

static const struct node *new_string(lua_State *L, int index)
{
	size_t len;
	const char *text = lua_tolstring(L, index, &len), *end = text + len;

	lua_sandbox_work(L, len / 4);
	for (const char *p = text; p < end; p += utf8_length(p, end))
		if (utf8_length(p, end) == 0)
			luaL_error(L, "a string is not UTF-8");
	struct node *node = (struct node *)new_scalar(L, text, len);

	if (scalar_type(node) != SCALAR_STRING || memchr(text, '\n', len))
		node->style = NODE_DOUBLE;
	return node;
}

const struct node *lua_box_new_float(lua_State *L, double number)
{
	char text[64];
	int precision = 15;

	if (isnan(number))
		return new_scalar(L, ".nan", 4);
	if (isinf(number))
		return number < 0 ? new_scalar(L, "-.inf", 5) : new_scalar(L, ".inf", 4);
	do {
		snprintf(text, sizeof(text), "%.*g", precision, number);
	} while (strtod(text, NULL) != number && ++precision <= 17);

	size_t digits = strcspn(text, "e");
	/*
	 * YAML 1.1 requires a point in a number with an exponent; plyfs puts one into every number
	 * that is no int.
	 */
	if (!memchr(text, '.', digits)) {
		memmove(text + digits + 2, text + digits, strlen(text + digits) + 1);
		memcpy(text + digits, ".0", 2);
	}
	return new_scalar(L, text, strlen(text));
}

static const struct node *new_number(lua_State *L, int index)
{
	char text[32];

	if (!lua_isinteger(L, index))
		return lua_box_new_float(L, lua_tonumber(L, index));
	int len = snprintf(text, sizeof(text), "%lld", (long long)lua_tointeger(L, index));
	return new_scalar(L, text, (size_t)len);
}

enum cloud_kind lua_box_scalar_kind(lua_State *L, int index)
{
	switch (lua_type(L, index)) {
	case LUA_TSTRING:
		return CLOUD_STR;
	case LUA_TNUMBER:
		return lua_isinteger(L, index) ? CLOUD_INT : CLOUD_FLOAT;
	case LUA_TBOOLEAN:
		return CLOUD_BOOL;
	case LUA_TLIGHTUSERDATA:
		return CLOUD_NULL;
	default:
		return CLOUD_KINDS;
	}
}

/*
 * Gives the node for a value that a script puts somewhere else. With origins, each place needs a
 * node of its own.
 */
static const struct node *place_again(lua_State *L, const struct node *node)
{
	struct origins *origins = lua_box_origins(L);

	if (!origins)
		return node;
	size_t before = arena_bytes(lua_box_arena(L));
	const struct node *copy = node_copy(lua_box_arena(L), node);
	if (copy && origin_bound_is_short(origins, node))
		origin_move(origins, node, copy);
	lua_box_check(L, copy ? 0 : -ENOMEM, before);
	return copy;
}

const struct node *lua_box_take_scalar(lua_State *L, int index)
{
	enum cloud_kind kind = lua_box_scalar_kind(L, index);
	const struct node *node = recall(L, kind, index);

	if (node)
		return place_again(L, node);
	switch (kind) {
	case CLOUD_STR:
		return new_string(L, index);
	case CLOUD_BOOL:
		return lua_toboolean(L, index) ? new_scalar(L, "true", 4)
					       : new_scalar(L, "false", 5);
	case CLOUD_NULL:
		return new_scalar(L, "null", 4);
	default:
		return new_number(L, index);
	}
}

static const struct node *take(lua_State *L, int index, unsigned left);

/* A Lua table that has an item 1, or is empty, is a list. */
struct node *lua_box_list_of(lua_State *L, int table, unsigned left)
{
	size_t before = arena_bytes(lua_box_arena(L));
	struct node *list = node_new_sequence(lua_box_arena(L), NULL);
	lua_Integer count = (lua_Integer)lua_rawlen(L, table);

	lua_box_check(L, list ? 0 : -ENOMEM, before);
	lua_sandbox_work(L, (uint64_t)count);
	for (lua_Integer i = 1; i <= count; i++) {
		lua_rawgeti(L, table, i);
		const struct node *item = take(L, -1, left);
		lua_pop(L, 1);
		lua_box_check_height(L, item);
		before = arena_bytes(lua_box_arena(L));
		lua_box_check(L, node_push(lua_box_arena(L), list, item), before);
	}
	return list;
}

/* Any other table is a dict; its keys are in the order of pairs(). */
struct node *lua_box_dict_of(lua_State *L, int table, unsigned left)
{
	size_t before = arena_bytes(lua_box_arena(L));
	struct node *dict = node_new_map(lua_box_arena(L), NULL);

	lua_box_check(L, dict ? 0 : -ENOMEM, before);
	lua_getglobal(L, "pairs");
	lua_pushvalue(L, table);
	lua_call(L, 1, 1);
	for (;;) {
		lua_pushvalue(L, -1);
		lua_call(L, 0, 2);
		if (lua_isnil(L, -2))
			break;
		if (lua_box_scalar_kind(L, -2) == CLOUD_KINDS)
			luaL_error(L, "a key of a dict can't be a %s", luaL_typename(L, -2));
		const struct node *key = lua_box_take_scalar(L, -2), *value = take(L, -1, left);
		lua_pop(L, 2);
		lua_box_check_height(L, value);
		before = arena_bytes(lua_box_arena(L));
		lua_box_check(L, node_put(lua_box_arena(L), dict, key, value), before);
	}
	lua_pop(L, 3);
	return dict;
}

static bool is_list_table(lua_State *L, int table)
{
	if (lua_rawlen(L, table) > 0)
		return true;
	lua_pushnil(L);
	if (!lua_next(L, table))
		return true;
	lua_pop(L, 2);
	return false;
}

static struct node *take_table(lua_State *L, int index, unsigned left)
{
	if (left == 0)
		luaL_error(L, "tables are nested too deep");
	luaL_checkstack(L, 10, NULL);
	return is_list_table(L, index) ? lua_box_list_of(L, index, left - 1)
				       : lua_box_dict_of(L, index, left - 1);
}

static const struct node *take(lua_State *L, int index, unsigned left)
{
	struct lua_box *box;

	index = lua_absindex(L, index);
	if (lua_box_scalar_kind(L, index) != CLOUD_KINDS)
		return lua_box_take_scalar(L, index);
	if (lua_type(L, index) == LUA_TTABLE)
		return take_table(L, index, left);
	box = lua_box_at(L, index);
	if (!box) {
		luaL_error(L, "a %s is no value; use null for no value", luaL_typename(L, index));
		return NULL;
	}
	box->open = NULL;
	return box->node;
}

const struct node *lua_value_take(lua_State *L, int index)
{
	unsigned max = depth_max(L);

	return take(L, index, max < LUA_TABLE_DEPTH_MAX ? max : LUA_TABLE_DEPTH_MAX);
}
