/*
 * cloud-init, implemented a second time: naive, copying, written from the rules and not from the
 * code.
 */
#pragma once

#include "node.h"

/* The options of one merger, as bits. */
enum {
	APPEND,
	PREPEND,
	REPLACE,
	NO_REPLACE,
	ALLOW_DELETE,
	RECURSE_DICT,
	RECURSE_LIST,
	RECURSE_STR
};

struct mergers {
	bool has_dict, has_list, has_str;
	unsigned dict, list, str;
};

struct part {
	const struct node *tree;
	bool has_mergers;
	struct mergers mergers;
	char *text; /* with merge_how in it */
};

static inline bool is_set(unsigned options, int option)
{
	return options >> option & 1;
}

/** Returns the merge of all parts by the rules; NULL for an error. */
const struct node *cloud_init_model_merge(
	struct arena *arena, const struct part *parts, size_t count, bool is_stack);
