#include "lua_merger.h"

int lua_merger_new(struct cloud *cloud, const struct merge_input *script,
	const struct how_entry *entry, const struct cloud_dispatch *mergers,
	struct lua_merger **ret)
{
	(void)script;
	(void)mergers;
	(void)ret;
	return problem_set(cloud->problem, entry->place.source, entry->place.line,
		entry->place.column,
		"the merger '%.*s' is written in Lua, and this plyfs was built without it; build "
		"it "
		"with -Dlua=enabled",
		(int)entry->name.len, entry->name.data);
}

bool lua_merger_handles(const struct lua_merger *merger, enum cloud_kind kind)
{
	(void)merger;
	(void)kind;
	return false;
}

int lua_merger_call(struct lua_merger *merger, enum cloud_kind kind, const struct node *value,
	const struct node *with, const struct node **ret)
{
	(void)merger;
	(void)kind;
	(void)with;
	*ret = value;
	return 0;
}

void lua_free(struct lua *lua)
{
	(void)lua;
}
