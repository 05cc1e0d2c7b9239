/*
 * Makes mergers from their names and options.
 */
#include <errno.h>

#include "cloud.h"
#include "lua_merger.h"
#include "word.h"

/* In the order of enum cloud_kind. */
#define BUILTINS "dict, list, str"

/*
 * Every built-in merger accepts all of them: cloud-init's documentation calls most of them common.
 */
static const char options[] = "append, prepend, replace, no_replace, allow_delete, recurse_dict, "
			      "recurse_list, recurse_array, recurse_str";

static bool are_options(struct span text, bool is_text)
{
	while (text.len > 0) {
		size_t len = 0;
		while (len < text.len && !(is_text && strchr(" \t\n,+", text.data[len])))
			len++;
		if (len > 0 && word_index(options, (struct span){text.data, len}) < 0)
			return false;
		len += len < text.len;
		text.data += len;
		text.len -= len;
	}
	return true;
}

static int check_options(const struct how_entry *entry, struct problem *problem)
{
	for (size_t i = 0; i < entry->count; i++) {
		struct span option = entry->options[i];
		if ((option.len > 0 || entry->is_text) && are_options(option, entry->is_text))
			continue;
		return problem_set(problem, entry->place.source, entry->place.line,
			entry->place.column,
			"the merger '%.*s' has no option '%.*s'; there are: append, prepend, "
			"replace, "
			"no_replace, allow_delete, recurse_dict, recurse_list, recurse_array and "
			"recurse_str",
			(int)entry->name.len, entry->name.data, (int)option.len, option.data);
	}
	return 0;
}

static int unknown_merger(const struct how_entry *entry, struct span path, struct problem *problem)
{
	struct how_place place = entry->place;

	if (path.len == 0)
		return problem_set(problem, place.source, place.line, place.column,
			"could not find a merger named '%.*s': dict, list and str are built in, "
			"and "
			"the option 'mergers_path' is not set",
			(int)entry->name.len, entry->name.data);
	return problem_set(problem, place.source, place.line, place.column,
		"could not find a merger named '%.*s': there is no m_%.*s.lua under '%s'",
		(int)entry->name.len, entry->name.data, (int)entry->name.len, entry->name.data,
		path.data);
}

int cloud_dispatch_check(const struct how *how, bool knows_all, struct problem *problem)
{
	for (size_t i = 0; i < how->count; i++) {
		int r = 0;
		if (word_index(BUILTINS, how->entries[i].name) >= 0)
			r = check_options(&how->entries[i], problem);
		else if (knows_all)
			r = unknown_merger(&how->entries[i], (struct span){NULL, 0}, problem);
		if (r != 0)
			return r;
	}
	return 0;
}

/* A name becomes part of a file's name, so it must be a plain word. */
static bool is_word(struct span name)
{
	for (size_t i = 0; i < name.len; i++) {
		char c = name.data[i];
		if (!(c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
			    (c >= '0' && c <= '9')))
			return false;
	}
	return name.len > 0 && name.len < 200;
}

static int custom_new(struct cloud *cloud, const struct how_entry *entry,
	const struct cloud_dispatch *mergers, struct lua_merger **ret)
{
	const struct merge_request *request = cloud->merge->request;
	const struct merge_environment *environment = request->environment;
	struct span path = options_text(request->options, "mergers_path");
	const struct merge_input *found;
	size_t count = 0;

	if (path.len == 0 || !environment || !is_word(entry->name))
		return unknown_merger(entry, path, cloud->problem);

	char *name =
		arena_printf(cloud->arena, "m_%.*s.lua", (int)entry->name.len, entry->name.data);
	if (!name)
		return -ENOMEM;
	int r = environment->find(
		environment->context, path.data, name, &found, &count, cloud->problem);
	if (r == MERGE_ABSENT || (r == 0 && count == 0))
		return unknown_merger(entry, path, cloud->problem);
	if (r != 0)
		return r;
	/* The script of the highest layer counts, as for any file that is not merged. */
	return lua_merger_new(cloud, &found[count - 1], entry, mergers, ret);
}

static struct cloud_merger builtin_new(const struct how_entry *entry, enum cloud_kind kind)
{
	struct cloud_merger merger = {.handles = kind, .method = MERGER_REPLACE};

	if (how_has(entry, "recurse_list") || how_has(entry, "recurse_array"))
		merger.recurses |= 1u << CLOUD_LIST;
	if (how_has(entry, "recurse_str"))
		merger.recurses |= 1u << CLOUD_STR;
	/* Always true for a dict: cloud-init did this before it had options. */
	if (kind == CLOUD_DICT || how_has(entry, "recurse_dict"))
		merger.recurses |= 1u << CLOUD_DICT;
	merger.allow_delete = how_has(entry, "allow_delete");
	if (kind == CLOUD_DICT)
		merger.method = how_has(entry, "replace") ? MERGER_REPLACE : MERGER_NO_REPLACE;
	else if (how_has(entry, "append"))
		merger.method = MERGER_APPEND;
	else if (how_has(entry, "prepend"))
		merger.method = MERGER_PREPEND;
	else if (how_has(entry, "no_replace") && !how_has(entry, "replace"))
		merger.method = MERGER_NO_REPLACE;
	return merger;
}

static bool handles(const struct cloud_merger *merger, enum cloud_kind kind)
{
	return merger->custom ? lua_merger_handles(merger->custom, kind) : merger->handles == kind;
}

int cloud_dispatch_new(
	struct cloud *cloud, const struct how *how, const struct cloud_dispatch **ret)
{
	struct cloud_merger *list = arena_zalloc(cloud->arena, how->count, sizeof(*list));
	struct cloud_dispatch *mergers = arena_zalloc(cloud->arena, 1, sizeof(*mergers));

	if (!list || !mergers)
		return -ENOMEM;
	mergers->by = how->by;
	int r = cloud_dispatch_check(how, false, cloud->problem);
	if (r != 0)
		return r;
	for (size_t i = 0; i < how->count; i++) {
		int builtin = word_index(BUILTINS, how->entries[i].name);
		if (builtin >= 0)
			list[i] = builtin_new(&how->entries[i], (enum cloud_kind)builtin);
		else
			r = custom_new(cloud, &how->entries[i], mergers, &list[i].custom);
		if (r != 0)
			return r;
		for (int kind = 0; kind < CLOUD_KINDS; kind++)
			if (!mergers->of[kind] && handles(&list[i], (enum cloud_kind)kind))
				mergers->of[kind] = &list[i];
	}
	*ret = mergers;
	return 0;
}
