/*
 * deep, implemented a second time: naive, quadratic, written from the rules and not from the code.
 *
 * The model copies everything. A removed value stays as a node with a tag of its own until the end,
 * because it takes its old place if it comes back. The patterns have no escapes.
 */
#pragma once

#include "document.h"

#define DEEP_MODEL_RULES_MAX 6

struct deep_model_rule {
	const char *pattern;
	const char *mode; /* "append" …; or "by" */
};

struct deep_model {
	struct arena *arena;
	struct deep_model_rule rules[DEEP_MODEL_RULES_MAX];
	size_t rule_count;
	const char *by
		[2]; /* what "by" matches items by: the first that an item has; by[1] may be NULL */
	enum {
		DEEP_MODEL_FIRST,
		DEEP_MODEL_ALL,    /* both keys of `by` together */
		DEEP_MODEL_NESTED, /* by[1] in the map at by[0] */
		DEEP_MODEL_BEFORE  /* texts, by what they have before a dot */
	} way;
	bool twice;  /* a layer may have a key more than once */
	bool failed; /* the layers can't be merged */
};

/** Returns the merged tree, or NULL: there is none, or the model has failed. */
const struct node *deep_model_merge(
	struct deep_model *model, struct document *const *layers, size_t count);

/** Whether the node's tag says how it is merged; that it removes; that it is for lists that grow.
 */
bool deep_model_is_directive(const struct node *node);
bool deep_model_is_delete(const struct node *node);
bool deep_model_is_list_tag(const struct node *node);
