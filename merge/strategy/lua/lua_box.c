/*
 * The methods of maps and lists for scripts: index, change, iterate, compare, copy.
 */
#include "lua_value.h"

#include <errno.h>
#include <lauxlib.h>
#include <stdio.h>

#include "lua_sandbox.h"
#include "origin_bound.h"

static struct lua_box *open_box(lua_State *L)
{
	struct lua_box *box = lua_box_at(L, 1);

	if (!box->open)
		luaL_error(L, "this value can't be changed: it was given, or is part of another; "
			      "change a copy made with dict() or list()");
	return box;
}

/* A key on the Lua stack as a node. `room` holds its text, as long as the stack is unchanged. */
struct lua_key {
	struct node node;
	char room[64];
};

static bool read_key(lua_State *L, int index, struct lua_key *key)
{
	key->node = (struct node){.kind = NODE_SCALAR, .style = NODE_PLAIN, .weight = 1};
	switch (lua_box_scalar_kind(L, index)) {
	case CLOUD_STR:
		key->node.style = NODE_DOUBLE;
		key->node.text.data = lua_tolstring(L, index, &key->node.text.len);
		lua_sandbox_work(L, key->node.text.len / 8);
		return true;
	case CLOUD_INT:
		snprintf(key->room, sizeof(key->room), "%lld", (long long)lua_tointeger(L, index));
		break;
	case CLOUD_BOOL:
		strcpy(key->room, lua_toboolean(L, index) ? "true" : "false");
		break;
	case CLOUD_NULL:
		strcpy(key->room, "null");
		break;
	case CLOUD_FLOAT:
		key->node.text = lua_box_new_float(L, lua_tonumber(L, index))->text;
		return true;
	default:
		return false;
	}
	key->node.text = span_of(key->room);
	return true;
}

static const struct pair *find(lua_State *L, const struct node *map, int index)
{
	struct lua_key key;

	if (!read_key(L, index, &key))
		return NULL;
	return node_find_as_python(map, &key.node, node_hash(&key.node));
}

static int dict_index(lua_State *L)
{
	const struct lua_box *box = luaL_checkudata(L, 1, LUA_BOX_DICT);
	const struct pair *pair = find(L, box->node, 2);

	if (pair)
		lua_value_push(L, pair->value);
	else
		lua_pushnil(L);
	return 1;
}

static int dict_new_index(lua_State *L)
{
	luaL_checkudata(L, 1, LUA_BOX_DICT);
	struct node *map = open_box(L)->open;
	const struct pair *found = find(L, map, 2);

	if (lua_box_scalar_kind(L, 2) == CLOUD_KINDS)
		return luaL_error(L, "a key of a dict can't be a %s", luaL_typename(L, 2));
	if (lua_isnil(L, 3)) {
		lua_sandbox_work(L, map->map.count);
		if (found)
			node_remove(map, found->key);
		return 0;
	}
	const struct node *key = found ? found->key : lua_box_take_scalar(L, 2);
	const struct node *value = lua_value_take(L, 3);
	/*
	 * The value may have been this map itself. Then lua_value_take() has closed it, and it
	 * can't contain itself.
	 */
	map = open_box(L)->open;
	lua_box_check_height(L, value);
	size_t before = arena_bytes(lua_box_arena(L));
	lua_box_check(L, node_put(lua_box_arena(L), map, key, value), before);
	return 0;
}

static int box_len(lua_State *L)
{
	lua_pushinteger(L, node_count(lua_box_at(L, 1)->node));
	return 1;
}

/* Upvalues: the box, and the number of entries given so far. */
static int box_next(lua_State *L)
{
	const struct lua_box *box = lua_touserdata(L, lua_upvalueindex(1));
	lua_Integer i = lua_tointeger(L, lua_upvalueindex(2));

	if (i >= node_count(box->node))
		return 0;
	lua_pushinteger(L, i + 1);
	lua_replace(L, lua_upvalueindex(2));
	if (node_is_map(box->node))
		lua_value_push(L, box->node->map.pairs[i].key);
	else
		lua_pushinteger(L, i + 1);
	lua_value_push(L, *node_entry(box->node, (uint32_t)i));
	return 2;
}

static int box_pairs(lua_State *L)
{
	lua_settop(L, 1);
	lua_pushinteger(L, 0);
	lua_pushcclosure(L, box_next, 2);
	return 1;
}

static int list_index(lua_State *L)
{
	const struct lua_box *box = luaL_checkudata(L, 1, LUA_BOX_LIST);
	lua_Integer i = lua_isinteger(L, 2) ? lua_tointeger(L, 2) : 0;

	if (i >= 1 && i <= box->node->seq.count)
		lua_value_push(L, box->node->seq.items[i - 1]);
	else
		lua_pushnil(L);
	return 1;
}

/* nil removes the last item; an item may be added after the last one. */
static int list_new_index(lua_State *L)
{
	luaL_checkudata(L, 1, LUA_BOX_LIST);
	struct node *list = open_box(L)->open;
	lua_Integer count = list->seq.count, i = luaL_checkinteger(L, 2);

	if (i < 1 || i > count + 1 || (lua_isnil(L, 3) && i < count))
		return luaL_error(
			L, "a list has no gaps: %d of %d can't be set", (int)i, (int)count);
	if (lua_isnil(L, 3)) {
		if (i == count)
			node_reweigh(list, list->seq.items[i - 1]->weight, 0);
		list->seq.count -= i == count;
		return 0;
	}
	const struct node *value = lua_value_take(L, 3);
	list = open_box(L)->open;
	lua_box_check_height(L, value);
	size_t before = arena_bytes(lua_box_arena(L));
	/* Pushed at the end, which counts its weight, and then moved. */
	lua_box_check(L, node_push(lua_box_arena(L), list, value), before);
	if (i <= count) {
		node_reweigh(list, list->seq.items[i - 1]->weight, 0);
		list->seq.items[i - 1] = value;
		list->seq.count--;
	}
	return 0;
}

static int box_equal(lua_State *L)
{
	const struct lua_box *a = lua_box_at(L, 1), *b = lua_box_at(L, 2);

	if (a && b) {
		lua_sandbox_work(
			L, (a->node->weight < b->node->weight ? a->node : b->node)->weight);
		lua_pushboolean(L, node_equal(a->node, b->node));
	} else {
		lua_pushboolean(L, false);
	}
	return 1;
}

static int box_to_string(lua_State *L)
{
	const struct node *node = lua_box_at(L, 1)->node;

	if (node_is_scalar(node))
		lua_pushlstring(L, node->text.data, node->text.len);
	else
		lua_pushstring(L, node_is_map(node) ? "a dict" : "a list");
	return 1;
}

/* Pushes a copy of the collection at index 1, which the script may change. */
static int push_copy(lua_State *L, const struct node *node, const char *type)
{
	size_t before = arena_bytes(lua_box_arena(L));
	struct node *copy = node_copy(lua_box_arena(L), node);

	lua_sandbox_work(L, node_count(node));
	lua_box_check(L, copy ? 0 : -ENOMEM, before);
	if (origin_bound_is_short(lua_box_origins(L), node))
		origin_move(lua_box_origins(L), node, copy);
	lua_box_push(L, copy, copy, type);
	return 1;
}

/* Makes a new collection from a table or from nothing, or copies the one at index 1. */
static int make(lua_State *L, const char *type, bool is_map)
{
	const struct lua_box *box = luaL_testudata(L, 1, type);
	size_t before = arena_bytes(lua_box_arena(L));
	struct node *node;

	if (box)
		return push_copy(L, box->node, type);
	if (lua_isnoneornil(L, 1)) {
		node = is_map ? node_new_map(lua_box_arena(L), NULL)
			      : node_new_sequence(lua_box_arena(L), NULL);
		lua_box_check(L, node ? 0 : -ENOMEM, before);
	} else {
		luaL_checktype(L, 1, LUA_TTABLE);
		node = is_map ? lua_box_dict_of(L, 1, LUA_TABLE_DEPTH_MAX)
			      : lua_box_list_of(L, 1, LUA_TABLE_DEPTH_MAX);
	}
	lua_box_push(L, node, node, type);
	return 1;
}

static int make_dict(lua_State *L)
{
	return make(L, LUA_BOX_DICT, true);
}

static int make_list(lua_State *L)
{
	return make(L, LUA_BOX_LIST, false);
}

static int name_kind(lua_State *L)
{
	static const char *const names[] = {
		"dict", "list", "str", "int", "float", "bool", "null", "other"};
	const struct lua_box *box = lua_box_at(L, 1);
	enum cloud_kind kind = box ? cloud_kind(box->node) : lua_box_scalar_kind(L, 1);

	if (kind == CLOUD_KINDS)
		kind = CLOUD_OTHER;
	lua_pushstring(L, names[kind]);
	return 1;
}

static void make_type(lua_State *L, const char *name, const luaL_Reg *methods)
{
	luaL_newmetatable(L, name);
	luaL_setfuncs(L, methods, 0);
	/* Hides the metatable from scripts. */
	lua_pushboolean(L, false);
	lua_setfield(L, -2, "__metatable");
	lua_pop(L, 1);
}

void lua_value_open(lua_State *L, struct lua_values *values)
{
	static const luaL_Reg dict[] = {{"__index", dict_index}, {"__newindex", dict_new_index},
		{"__len", box_len}, {"__pairs", box_pairs}, {"__eq", box_equal},
		{"__tostring", box_to_string}, {NULL, NULL}};
	static const luaL_Reg list[] = {{"__index", list_index}, {"__newindex", list_new_index},
		{"__len", box_len}, {"__pairs", box_pairs}, {"__eq", box_equal},
		{"__tostring", box_to_string}, {NULL, NULL}};
	static const luaL_Reg scalar[] = {
		{"__eq", box_equal}, {"__tostring", box_to_string}, {NULL, NULL}};
	static const luaL_Reg globals[] = {
		{"dict", make_dict}, {"list", make_list}, {"kind", name_kind}, {NULL, NULL}};

	lua_box_set_values(L, values);
	make_type(L, LUA_BOX_DICT, dict);
	make_type(L, LUA_BOX_LIST, list);
	make_type(L, LUA_BOX_SCALAR, scalar);
	lua_pushglobaltable(L);
	luaL_setfuncs(L, globals, 0);
	lua_pushlightuserdata(L, NULL);
	lua_setfield(L, -2, "null");
	lua_pop(L, 1);
}
