/*
 * One merger: a built-in one with its options, or one written in Lua.
 */
#pragma once

#include "cloud.h"

enum list_method { LIST_APPEND, LIST_PREPEND, LIST_REPLACE, LIST_NO_REPLACE };

struct lua_merger;

struct cloud_merger {
	enum cloud_kind handles; /* of a built-in one */
	bool replace;            /* dict */
	bool allow_delete;       /* dict */
	bool append;             /* str */
	enum list_method method; /* list */
	bool recurse_dict;
	bool recurse_list;
	bool recurse_str;
	struct lua_merger *custom; /* NULL: built in */
};
