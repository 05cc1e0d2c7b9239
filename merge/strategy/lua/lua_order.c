#include "lua_sandbox.h"

#include <lauxlib.h>
#include <string.h>

/* Units of work per key: it is copied, sorted and looked up. */
#define KEY_UNITS 64

/*
 * Returns the rank of a key's type: numbers, then strings, then booleans, then all others in no
 * order.
 */
static int key_rank(lua_State *L, int key)
{
	static const int types[] = {LUA_TNUMBER, LUA_TSTRING, LUA_TBOOLEAN};
	int rank = 0;

	while (rank < 3 && lua_type(L, key) != types[rank])
		rank++;
	return rank;
}

static bool is_key_before(lua_State *L, int a, int b)
{
	int rank = key_rank(L, a);

	if (rank != key_rank(L, b))
		return rank < key_rank(L, b);
	if (rank == 0)
		return lua_compare(L, a, b, LUA_OPLT);
	if (rank == 2)
		return lua_toboolean(L, a) < lua_toboolean(L, b);
	if (rank > 2)
		return false;
	size_t len_a, len_b;
	const char *text_a = lua_tolstring(L, a, &len_a), *text_b = lua_tolstring(L, b, &len_b);
	int order = memcmp(text_a, text_b, len_a < len_b ? len_a : len_b);
	return order != 0 ? order < 0 : len_a < len_b;
}

static int key_before(lua_State *L)
{
	lua_pushboolean(L, is_key_before(L, 1, 2));
	return 1;
}

/* Stack indexes in lua_order_sort(). */
enum { SORT_LIST = 1, SORT_BEFORE, SORT_FROM, SORT_TO };

/* Returns whether the item on top comes before the one below it. Both stay on the stack. */
static bool is_before(lua_State *L)
{
	if (lua_isnil(L, SORT_BEFORE))
		return lua_compare(L, -1, -2, LUA_OPLT);
	lua_pushvalue(L, SORT_BEFORE);
	lua_pushvalue(L, -2);
	lua_pushvalue(L, -4);
	lua_call(L, 2, 1);
	bool answer = lua_toboolean(L, -1);
	lua_pop(L, 1);
	return answer;
}

/* Merges the runs [low, middle) and [middle, high) of one table into the other. */
static void merge_runs(
	lua_State *L, lua_Integer low, lua_Integer middle, lua_Integer high, int from, int to)
{
	lua_Integer left = low, right = middle;

	for (lua_Integer at = low; at < high; at++) {
		bool takes_right = left == middle;
		if (left < middle && right < high) {
			lua_rawgeti(L, from, left);
			lua_rawgeti(L, from, right);
			/*
			 * Takes the right item only if it must come first: equal items keep their
			 * order.
			 */
			takes_right = is_before(L);
			lua_pop(L, 2);
		}
		lua_rawgeti(L, from, takes_right ? right++ : left++);
		lua_rawseti(L, to, at);
	}
}

int lua_order_sort(lua_State *L)
{
	lua_Integer count = luaL_len(L, SORT_LIST);
	int from = SORT_FROM, to = SORT_TO;

	if (!lua_isnoneornil(L, SORT_BEFORE))
		luaL_checktype(L, SORT_BEFORE, LUA_TFUNCTION);
	lua_settop(L, SORT_BEFORE);
	lua_newtable(L);
	lua_newtable(L);
	for (lua_Integer i = 1; i <= count; i++) {
		lua_geti(L, SORT_LIST, i);
		lua_rawseti(L, from, i);
	}
	for (lua_Integer width = 1; width < count; width *= 2) {
		for (lua_Integer low = 1; low <= count; low += 2 * width) {
			lua_Integer end = count + 1, middle = low + width, high = low + 2 * width;
			merge_runs(L, low, middle < end ? middle : end, high < end ? high : end,
				from, to);
		}
		int other = from;
		from = to;
		to = other;
	}
	for (lua_Integer i = 1; i <= count; i++) {
		lua_rawgeti(L, from, i);
		lua_seti(L, SORT_LIST, i);
	}
	return 0;
}

/* Upvalues: the table, its keys in order, the index of the last key given. */
static int next_in_order(lua_State *L)
{
	for (;;) {
		lua_Integer i = lua_tointeger(L, lua_upvalueindex(3)) + 1;
		lua_pushinteger(L, i);
		lua_replace(L, lua_upvalueindex(3));
		lua_settop(L, 0);
		if (lua_rawgeti(L, lua_upvalueindex(2), i) == LUA_TNIL)
			return 1;
		lua_pushvalue(L, 1);
		if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL)
			return 2;
	}
}

int lua_order_pairs(lua_State *L)
{
	lua_Integer count = 0;

	luaL_checkany(L, 1);
	if (luaL_getmetafield(L, 1, "__pairs") != LUA_TNIL) {
		lua_pushvalue(L, 1);
		lua_call(L, 1, 3);
		return 3;
	}
	luaL_checktype(L, 1, LUA_TTABLE);
	lua_settop(L, 1);
	lua_pushvalue(L, 1);
	lua_newtable(L);
	lua_pushnil(L);
	while (lua_next(L, 1)) {
		lua_pop(L, 1);
		lua_pushvalue(L, -1);
		lua_rawseti(L, 3, ++count);
	}
	lua_sandbox_work(L, (uint64_t)count * KEY_UNITS);
	lua_pushcfunction(L, lua_order_sort);
	lua_pushvalue(L, 3);
	lua_pushcfunction(L, key_before);
	lua_call(L, 2, 0);
	lua_settop(L, 3);
	lua_pushinteger(L, 0);
	lua_pushcclosure(L, next_in_order, 3);
	return 1;
}
