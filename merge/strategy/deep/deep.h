/*
 * deep: maps merge key by key, and lists by rules. Any other value replaces the value below, which
 * is the value that the lower layers give at the same place.
 *
 * The strategy builds one tree, layer by layer: combine(the tree so far, the next layer). A value
 * that only one layer has is referred to, never copied. Where two maps or lists merge, a node is
 * made and marked OWNED, and later layers change that node in place. The nodes of this tree are
 *
 *      source node, mark 0      immutable and perhaps shared; holds no directive
 *      OWNED map                in the result's arena; until deep_seal(), a removed pair stays, and
 *                               its deep_value() is NULL: removing is cheap, and a key that comes
 *                               again gets its old place
 *      OWNED list               until deep_seal(), a struct list (list.h) in the scratch arena
 *
 * A directive is a tag that says how its value combines with the value below. A directive acts
 * once, when its layer is merged in. If there is no value below, !replace, !append, !prepend and
 * !unique leave their value unchanged, and !delete leaves nothing.
 */
#pragma once

#include "list.h"
#include "list_rule.h"
#include "strategy.h"

#define OWNED 1

struct deep {
	struct merge *merge;
	struct arena *scratch; /* freed when the merge is done */
	const struct list_rules *rules;
	bool minds_kinds;    /* a value of another kind than the value below is reported */
	bool has_pairs;      /* list_rules_have_pairs() */
	bool has_directives; /* the source that is being merged in may have directives */
	unsigned depth;      /* of the value that is being merged in */
	uint32_t pass;       /* number of lists merged in by key so far: see struct list_entry */
	uint64_t made;       /* pairs and items copied or added so far */
	uint64_t allowed;    /* maximum of `made` */
	uint32_t compared;   /* calls of deep_compares() so far */
	struct origins *origins; /* of the merge */
};

/**
 * Returns the arena for keys of items and documents. If origins are on, they refer to these keys,
 * so the keys must outlive `scratch`.
 */
static inline struct arena *deep_key_arena(const struct deep *deep)
{
	return deep->origins ? deep->merge->arena : deep->scratch;
}

/*
 * The functions that return int return 0; PROBLEM, with the merge's problem filled; or -errno. A
 * value at *ret is OWNED or immutable. The comments of functions call an OWNED node "ours".
 */

/** Merges `value` into the value `below`, which may be NULL. *ret is NULL if no value is left. */
int deep_combine(struct deep *deep, const struct node *below, const struct node *value,
	const struct list_place *place, const struct node **ret);

/** As deep_combine() without `below`. Carries out the directives of `value` and of values in it. */
int deep_take(struct deep *deep, const struct node *value, const struct list_place *place,
	const struct node **ret);

/** As deep_take(), for a list. In deep_list.c. */
int deep_take_list(struct deep *deep, const struct node *value, const struct list_place *place,
	const struct node **ret);

/** Merges the list `value` into `below` by `rule`. Not for LIST_REPLACE. In deep_list.c. */
int deep_merge_lists(struct deep *deep, const struct node *below, const struct node *value,
	const struct list_place *place, const struct list_rule *rule, const struct node **ret);

/**
 * Returns whether `value` is one more assignment of the key at `place`, after those of `below`:
 * both are texts or lists, and the place's rule adds later assignments to earlier ones.
 */
bool deep_is_repeat(const struct deep *deep, const struct node *below, const struct node *value,
	const struct list_place *place);

/** Merges the assignment `value` into `below`; deep_is_repeat() must be true. In deep_list.c. */
int deep_repeat(struct deep *deep, const struct node *below, const struct node *value,
	const struct list_place *place, const struct node **ret);

/** Records for origins that `value` was merged into `list` by the rule. */
void deep_note_part(struct deep *deep, const struct node *list, const struct node *value,
	const struct list_rule *rule);

/**
 * Prepares the merge at a place where lists stand for maps (list_rule.before). If one of *below
 * and *value is a map, and the other is a list, replaces the list by the map that it stands for:
 * "A=1" becomes A: "1", and "A" becomes A: null. If the other map has a key with the text of the
 * item's key, such as the integer 1 for "1=a", the item gets that key; otherwise a string. If both
 * are maps, and a key of *below has the text of a key of *value, it replaces the key of *value,
 * unless *value has it already. In deep_pairs.c.
 */
int deep_make_pairs(struct deep *deep, const struct list_place *place, const struct node **below,
	const struct node **value);

/* note_uses() and report_idle() of struct strategy, in deep_use.c. */
int deep_note_uses(const struct merge_request *request, size_t input,
	const struct document *document, struct option_uses *uses);
int deep_report_idle(const struct options *options, const struct option_uses *uses,
	int (*report)(void *context, const struct problem *problem), void *context);

/**
 * Returns the format of the result if its keys may be repeated; else the format of the lowest input
 * if its keys may be repeated; else NULL.
 */
const struct format *deep_repeating(const struct merge_request *request);

/* A directive acts at the place of its value, and is not part of the value. In directive.c. */
enum directive {
	DIRECTIVE_NONE,
	DIRECTIVE_REPLACE,
	DIRECTIVE_DELETE,
	DIRECTIVE_APPEND,
	DIRECTIVE_PREPEND,
	DIRECTIVE_UNIQUE,
};

/** Returns the directive that the node's tag stands for. */
enum directive directive_of(const struct node *node);

/** As says() of struct strategy. */
enum strategy_says directive_says(const struct node *value);

/** Returns false if the source certainly has no directives. Reads only the text. */
bool directive_may_be_in(const struct merge_input *input);

/** Returns whether a node of the document has a directive. Exact, and cheap if there is no tag. */
bool directive_is_in(const struct document *document);

/* The tree under construction, in deep_tree.c. */

/**
 * Counts `entries` pairs or items that are made because of `at`. Returns 0; or PROBLEM, with the
 * place of `at`, if too many were made.
 */
int deep_spend(struct deep *deep, const struct node *at, uint64_t entries);

/**
 * Counts a comparison of a value. Returns 0, or -ENOMEM if the budget (budget.h) is spent. Only
 * some calls check the budget.
 */
int deep_compares(struct deep *deep);

/** Goes into a source's map or list. Returns 0, or PROBLEM if that is nested too deep. */
int deep_enter(struct deep *deep, const struct node *collection);

/** Leaves the map or list that deep_enter() went into. */
void deep_leave(struct deep *deep);

/** Gives the map itself if it is ours, otherwise a copy that is ours. */
int deep_own_map(struct deep *deep, const struct node *map, struct node **ret);

/** As deep_own_map(), for a list. */
int deep_own_list(struct deep *deep, const struct node *list, struct list **ret);

/** Sets the value of pair `number` in a map of ours. NULL removes the pair. */
void deep_set(struct node *map, size_t number, const struct node *value);

/** Returns the value of a pair, or NULL if it was removed. */
const struct node *deep_value(const struct pair *pair);

/** Gives a map of ours without the removed pairs. The numbers of the other pairs change. */
int deep_drop_removed(struct deep *deep, struct node *map, struct node **ret);

/** If the style of `value` takes more lines than that of `result`, `result` gets it. */
void deep_widen(struct node *result, const struct node *value);

/** Turns a tree under construction into an ordinary tree, which is immutable. */
int deep_seal(struct deep *deep, const struct node *node, const struct node **ret);

/**
 * Call it for a node that leaves the tree. If origins are on, *ret is the sealed node, to which
 * they can refer; otherwise *ret is `node`. If `node` is NULL, so is *ret.
 */
int deep_let_go(struct deep *deep, const struct node *node, const struct node **ret);

/**
 * As deep_seal(), but changes nothing in `node`, which stays under construction. New nodes of *ret
 * are in `scratch`.
 */
int deep_picture(struct deep *deep, const struct node *node, const struct node **ret);
