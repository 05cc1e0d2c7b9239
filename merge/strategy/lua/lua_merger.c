#include "lua_merger.h"

#include <errno.h>
#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>

#include "lua_sandbox.h"
#include "lua_value.h"

/* Nested calls of scripts. Each uses two of the 200 calls through C that Lua allows. */
#define CALLS_MAX 80

/* The name of the directing merger's metatable. */
#define MERGER "plyfs.merger"

/* The name of the metatable of an error that stands for a problem of a merge within a script. */
#define PROBLEM_TYPE "plyfs.problem"

/* All scripts of one merge. */
struct lua {
	struct lua_sandbox sandbox;
	lua_State *L;
	struct lua_values values;
	struct cloud *cloud;
	unsigned calls;            /* nested calls of scripts */
	const struct node *merged; /* the last result of merger:merge(); NULL: none yet */

	/* The failure of a merge that a script called, while Lua passes the error on. */
	struct problem inner;
	int inner_result;
};

struct lua_merger {
	struct lua *lua;
	int object; /* reference in the registry */
	const char *name;
	bool handles[CLOUD_KINDS];
	const char *rule; /* for origins: "merger NAME (m_NAME.lua)" */
	const struct cloud_dispatch *mergers;
};

static const char *const methods[CLOUD_KINDS] = {
	"on_dict", "on_list", "on_str", "on_int", "on_float", "on_bool", "on_null", NULL};

static struct lua *lua_of(lua_State *L)
{
	void *sandbox;

	/* The sandbox is the first member. */
	lua_getallocf(L, &sandbox);
	return sandbox;
}

/* merger:merge(value, with), for scripts. */
static int merge(lua_State *L)
{
	const struct cloud_dispatch *mergers = *(void **)luaL_checkudata(L, 1, MERGER);
	struct lua *lua = lua_of(L);
	struct cloud *cloud = lua->cloud;
	struct problem *outer = cloud->problem;
	const struct node *value = lua_value_take(L, 2), *with = lua_value_take(L, 3);
	size_t before = arena_bytes(cloud->arena);

	cloud->problem = &lua->inner;
	int r = cloud_merge(cloud, mergers, value, with, &value);
	cloud->problem = outer;
	if (r != 0) {
		lua->inner_result = r;
		lua_newuserdatauv(L, 0, 0);
		luaL_setmetatable(L, PROBLEM_TYPE);
		return lua_error(L);
	}
	cloud_freeze(value);
	lua->merged = value;
	lua_sandbox_memory(L, arena_bytes(cloud->arena) - before);
	lua_value_push(L, value);
	return 1;
}

static int problem_to_string(lua_State *L)
{
	lua_pushstring(L, lua_of(L)->inner.message);
	return 1;
}

static int open_values(lua_State *L)
{
	struct lua *lua = lua_of(L);

	lua_value_open(L, &lua->values);
	luaL_newmetatable(L, MERGER);
	lua_newtable(L);
	lua_pushcfunction(L, merge);
	lua_setfield(L, -2, "merge");
	lua_setfield(L, -2, "__index");
	lua_pushboolean(L, false);
	lua_setfield(L, -2, "__metatable");
	luaL_newmetatable(L, PROBLEM_TYPE);
	lua_pushcfunction(L, problem_to_string);
	lua_setfield(L, -2, "__tostring");
	return 0;
}

static int lua_new(struct cloud *cloud, struct lua **ret)
{
	struct lua *lua = calloc(1, sizeof(*lua));
	if (!lua)
		return -ENOMEM;
	lua->cloud = cloud;
	lua->values.cloud = cloud;
	lua->L = lua_sandbox_open(&lua->sandbox, arena_budget(cloud->arena));
	if (!lua->L) {
		free(lua);
		return -ENOMEM;
	}
	lua_pushcfunction(lua->L, open_values);
	if (lua_pcall(lua->L, 0, 0, 0) != LUA_OK) {
		lua_free(lua);
		return -ENOMEM;
	}
	*ret = lua;
	return 0;
}

void lua_free(struct lua *lua)
{
	if (!lua)
		return;
	lua_close(lua->L);
	free(lua);
}

/* Turns an error into a string, except a problem, which has more than a message. */
static int on_error(lua_State *L)
{
	if (luaL_testudata(L, 1, PROBLEM_TYPE) || lua_type(L, 1) == LUA_TSTRING)
		return 1;
	if (lua_type(L, 1) == LUA_TNUMBER || luaL_getmetafield(L, 1, "__tostring") != LUA_TNIL)
		luaL_tolstring(L, 1, NULL);
	else
		lua_pushfstring(L, "raised a %s, not a message", luaL_typename(L, 1));
	return 1;
}

/* Pushes the function and `argument`, and calls it. Leaves an error on the stack. */
static int call(struct lua *lua, lua_CFunction function, void *argument)
{
	lua_State *L = lua->L;

	if (!lua_checkstack(L, 4)) {
		/* One slot is free: a C function has LUA_MINSTACK of them. */
		lua_pushnil(L);
		return LUA_ERRMEM;
	}
	lua_pushcfunction(L, on_error);
	lua_pushcfunction(L, function);
	lua_pushlightuserdata(L, argument);
	int status = lua_pcall(L, 1, 0, -3);
	lua_remove(L, status == LUA_OK ? -1 : -2);
	if (!lua->sandbox.has_failed)
		return status;
	if (status == LUA_OK)
		lua_pushnil(L);
	return LUA_ERRMEM;
}

/* Splits "m_x.lua:3: reason": returns the line, and moves *message to the reason. */
static unsigned line_of(const char *name, const char **message)
{
	size_t len = strlen(name);
	char *end;

	if (strncmp(*message, name, len) != 0 || (*message)[len] != ':')
		return 0;
	unsigned long line = strtoul(*message + len + 1, &end, 10);
	if (end == *message + len + 1 || strncmp(end, ": ", 2) != 0) {
		*message += len + strspn(*message + len, ": ");
		return 0;
	}
	*message = end + 2;
	return (unsigned)line;
}

/* Reports the message, with the script's name in front if Lua has not put it there. */
static int report_text(
	struct problem *problem, const struct how_place *at, const char *name, const char *message)
{
	char copy[PROBLEM_MESSAGE_MAX];
	bool has_name = strncmp(message, name, strlen(name)) == 0;

	/* The message may be in the problem itself. */
	snprintf(copy, sizeof(copy), "%s", message);
	/* Lua's own words, which begin behind the name and the line. */
	bool is_lua = strstr(copy, ": attempt to ") || strstr(copy, ": bad argument ");

	return problem_set(problem, at->source, at->line, at->column, "%s%s%s%s",
		has_name ? "" : name, has_name ? "" : ": ", copy,
		is_lua ? "; correct the script" : "");
}

/*
 * Turns the error that call() left on the stack into the merge's problem. `at` is the place of the
 * new value.
 */
static int report(const struct lua_merger *merger, int status, const struct how_place *at)
{
	struct lua *lua = merger->lua;
	struct problem *problem = lua->cloud->problem;
	int r;

	/* Nothing here may allocate in Lua: no caller would catch the error. */
	const char *message = lua_type(lua->L, -1) == LUA_TSTRING ? lua_tostring(lua->L, -1) : NULL;
	if (status == LUA_ERRRUN && lua_type(lua->L, -1) == LUA_TUSERDATA) {
		r = lua->inner_result;
		if (lua->inner.source[0] != '\0')
			*problem = lua->inner;
		else if (r == PROBLEM)
			r = report_text(problem, at, merger->name, lua->inner.message);
	} else if (status == LUA_ERRMEM && !lua->sandbox.is_out_of_memory) {
		r = -ENOMEM;
	} else if (status == LUA_ERRMEM || lua->sandbox.is_out_of_memory) {
		r = problem_set(problem, at->source, at->line, at->column,
			"%s: needs more than %u MiB of memory", merger->name, LUA_MEMORY_MAX >> 20);
	} else {
		r = report_text(problem, at, merger->name, message ? message : "raised nothing");
	}
	lua_pop(lua->L, 1);
	return r;
}

/* Arguments of load(). */
struct loading {
	struct lua_merger *merger;
	const struct merge_input *script;
	const struct how_entry *entry;
	const struct cloud_dispatch *mergers;
	int parsed; /* luaL_loadbufferx()'s status; lua_error() itself always gives LUA_ERRRUN */
};

/* Reports a script that can't be loaded, at its own line. */
static int report_script(const struct loading *loading, int status)
{
	const struct lua_merger *merger = loading->merger;
	const char *message = lua_type(merger->lua->L, -1) == LUA_TSTRING
				      ? lua_tostring(merger->lua->L, -1)
				      : NULL;
	struct how_place at = {.source = merger->name};
	char copy[PROBLEM_MESSAGE_MAX];

	if (status == LUA_ERRMEM || !message)
		return report(merger, status, &at);
	at.line = line_of(merger->name, &message);
	snprintf(copy, sizeof(copy), "%s", message);
	lua_pop(merger->lua->L, 1);
	if (loading->parsed != LUA_ERRSYNTAX)
		return problem_set(merger->lua->cloud->problem, at.source, at.line, 0, "%s", copy);
	return problem_set(merger->lua->cloud->problem, at.source, at.line, 0,
		strstr(copy, "binary chunk") ? "is compiled Lua; give the script's text (%s)"
					     : "is no script in Lua; correct it here (%s)",
		copy);
}

/* Pushes the script's class. Each script has its own globals, and runs once. */
static void push_class(lua_State *L, struct loading *loading)
{
	struct span text = loading->script->text;

	/* The text identifies the script: its address does not change during the merge. */
	if (lua_rawgetp(L, LUA_REGISTRYINDEX, text.data) == LUA_TTABLE)
		return;
	lua_pop(L, 1);
	lua_pushfstring(L, "@%s", loading->merger->name);
	/* "t": compiled chunks can crash the interpreter. */
	loading->parsed = luaL_loadbufferx(L, text.data, text.len, lua_tostring(L, -1), "t");
	if (loading->parsed != LUA_OK)
		lua_error(L);
	lua_newtable(L);
	lua_newtable(L);
	lua_pushglobaltable(L);
	lua_setfield(L, -2, "__index");
	lua_setmetatable(L, -2);
	lua_setupvalue(L, -2, 1);
	lua_call(L, 0, 1);
	if (!lua_istable(L, -1))
		luaL_error(L, "%s: must return its class, a table, and not a %s",
			loading->merger->name, luaL_typename(L, -1));
	lua_pushvalue(L, -1);
	lua_rawsetp(L, LUA_REGISTRYINDEX, text.data);
}

/* Pushes a table of the form {"a", "b", a = true, b = true}. */
static void push_options(lua_State *L, const struct how_entry *entry)
{
	lua_newtable(L);
	for (size_t i = 0; i < entry->count; i++) {
		lua_pushlstring(L, entry->options[i].data, entry->options[i].len);
		lua_pushvalue(L, -1);
		lua_rawseti(L, -3, (lua_Integer)i + 1);
		lua_pushboolean(L, true);
		lua_rawset(L, -3);
	}
}

static void push_merger(lua_State *L, const struct cloud_dispatch *mergers)
{
	const void **place = lua_newuserdatauv(L, sizeof(*place), 0);

	*place = mergers;
	luaL_setmetatable(L, MERGER);
}

/* Pushes the object: class:new(merger, opts), or without `new` a table with only these two. */
static void push_object(lua_State *L, const struct loading *loading)
{
	if (lua_getfield(L, -1, "new") != LUA_TNIL) {
		lua_pushvalue(L, -2);
		push_merger(L, loading->mergers);
		push_options(L, loading->entry);
		lua_call(L, 3, 1);
		if (!lua_istable(L, -1))
			luaL_error(L, "%s: new() must return a table", loading->merger->name);
		return;
	}
	lua_newtable(L);
	push_merger(L, loading->mergers);
	lua_setfield(L, -2, "merger");
	push_options(L, loading->entry);
	lua_setfield(L, -2, "opts");
	lua_newtable(L);
	lua_pushvalue(L, -4);
	lua_setfield(L, -2, "__index");
	lua_setmetatable(L, -2);
}

static int load(lua_State *L)
{
	struct loading *loading = lua_touserdata(L, 1);
	struct lua_merger *merger = loading->merger;
	bool handles_any = false;

	push_class(L, loading);
	push_object(L, loading);
	for (int kind = 0; kind < CLOUD_KINDS; kind++) {
		if (!methods[kind])
			continue;
		merger->handles[kind] = lua_getfield(L, -1, methods[kind]) != LUA_TNIL;
		handles_any = handles_any || merger->handles[kind];
		lua_pop(L, 1);
	}
	if (!handles_any)
		luaL_error(
			L, "%s: the class has no method on_dict, on_list or on_str", merger->name);
	merger->object = luaL_ref(L, LUA_REGISTRYINDEX);
	return 0;
}

int lua_merger_new(struct cloud *cloud, const struct merge_input *script,
	const struct how_entry *entry, const struct cloud_dispatch *mergers,
	struct lua_merger **ret)
{
	struct lua_merger *merger = arena_zalloc(cloud->arena, 1, sizeof(*merger));
	struct loading loading = {merger, script, entry, mergers, LUA_OK};

	if (!merger)
		return -ENOMEM;
	if (!cloud->lua) {
		int r = lua_new(cloud, &cloud->lua);
		if (r != 0)
			return r;
	}
	merger->lua = cloud->lua;
	merger->mergers = mergers;
	merger->name = arena_copy(cloud->arena, span_of(script->source.name));
	merger->rule = arena_printf(cloud->arena, "merger %.*s (m_%.*s.lua)", (int)entry->name.len,
		entry->name.data, (int)entry->name.len, entry->name.data);
	if (!merger->name || !merger->rule)
		return -ENOMEM;
	int status = call(cloud->lua, load, &loading);
	if (status != LUA_OK)
		return report_script(&loading, status);
	*ret = merger;
	return 0;
}

bool lua_merger_handles(const struct lua_merger *merger, enum cloud_kind kind)
{
	return merger->handles[kind];
}

/* Arguments of merge_values(). */
struct merging {
	const struct lua_merger *merger;
	enum cloud_kind kind;
	const struct node *value;
	const struct node *with;
	const struct node *result;
};

static int merge_values(lua_State *L)
{
	struct merging *merging = lua_touserdata(L, 1);

	lua_rawgeti(L, LUA_REGISTRYINDEX, merging->merger->object);
	lua_getfield(L, -1, methods[merging->kind]);
	lua_insert(L, -2);
	lua_value_push(L, merging->value);
	lua_value_push(L, merging->with);
	lua_call(L, 3, 1);
	if (lua_isnil(L, -1))
		return luaL_error(L, "%s: %s must return a value; null is one",
			merging->merger->name, methods[merging->kind]);
	merging->result = lua_value_take(L, -1);
	return 0;
}

/* Returns whether the script returned `node` unchanged; a scalar comes back as a copy. */
static bool is_given(const struct node *result, const struct node *node)
{
	return result == node ||
	       (node_is_scalar(result) && node_is_scalar(node) && result->source == node->source &&
		       result->line == node->line && result->column == node->column &&
		       result->text.data == node->text.data);
}

/*
 * Records the origins of the result, and returns its node. Only the script knows how it made the
 * result: if the result is neither value, both count as contributors.
 */
static const struct node *note_result(
	const struct lua_merger *merger, const struct merging *merging)
{
	const struct cloud_dispatch *mergers = merger->mergers;
	const struct node *value = merging->value, *with = merging->with;
	const struct node *result = merging->result;
	struct cloud *cloud = merger->lua->cloud;

	if (is_given(result, value)) {
		cloud_note(cloud, mergers, value, with, ORIGIN_LOST, merger->rule);
		return value;
	}
	if (is_given(result, with)) {
		cloud_note_taken(cloud, mergers, value, with, merger->rule);
		return with;
	}
	/* The mergers that the script called have recorded their decisions. */
	if (merger->lua->merged && is_given(result, merger->lua->merged))
		return result;
	cloud_note(cloud, mergers, result, value, ORIGIN_PART, merger->rule);
	cloud_note(cloud, mergers, result, with, ORIGIN_PART, merger->rule);
	return result;
}

int lua_merger_call(struct lua_merger *merger, enum cloud_kind kind, const struct node *value,
	const struct node *with, const struct node **ret)
{
	struct merging merging = {merger, kind, value, with, NULL};
	struct how_place at = how_place_of(with);

	if (merger->lua->calls == CALLS_MAX)
		return problem_set(merger->lua->cloud->problem, at.source, at.line, at.column,
			"%s: mergers in Lua call each other more than %d deep", merger->name,
			CALLS_MAX);
	cloud_freeze(value);
	cloud_freeze(with);
	merger->lua->calls++;
	int status = call(merger->lua, merge_values, &merging);
	merger->lua->calls--;
	if (status != LUA_OK)
		return report(merger, status, &at);
	*ret = merger->lua->cloud->origins ? note_result(merger, &merging) : merging.result;
	return 0;
}
