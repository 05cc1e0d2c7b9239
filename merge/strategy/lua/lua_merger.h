/*
 * Mergers in Lua 5.4. A script m_NAME.lua returns a class with a method for each kind of old value
 * that it merges, such as on_dict (docs/merge-rules.md). A build without Lua refuses each script.
 */
#pragma once

#include "cloud.h"

struct lua_merger;

/**
 * Makes an object of the script's class, with the options of `entry`. If the script calls
 * merger:merge() for two values, such as entries of two maps, `mergers` merge them. `mergers` must
 * live as long as *ret. Returns 0 with *ret, which lives as long as cloud->lua; PROBLEM; or
 * -ENOMEM.
 */
int lua_merger_new(struct cloud *cloud, const struct merge_input *script,
	const struct how_entry *entry, const struct cloud_dispatch *mergers,
	struct lua_merger **ret);

/** Returns whether the class has a method for old values of `kind`. */
bool lua_merger_handles(const struct lua_merger *merger, enum cloud_kind kind);

/**
 * Calls the method for old values of `kind`, to merge `with`, the new value, into the old `value`.
 * Returns 0 with *ret, PROBLEM or -ENOMEM.
 */
int lua_merger_call(struct lua_merger *merger, enum cloud_kind kind, const struct node *value,
	const struct node *with, const struct node **ret);

/** Frees the Lua state of a merge, with all its mergers. NULL is allowed. */
void lua_free(struct lua *lua);
