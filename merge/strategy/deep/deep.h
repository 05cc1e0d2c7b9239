/*
 * The strategy `deep`: maps merge key by key, and lists by rules. Any other value replaces the
 * value below, which is the value that the lower layers give at the same place.
 *
 * The strategy builds one tree, layer by layer. Where two maps or lists merge, it makes a node with
 * the mark OWNED, and changes that node in place for later layers. At all other places, the tree
 * has the sources' own nodes. The nodes of the tree are
 *
 *      source node, mark 0      immutable and perhaps shared; has no directive
 *      OWNED map                in the result's arena; until deep_seal(), a removed pair keeps its
 *                               place, and its deep_value() is NULL
 *      OWNED list               until deep_seal(), a struct list (list.h) in the scratch arena
 *
 * A directive is a tag that says how its value combines with the value below. It acts once, when
 * its layer is merged in. If there is no value below, !delete leaves nothing, and any other
 * directive leaves its value unchanged.
 */
#pragma once

#include "list.h"
#include "list_rule.h"
#include "strategy.h"

#define OWNED 1

/* The treatment of a value whose kind differs from that of the value below. */
enum deep_kinds {
	DEEP_KINDS_ANY,  /* it replaces that value */
	DEEP_KINDS_WARN, /* as ANY, with a warning */
	DEEP_KINDS_STRICT,
};

struct deep {
	struct merge *merge;
	struct arena *scratch; /* freed when the merge is done */
	const struct list_rules *rules;
	enum deep_kinds kinds;
	bool has_directives;     /* the source that is being merged in may have directives */
	unsigned depth;          /* of the value that is being merged in */
	uint32_t pass;           /* number of lists merged by key so far (struct list_entry) */
	uint64_t made;           /* pairs and items copied or added so far */
	uint64_t allowed;        /* maximum of `made` */
	uint32_t compared;       /* calls of deep_compares() so far */
	struct origins *origins; /* of the merge */
};

/** Returns the arena for keys of items and documents, to which origins may refer. */
static inline struct arena *deep_key_arena(const struct deep *deep)
{
	return deep->origins ? deep->merge->arena : deep->scratch;
}

/*
 * The functions that return int return 0; PROBLEM, with the merge's problem filled; or -errno. A
 * value at *ret is OWNED or immutable.
 */

/** Merges `value` into the value `below`, which may be NULL. *ret is NULL if no value is left. */
int deep_combine(struct deep *deep, const struct node *below, const struct node *value,
	const struct list_place *place, const struct node **ret);

/** Does deep_combine() without `below`, for a list. In deep_list.c. */
int deep_take_list(struct deep *deep, const struct node *value, const struct list_place *place,
	const struct node **ret);

/** Merges the list `value` into `below` by `rule`. Not for LIST_REPLACE. In deep_list.c. */
int deep_merge_lists(struct deep *deep, const struct node *below, const struct node *value,
	const struct list_place *place, const struct list_rule *rule, const struct node **ret);

/**
 * Returns whether `value` is one more assignment of the key at `place`, after those of `below`:
 * both are lists or scalars, neither null nor tagged, and the place's rule adds assignments.
 */
bool deep_is_repeat(const struct deep *deep, const struct node *below, const struct node *value,
	const struct list_place *place);

/** Adds the assignment `value` to `below`; deep_is_repeat() must be true. In deep_list.c. */
int deep_repeat(struct deep *deep, const struct node *below, const struct node *value,
	const struct list_place *place, const struct node **ret);

/** Records for origins that `value` was merged into `list` by the rule. */
void deep_note_part(struct deep *deep, const struct node *list, const struct node *value,
	const struct list_rule *rule);

/**
 * Prepares the merge at a place where lists stand for maps (list_rule.before): "A=1" for A: "1",
 * "A" for A: null. If one of *below and *value is a list, and the other a map, replaces the list by
 * the map that it stands for. If a key of that map has the same text as a key of the other map,
 * such as "1" and the integer 1, the other map's key takes its place. If both were maps at first,
 * keys of *below take the place of keys of *value in the same way. In deep_pairs.c.
 */
int deep_make_pairs(struct deep *deep, const struct list_place *place, const struct node **below,
	const struct node **value);

/* note_uses() and report_idle() of struct strategy, in deep_use.c. */
int deep_note_uses(const struct merge_request *request, size_t input,
	const struct document *document, struct option_uses *uses);
int deep_report_idle(const struct options *options, const struct option_uses *uses,
	int (*report)(void *context, const struct problem *problem), void *context);

/**
 * Returns the format of the result, if that format may repeat keys. If not, returns the format of
 * the lowest input, if that one may repeat keys; otherwise NULL.
 */
const struct format *deep_repeating(const struct merge_request *request);

/* The directives, in directive.c. */
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

/** Implements says() of struct strategy. */
enum strategy_says directive_says(const struct node *value);

/** Returns false if the source certainly has no directives. Reads its text, not its document. */
bool directive_may_be_in(const struct merge_input *input);

/** Returns whether a node of the document has a directive. */
bool directive_is_in(const struct document *document);

/* The tree under construction, in deep_tree.c. */

/** Counts `entries` new pairs or items. Returns 0; or PROBLEM at the node `at`: too many. */
int deep_spend(struct deep *deep, const struct node *at, uint64_t entries);

/** Counts a comparison. Returns 0, or -ENOMEM if the budget (budget.h) is found to be spent. */
int deep_compares(struct deep *deep);

/** Enters a source's map or list. Returns 0, or PROBLEM if it is nested too deeply. */
int deep_enter(struct deep *deep, const struct node *collection);

/** Leaves the map or list that deep_enter() entered. */
void deep_leave(struct deep *deep);

/** Sets *ret to the map or list itself if it is OWNED, otherwise to an OWNED copy. */
int deep_own(struct deep *deep, const struct node *node, struct node **ret);

/** As deep_own(), for a list. */
int deep_own_list(struct deep *deep, const struct node *list, struct list **ret);

/** Sets the value of pair `number` in an OWNED map. NULL removes the pair. */
void deep_set(struct node *map, size_t number, const struct node *value);

/** Returns the value of a pair; NULL: the pair was removed. */
const struct node *deep_value(const struct pair *pair);

/**
 * Sets *ret to the OWNED map `map` itself if no pair was removed; otherwise to a new map in `arena`
 * with the remaining pairs, whose numbers may differ from those in `map`.
 */
int deep_drop_removed(
	struct arena *arena, struct origins *origins, struct node *map, struct node **ret);

/** Gives `result` the style of `value`, if this style takes more lines than the old one. */
void deep_widen(struct node *result, const struct node *value);

/** Turns a tree under construction into an ordinary, immutable tree. */
int deep_seal(struct deep *deep, const struct node *node, const struct node **ret);

/** For a node (or NULL) that leaves the tree: if origins are on, deep_seal(); else *ret = node. */
int deep_let_go(struct deep *deep, const struct node *node, const struct node **ret);

/** Makes a sealed copy in `scratch`. `node` does not change, and stays under construction. */
int deep_picture(struct deep *deep, const struct node *node, const struct node **ret);
