#include "lua_sandbox.h"

#include <ctype.h>
#include <lauxlib.h>
#include <lualib.h>
#include <stdbool.h>
#include <stdlib.h>

/*
 * The cost of a search with a Lua pattern. No hook interrupts a search, so the cost is computed
 * before the search begins.
 */

/* Greatest number of steps of one search: about one second of processor time. */
#define LUA_PATTERN_STEPS_MAX 1e8

/* A pattern up to this length takes little more time to compare than one step. */
#define SHORT_PATTERN 32

/* A character or class of a pattern: "a", "%a", "[^a-z%d]" or ".". */
struct pattern_item {
	const char *at;
	const char *end;
};

/*
 * Returns whether class "a" has the character: "a" is letters, "A" all others. An unknown class is
 * the character itself.
 */
static bool class_has(char class, int c)
{
	static const struct {
		char name;
		int (*has)(int c);
	} classes[] = {{'a', isalpha}, {'c', iscntrl}, {'d', isdigit}, {'g', isgraph},
		{'l', islower}, {'p', ispunct}, {'s', isspace}, {'u', isupper}, {'w', isalnum},
		{'x', isxdigit}};

	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
		if (classes[i].name == tolower((unsigned char)class))
			return (classes[i].has(c) != 0) != (isupper((unsigned char)class) != 0);
	return (unsigned char)class == c;
}

/*
 * Returns whether the set "[...]", without a "^", has the character. Lua itself refuses a set
 * without an end.
 */
static bool set_has(const char *at, const char *end, int c)
{
	while (at < end) {
		if (*at == '%' && at + 1 < end) {
			if (class_has(at[1], c))
				return true;
			at += 2;
		} else if (at + 2 < end && at[1] == '-') {
			if ((unsigned char)at[0] <= c && c <= (unsigned char)at[2])
				return true;
			at += 3;
		} else if ((unsigned char)*at++ == c) {
			return true;
		}
	}
	return false;
}

static bool item_has(const struct pattern_item *item, int c)
{
	switch (*item->at) {
	case '.':
		return true;
	case '%':
		return item->end - item->at < 2 || class_has(item->at[1], c);
	case '[':
		if (item->end - item->at > 2 && item->at[1] == '^')
			return !set_has(item->at + 2, item->end - 1, c);
		return set_has(item->at + 1, item->end - 1, c);
	default:
		return (unsigned char)*item->at == c;
	}
}

static struct pattern_item read_item(const char *at, const char *end)
{
	const char *next = at + 1;

	if (*at == '%' && next < end)
		next += *next == 'b' && end - next > 2 ? 3 : 1;
	if (*at == '[') {
		if (next < end && *next == '^')
			next++;
		/* A "]" in the first place is an ordinary character. */
		do
			next += next < end && *next == '%' ? 2 : 1;
		while (next < end && *next != ']');
		next = next < end ? next + 1 : end;
	}
	return (struct pattern_item){at, next};
}

/* Returns the longest run of characters that a repetition of the item can match. */
static double longest_run(const struct pattern_item *item, struct span text)
{
	bool has[256];
	size_t longest = 0, run = 0;

	for (int c = 0; c < 256; c++)
		has[c] = item_has(item, c);
	for (size_t i = 0; i < text.len; i++) {
		run = has[(unsigned char)text.data[i]] ? run + 1 : 0;
		if (run > longest)
			longest = run;
	}
	return (double)longest;
}

/* Returns the factor by which an item multiplies the steps of the items before it. */
static double item_factor(
	const struct pattern_item *item, const char *end, struct span text, unsigned *repeats)
{
	double text_len = (double)text.len;
	char second = item->end - item->at > 1 ? item->at[1] : '\0';

	/*
	 * "%bxy" counts from each position on; "%1" compares as many characters as a repetition
	 * matched.
	 */
	if (*item->at == '%' && second == 'b')
		return text_len + 1;
	if (*item->at == '%' && isdigit((unsigned char)second))
		return 1 + text_len / SHORT_PATTERN;
	if (item->end >= end)
		return 1;
	if (*item->end == '?')
		return 2;
	if (*item->end != '*' && *item->end != '+' && *item->end != '-')
		return 1;
	/*
	 * For each choice of the repetitions before it, a repetition can try every possible length.
	 * Repetitions that could match the whole text share it.
	 */
	double run = longest_run(item, text);
	return run < text_len ? run + 1 : (text_len + 1) / ++*repeats;
}

/*
 * Returns an upper bound of the steps of a search for `pattern` in `text`. A step compares one
 * character with one item of the pattern. Stops counting above LUA_PATTERN_STEPS_MAX.
 */
static double lua_pattern_steps(struct span pattern, struct span text)
{
	const char *end = span_end(pattern);
	bool is_anchored = pattern.len > 0 && *pattern.data == '^';
	double steps = is_anchored ? 1 : (double)text.len + 1;
	unsigned repeats = 0;

	/* At each position literal text is compared again, and sets are searched. */
	if (pattern.len > SHORT_PATTERN)
		steps *= (double)pattern.len;
	for (const char *at = pattern.data; at < end && steps <= LUA_PATTERN_STEPS_MAX;) {
		const struct pattern_item item = read_item(at, end);
		steps *= item_factor(&item, end, text, &repeats);
		at = item.end;
	}
	return steps;
}

/* Instructions between two checks of the count. */
#define HOOK_COUNT 1000

/* Bytes that an instruction compares, or a function copies, in the time of one unit. */
#define BYTES_PER_UNIT 32

/* Strings up to this size take little more than one instruction's time to compare. */
#define SHORT_STRING (2u << 10)

/* Units to write one byte of a number, at most: "%99.99f" of 1e308. */
#define UNITS_PER_DIGIT 8

/* Units between two checks of the budget. */
#define TIMED_UNITS 50000

/* Basic cost of any call. */
#define CALL_UNITS 10

static struct lua_sandbox *sandbox_of(lua_State *L)
{
	void *sandbox;

	lua_getallocf(L, &sandbox);
	return sandbox;
}

static void *allocate(void *context, void *old, size_t old_size, size_t size)
{
	struct lua_sandbox *sandbox = context;
	size_t had = old ? old_size : 0;

	if (size == 0) {
		sandbox->used -= had;
		free(old);
		return NULL;
	}
	if (size > had && size - had > LUA_MEMORY_MAX - sandbox->used) {
		sandbox->is_out_of_memory = true;
		return NULL;
	}
	void *new = realloc(old, size);
	if (!new) {
		sandbox->has_failed = true;
		return NULL;
	}
	sandbox->used = sandbox->used - had + size;
	sandbox->traffic += size;
	/* For a new object Lua passes its type instead of the old size. */
	if (!old && old_size == LUA_TSTRING && size > sandbox->longest)
		sandbox->longest = size;
	return new;
}

static void on_event(lua_State *L, lua_Debug *where);

static void stop(lua_State *L, lua_Debug *where)
{
	const struct lua_sandbox *sandbox = sandbox_of(L);
	lua_Debug caller;

	/* If a script catches the error, its next instruction stops it again. */
	lua_sethook(L, on_event, LUA_MASKCOUNT | LUA_MASKCALL, 1);
	if (sandbox->work <= LUA_WORK_MAX && sandbox->traffic > LUA_TRAFFIC_MAX) {
		lua_pushfstring(L, "stopped after allocating %d MiB; does it loop for ever?",
			(int)(LUA_TRAFFIC_MAX >> 20));
		lua_error(L);
	}
	if (sandbox->work > LUA_WORK_MAX)
		lua_pushfstring(L, "stopped after %d million instructions; does it loop for ever?",
			(int)(LUA_WORK_MAX / 1000000));
	else
		lua_pushfstring(L, "stopped after %I ms; does it loop for ever?",
			(lua_Integer)sandbox->budget->time_ms);
	if (!where && lua_getstack(L, 1, &caller))
		where = &caller;
	if (where && lua_getinfo(L, "Sl", where) && where->currentline > 0) {
		lua_pushfstring(L, "%s:%d: ", where->short_src, where->currentline);
		lua_insert(L, -2);
		lua_concat(L, 2);
	}
	lua_error(L);
}

static void count_work(lua_State *L, uint64_t units, lua_Debug *where)
{
	struct lua_sandbox *sandbox = sandbox_of(L);

	sandbox->work += units < LUA_WORK_MAX ? units : LUA_WORK_MAX;
	if (sandbox->work > LUA_WORK_MAX || sandbox->traffic > LUA_TRAFFIC_MAX)
		stop(L, where);
	if (sandbox->work - sandbox->timed < TIMED_UNITS)
		return;
	if (budget_is_spent(sandbox->budget))
		stop(L, where);
	sandbox->timed = sandbox->work;
}

static void on_event(lua_State *L, lua_Debug *where)
{
	struct lua_sandbox *sandbox = sandbox_of(L);

	sandbox->work += CALL_UNITS;
	if (where->event == LUA_HOOKCOUNT)
		count_work(L, HOOK_COUNT * (1 + sandbox->longest / SHORT_STRING), where);
	else if (lua_getlocal(L, where, -LUA_ARGUMENTS_MAX))
		luaL_error(L, "a call has more than %d arguments", LUA_ARGUMENTS_MAX);
}

void lua_sandbox_work(lua_State *L, uint64_t units)
{
	count_work(L, units, NULL);
}

void lua_sandbox_memory(lua_State *L, size_t bytes)
{
	struct lua_sandbox *sandbox = sandbox_of(L);

	if (bytes <= LUA_MEMORY_MAX - sandbox->used) {
		sandbox->used += bytes;
		return;
	}
	sandbox->is_out_of_memory = true;
	luaL_error(L, "not enough memory");
}

void lua_sandbox_fail(lua_State *L)
{
	sandbox_of(L)->has_failed = true;
	luaL_error(L, "not enough memory");
}

/* Computes the work of a search: text and pattern are the first two arguments. */
static double pattern_work(lua_State *L)
{
	struct span text, pattern;

	text.data = lua_tolstring(L, 1, &text.len);
	pattern.data = lua_tolstring(L, 2, &pattern.len);
	double steps = lua_pattern_steps(pattern, text);
	if (steps > LUA_PATTERN_STEPS_MAX)
		return LUA_WORK_MAX;
	return (steps + (double)text.len + (double)pattern.len) / BYTES_PER_UNIT;
}

/* The size that a function's work depends on. */
enum cost {
	COST_TEXT,
	COST_BYTES,
	COST_PATTERN,
	COST_REPLACE,
	COST_REPEAT,
	COST_TABLE,
	COST_SORT,
	COST_RANGE,  /* from the second argument to the third */
	COST_RESULT, /* the resulting text, whose length is known only afterwards */
};

static double text_bytes(lua_State *L)
{
	double bytes = 0;

	for (int i = 1; i <= lua_gettop(L); i++) {
		size_t len = 0;
		if (lua_type(L, i) == LUA_TSTRING)
			lua_tolstring(L, i, &len);
		bytes += (double)len;
	}
	return bytes;
}

static double table_entries(lua_State *L)
{
	int type = lua_type(L, 1);

	if (type != LUA_TTABLE && type != LUA_TUSERDATA)
		return 0;
	return (double)luaL_len(L, 1);
}

static double cost_of(lua_State *L, enum cost cost)
{
	double entries;

	switch (cost) {
	case COST_RESULT:
	case COST_TEXT:
		return text_bytes(L) / BYTES_PER_UNIT;
	case COST_BYTES:
		return text_bytes(L);
	case COST_REPLACE:
		return cost_of(L, COST_PATTERN) + text_bytes(L);
	case COST_PATTERN:
		if (lua_type(L, 1) == LUA_TSTRING && lua_type(L, 2) == LUA_TSTRING)
			return pattern_work(L);
		return text_bytes(L);
	case COST_REPEAT:
		/* To repeat an empty string takes time as well. */
		return lua_tonumber(L, 2) * (1 + text_bytes(L) / BYTES_PER_UNIT);
	case COST_TABLE:
		return table_entries(L);
	case COST_SORT:
		entries = table_entries(L);
		/* 32 is more than the logarithm of the number of items that fit into the memory. */
		/* NOLINTNEXTLINE(bugprone-integer-division): whole KiB are counted */
		return entries * 32 * (1 + (double)(sandbox_of(L)->longest / 1024));
	case COST_RANGE:
		entries = (lua_isnoneornil(L, 3) ? table_entries(L) : lua_tonumber(L, 3)) -
			  lua_tonumber(L, 2) + 1;
		/* Each entry is looked up, and pushed twice. */
		return entries * 4;
	}
	return 0;
}

/* Upvalues: the function, and its cost. */
static int charged(lua_State *L)
{
	enum cost cost = (enum cost)lua_tointeger(L, lua_upvalueindex(2));
	lua_CFunction function = lua_tocfunction(L, lua_upvalueindex(1));
	double units = cost_of(L, cost);
	size_t len = 0;

	if (units > 0)
		lua_sandbox_work(L, units > LUA_WORK_MAX ? LUA_WORK_MAX : (uint64_t)units);
	int count = function(L);
	if (cost == COST_RESULT && lua_type(L, -1) == LUA_TSTRING)
		lua_tolstring(L, -1, &len);
	lua_sandbox_work(L, len * UNITS_PER_DIGIT);
	return count;
}

/* Refuses finalizers: they run with hooks off, so an endless one could not be stopped. */
static int set_metatable(lua_State *L)
{
	lua_CFunction function = lua_tocfunction(L, lua_upvalueindex(1));

	if (lua_type(L, 2) == LUA_TTABLE) {
		lua_pushliteral(L, "__gc");
		lua_rawget(L, 2);
		if (!lua_isnil(L, -1))
			return luaL_error(L, "__gc is not allowed here");
		lua_pop(L, 1);
	}
	return function(L);
}

static const struct {
	const char *library; /* NULL: base */
	const char *name;
	enum cost cost;
} charges[] = {
	{"string", "byte", COST_BYTES},
	{"string", "find", COST_PATTERN},
	{"string", "format", COST_RESULT},
	{"string", "gmatch", COST_PATTERN},
	{"string", "gsub", COST_REPLACE},
	{"string", "len", COST_TEXT},
	{"string", "lower", COST_TEXT},
	{"string", "match", COST_PATTERN},
	{"string", "rep", COST_REPEAT},
	{"string", "reverse", COST_TEXT},
	{"string", "sub", COST_TEXT},
	{"string", "upper", COST_TEXT},
	{"table", "concat", COST_TABLE},
	{"table", "insert", COST_TABLE},
	{"table", "move", COST_RANGE},
	{"table", "remove", COST_TABLE},
	{"table", "sort", COST_SORT},
	{"table", "unpack", COST_RANGE},
	{"utf8", "codepoint", COST_BYTES},
	{"utf8", "len", COST_BYTES},
	{"utf8", "offset", COST_BYTES},
	{NULL, "tonumber", COST_TEXT},
};

/*
 * Removed: functions that read files, print, load code, differ from run to run, or are useless
 * without those.
 */
static const struct {
	const char *library;
	const char *name;
} removed[] = {
	{NULL, "collectgarbage"},
	{NULL, "dofile"},
	{NULL, "load"},
	{NULL, "loadfile"},
	{NULL, "next"},
	{NULL, "print"},
	{NULL, "warn"},
	{NULL, "xpcall"}, /* its handler would run with hooks off */
	{"math", "random"},
	{"math", "randomseed"},
	{"string", "dump"},
	{"string", "pack"},
	{"string", "packsize"},
	{"string", "unpack"},
};

static void push_library(lua_State *L, const char *name)
{
	lua_pushglobaltable(L);
	if (name) {
		lua_getfield(L, -1, name);
		lua_remove(L, -2);
	}
}

static void wrap(lua_State *L)
{
	push_library(L, "table");
	lua_pushcfunction(L, lua_order_sort);
	lua_setfield(L, -2, "sort");
	lua_pop(L, 1);
	for (size_t i = 0; i < sizeof(charges) / sizeof(charges[0]); i++) {
		push_library(L, charges[i].library);
		lua_getfield(L, -1, charges[i].name);
		lua_pushinteger(L, charges[i].cost);
		lua_pushcclosure(L, charged, 2);
		lua_setfield(L, -2, charges[i].name);
		lua_pop(L, 1);
	}
	for (size_t i = 0; i < sizeof(removed) / sizeof(removed[0]); i++) {
		push_library(L, removed[i].library);
		lua_pushnil(L);
		lua_setfield(L, -2, removed[i].name);
		lua_pop(L, 1);
	}
	lua_getglobal(L, "setmetatable");
	lua_pushcclosure(L, set_metatable, 1);
	lua_setglobal(L, "setmetatable");
	lua_pushcfunction(L, lua_order_pairs);
	lua_setglobal(L, "pairs");
}

static int open_libraries(lua_State *L)
{
	static const luaL_Reg libraries[] = {
		{LUA_GNAME, luaopen_base},
		{LUA_STRLIBNAME, luaopen_string},
		{LUA_TABLIBNAME, luaopen_table},
		{LUA_MATHLIBNAME, luaopen_math},
		{LUA_UTF8LIBNAME, luaopen_utf8},
	};

	for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++) {
		luaL_requiref(L, libraries[i].name, libraries[i].func, 1);
		lua_pop(L, 1);
	}
	wrap(L);
	return 0;
}

lua_State *lua_sandbox_open(struct lua_sandbox *sandbox, struct budget *budget)
{
	*sandbox = (struct lua_sandbox){.budget = budget};

	lua_State *L = lua_newstate(allocate, sandbox);
	if (!L)
		return NULL;
	lua_pushcfunction(L, open_libraries);
	if (lua_pcall(L, 0, 0, 0) != LUA_OK) {
		lua_close(L);
		return NULL;
	}
	lua_sethook(L, on_event, LUA_MASKCOUNT | LUA_MASKCALL, HOOK_COUNT);
	return L;
}
