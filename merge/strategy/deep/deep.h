/*
 * deep: maps merge key by key, lists as the rules say, anything else is replaced.
 *
 * One tree is built, layer by layer: combine(what lies below, what comes). A value that one layer
 * alone has is referred to and never copied; where two meet, a node is made, marked OWNED, which
 * later layers change in place. So the cost is that of the layers, however many there are.
 *
 *      source node, mark 0      immutable and perhaps shared; holds no directive
 *      OWNED map                in the result's arena; a removed pair has the value `gone` until
 *                               seal(), so that removing is cheap and a key keeps its place
 *      OWNED list               a struct list (list.h) in the scratch arena, until seal()
 *
 * A directive is a tag that says how its value meets what lies below. It acts once, in its layer;
 * with nothing below, !replace, !append, !prepend and !unique leave their value as it is and
 * !delete leaves nothing.
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
	bool minds_kinds; /* a value of another kind is told of, or refused */
	bool has_directives; /* the source that is being merged in may have some */
	unsigned depth;      /* of the value that is being merged in */
	uint32_t pass;       /* of the last list that was merged in by key */
	uint64_t made;       /* pairs and items that have been copied or added */
	uint64_t allowed;    /* … and how many may be */
	struct origins *origins; /* the merge's */
};

/*
 * All return 0; PROBLEM, with the merge's problem filled; or -errno. What they give is ours, or
 * immutable.
 */

/**
 * Merges `value` into what lies `below` it, which may be NULL: nothing. *ret is NULL for nothing.
 */
int deep_combine(struct deep *deep, const struct node *below, const struct node *value,
	const struct list_place *place, const struct node **ret);

/** The value alone, whatever lies below, with the directives in it and on it carried out. */
int deep_take(struct deep *deep, const struct node *value, const struct list_place *place,
	const struct node **ret);

/** As deep_take(), for a list: deep_list.c. */
int deep_take_list(struct deep *deep, const struct node *value, const struct list_place *place,
	const struct node **ret);

/** Merges one list into another, by a rule that is not LIST_REPLACE: deep_list.c. */
int deep_merge_lists(struct deep *deep, const struct node *below, const struct node *value,
	const struct list_place *place, const struct list_rule *rule, const struct node **ret);

/** Whether `value` over `below` is one more assignment: both texts, or lists. */
bool deep_is_repeat(const struct deep *deep, const struct node *below, const struct node *value,
	const struct list_place *place);

/** Merges such a value in: deep_list.c. */
int deep_repeat(struct deep *deep, const struct node *below, const struct node *value,
	const struct list_place *place, const struct node **ret);

/* What the options are for: deep_use.c; as in struct strategy. */
int deep_note_uses(const struct merge_request *request, size_t input,
	const struct document *document, struct option_uses *uses);
int deep_tell_idle(const struct options *options, const struct option_uses *uses,
	int (*tell)(void *context, const struct problem *problem), void *context);

/** The format, of what the file is or was, whose keys may come again; NULL: it is none. */
const struct format *deep_repeating(const struct merge_request *request);

/*
 * A directive is a tag that says how its value meets what lies below it. It acts where it stands
 * and is no part of the value: directive.c.
 */
enum directive {
	DIRECTIVE_NONE,
	DIRECTIVE_REPLACE,
	DIRECTIVE_DELETE,
	DIRECTIVE_APPEND,
	DIRECTIVE_PREPEND,
	DIRECTIVE_UNIQUE,
};

/** The directive that the node's tag is. */
enum directive directive_of(const struct node *node);

/** Whether the source may hold directives; false is certain. Looks at the text alone. */
bool directive_may_be_in(const struct merge_input *input);

/** Whether a node of the document is tagged with one. Exact, and cheap where no tag is in it. */
bool directive_is_in(const struct document *document);

/* The tree under construction: deep_tree.c. */

/** Counts entries that are made because of `at`. PROBLEM: they are too many. */
int deep_spend(struct deep *deep, const struct node *at, uint64_t entries);

/** Around work on what is in a map or list that comes. PROBLEM: too deep. */
int deep_enter(struct deep *deep, const struct node *collection);
void deep_leave(struct deep *deep);

/** The map or list, or a copy of it if it is not ours, to be changed. */
int deep_own_map(struct deep *deep, const struct node *map, struct node **ret);
int deep_own_list(struct deep *deep, const struct node *list, struct list **ret);

/** Sets a pair's value in a map of ours; NULL removes it. */
void deep_set(struct node *map, size_t number, const struct node *value);

/** The value of a pair, or NULL when it was removed. */
const struct node *deep_value(const struct pair *pair);

/** Gives a map of ours without the pairs that were removed; the others lose their old places. */
int deep_drop_removed(struct deep *deep, struct node *map, struct node **ret);

/** The style of two that become one: {} below a block must not press it onto one line. */
void deep_widen(struct node *result, const struct node *value);

/** Turns what is under construction into an ordinary tree; `node` is no longer ours to change. */
int deep_seal(struct deep *deep, const struct node *node, const struct node **ret);

/**
 * Makes what stands no more fit to be told of, as deep_seal() does, if somebody asks for origins.
 * NULL is fine.
 */
int deep_let_go(struct deep *deep, const struct node *node, const struct node **ret);

/** What deep_seal() would give, for looking at: `node` stays under construction. */
int deep_picture(struct deep *deep, const struct node *node, const struct node **ret);
