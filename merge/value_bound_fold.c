#include "value_bound_fold.h"

#include <errno.h>
#include <stdio.h>

#include "decimal.h"
#include "scalar.h"
#include "value_lock_enforce.h"

/* Bytes of a scale in a message; a longer one is cut. */
#define SHOWN_MAX 128

static struct origin_why why_of(const struct value_bound_fold *fold)
{
	const char *name = value_bound_name(fold->bound);
	const char *rule = arena_printf(fold->merge->arena, VALUE_BOUND_RULE "%s", name);

	return (struct origin_why){rule ? rule : VALUE_BOUND_RULE, fold->bound->place};
}

/* Refuses what `attempt` says of the value, in favour of `stands`. */
static int refuse(
	const struct value_bound_fold *fold, const struct node *attempt, const struct node *stands)
{
	const struct node *place = fold->bound->place;
	char name[VALUE_LOCK_NAME_BYTES], kept[VALUE_LOCK_KEPT_BYTES];
	const char *outcome = fold->bound->kind == VALUE_BOUND_UNION       ? "has at least what"
			      : fold->bound->kind == VALUE_BOUND_INTERSECT ? "has at most what"
									   : "stays as";
	struct problem *ret;

	int r = value_lock_add_refusal(fold->merge, &ret);
	if (r < 0 || !ret)
		return r;
	value_lock_step_name(fold->step, name, sizeof(name));
	value_lock_describe_kept(stands, outcome,
		fold->bound->kind <= VALUE_BOUND_INTERSECT ? "has" : "has it", kept);
	problem_set(ret,
		attempt->source ? attempt->source->name : fold->merge->inputs[0].source.name,
		attempt->line, attempt->column,
		"'%s' is not loosened: it is " VALUE_BOUND_RULE "%s and %s (the bound is at "
		"%s:%u:%u); change it there, or remove it here ('plyfs reset')",
		name, value_bound_name(fold->bound), kept, place->source ? place->source->name : "",
		(unsigned)place->line, (unsigned)place->column);
	return 0;
}

/* Writes "off, ask, allow", cut to `size` bytes. */
static void list_scale(const struct node *scale, char *text, size_t size)
{
	size_t len = 0;

	for (uint32_t i = 0; i < scale->seq.count && len < size; i++)
		len += (size_t)snprintf(text + len, size - len, "%s%s", i ? ", " : "",
			scale->seq.items[i]->text.data);
}

static const char *const wanted[] = {
	[VALUE_BOUND_UNION] = "list",
	[VALUE_BOUND_INTERSECT] = "list",
	[VALUE_BOUND_MAX] = "number",
	[VALUE_BOUND_MIN] = "number",
	[VALUE_BOUND_AND] = "boolean",
	[VALUE_BOUND_OR] = "boolean",
};

static int report_unfit(const struct value_bound_fold *fold, const struct node *value)
{
	const struct value_bound *bound = fold->bound;
	const struct node *place = bound->place;
	char name[VALUE_LOCK_NAME_BYTES], scale[SHOWN_MAX] = "";

	value_lock_step_name(fold->step, name, sizeof(name));
	if (bound->scale)
		list_scale(bound->scale, scale, sizeof(scale));
	/* The value itself may be a secret. */
	return problem_at(fold->merge->problem, value,
		"'%s' is " VALUE_BOUND_RULE "%s, and this is %s%s; write %s %s (the bound is at "
		"%s:%u:%u)",
		name, value_bound_name(bound), bound->scale ? "not on its scale" : "no ",
		bound->scale ? "" : wanted[bound->kind], bound->scale ? "one of" : "a",
		bound->scale ? scale : wanted[bound->kind],
		place->source ? place->source->name : "", (unsigned)place->line,
		(unsigned)place->column);
}

/* Lists. A set of items is a map with the items as keys. */

static int make_set(const struct value_bound_fold *fold, const struct node *list, struct node **ret)
{
	struct node *set = node_new_map(fold->scratch, NULL);
	int r = set ? 0 : -ENOMEM;

	for (uint32_t i = 0; r == 0 && i < list->seq.count; i++)
		if (!node_find(set, list->seq.items[i]))
			r = node_put(fold->scratch, set, list->seq.items[i], list);
	*ret = set;
	return r;
}

/* Returns whether a list is a key that comes again, in the file or its lowest source. */
static bool repeats(const struct value_bound_fold *fold)
{
	const struct merge_request *request = fold->merge->request;

	return format_of_tree(request->to)->repeats ||
	       format_of_tree(request->inputs[0].format)->repeats;
}

/* Returns whether the item is an empty assignment, which takes back those before it. */
static bool is_reset(const struct value_bound_fold *fold, const struct node *item)
{
	return node_is_scalar(item) && !item->text.len && repeats(fold);
}

/* Returns whether the source has a tag that removes the list, or an item of it. */
static bool removes(const struct value_bound_fold *fold, const struct value_bound_view *view)
{
	const struct strategy *strategy = fold->merge->request->options->strategy;
	bool is_list = view->raw && node_is_sequence(view->raw) && strategy->says;
	bool removes = view->cut;

	for (uint32_t i = 0; is_list && !removes && i < view->raw->seq.count; i++)
		removes = strategy->says(view->raw->seq.items[i]) == STRATEGY_SAYS_REMOVE;
	return removes;
}

/* Adds the source's items to `all`, whose values are the lists that had the items first. */
static int unite(
	const struct value_bound_fold *fold, const struct value_bound_view *view, struct node *all)
{
	const struct node *stands = NULL, *first = NULL;
	uint32_t before = all->map.count;
	struct node *set;

	int r = make_set(fold, view->own, &set);
	bool is_removal = removes(fold, view);
	for (uint32_t i = 0; r == 0 && !stands && i < before; i++) {
		const struct pair *pair = &all->map.pairs[i];

		if (is_reset(fold, pair->key))
			continue;
		first = first ? first : pair->value;
		stands = node_find(set, pair->key) ? NULL : pair->value;
	}
	for (uint32_t i = 0; r == 0 && i < view->own->seq.count; i++) {
		const struct node *item = view->own->seq.items[i];
		bool is_item = !is_reset(fold, item);

		is_removal |= !is_item;
		if (!is_item && !stands && i > 0)
			stands = first;
		else if (is_item && !node_find(all, item))
			r = node_put(fold->scratch, all, item, view->own);
	}
	if (r == 0 && stands && (is_removal || all->map.count == before))
		r = refuse(fold, view->own, stands);
	return r;
}

static const struct node *find_lacking(
	const struct value_bound_fold *fold, const struct node *item, size_t below)
{
	const struct node *found = NULL;

	for (size_t i = 0; !found && i < below; i++) {
		const struct node *list = fold->views[i].own;
		bool has = !list || !node_is_sequence(list);

		for (uint32_t j = 0; !has && j < list->seq.count; j++)
			has = node_equal(list->seq.items[j], item);
		found = has ? NULL : list;
	}
	return found;
}

static int refuse_item(const struct value_bound_fold *fold, const struct node *attempt,
	const struct node *item, size_t below)
{
	bool is_recorded = fold->merge->result->refusals.count < REFUSALS_MAX;
	const struct node *stands = is_recorded ? find_lacking(fold, item, below) : NULL;

	return refuse(fold, attempt, stands ? stands : item);
}

/* Removes the items from `all` that the list of view `n` lacks. */
static int intersect(const struct value_bound_fold *fold, size_t n, struct node **all)
{
	const struct node *list = fold->views[n].own;
	struct node *both = node_new_map(fold->scratch, NULL), *set;
	int r = both ? make_set(fold, list, &set) : -ENOMEM;
	uint32_t refused = 0, kept = 0, lost = 0;

	for (uint32_t i = 0; r == 0 && i < set->map.count; i++) {
		const struct node *item = set->map.pairs[i].key;

		if (is_reset(fold, item) || node_find(*all, item))
			continue;
		r = refuse_item(fold, item->source ? item : list, item, n);
		refused++;
	}
	for (uint32_t i = 0; r == 0 && i < (*all)->map.count; i++) {
		const struct pair *pair = &(*all)->map.pairs[i];
		bool is_item = !is_reset(fold, pair->key);
		bool is_lost = is_item && !node_find(set, pair->key);

		lost += is_lost;
		kept = is_item ? kept + !is_lost : 0;
		if (!is_lost)
			r = node_append(fold->scratch, both, pair);
	}
	/* A program takes a list without items for no limit at all. */
	if (r == 0 && lost > 0 && kept == 0 && repeats(fold))
		return refused > 0 ? 0 : refuse(fold, list, (*all)->map.pairs[0].value);
	*all = both;
	return r;
}

/* Makes the list out of the set. It is `like` itself if that has these items. */
static int make_list(const struct value_bound_fold *fold, const struct node *all,
	const struct node *like, const struct node **ret)
{
	struct node *list = node_new_sequence(fold->merge->arena, like);
	bool is_same = all->map.count == like->seq.count;
	int r = list ? 0 : -ENOMEM;

	for (uint32_t i = 0; r == 0 && i < all->map.count; i++)
		r = node_push(fold->merge->arena, list, all->map.pairs[i].key);
	for (uint32_t i = 0; is_same && i < like->seq.count; i++)
		is_same = like->seq.items[i] == all->map.pairs[i].key;
	*ret = is_same && !fold->origins ? like : list;
	return r;
}

/* Returns the index of the value on the scale, or -1. `off` is the same with any type. */
static int scale_index(const struct node *scale, const struct node *value)
{
	for (uint32_t i = 0; i < scale->seq.count; i++)
		if (span_equal(scale->seq.items[i]->text, value->text) ||
			node_equal(scale->seq.items[i], value))
			return (int)i;
	return -1;
}

/*
 * Gives the value of a format that has only text the type that its text has in YAML: a number of
 * 1.2, or a boolean of 1.1 such as `yes`. *own is room for it.
 */
static const struct node *typed(
	const struct value_bound *bound, const struct node *value, struct node *own)
{
	bool is_number = bound->kind == VALUE_BOUND_MAX || bound->kind == VALUE_BOUND_MIN;

	if (value->schema != NODE_TEXT)
		return value;
	*own = *value;
	own->schema = is_number ? NODE_YAML_1_2 : NODE_YAML_1_1;
	own->style = NODE_PLAIN;
	own->tag = NULL;
	return own;
}

static bool fits(const struct value_bound *bound, const struct node *value)
{
	struct decimal decimal;
	struct node own;

	if (bound->kind <= VALUE_BOUND_INTERSECT)
		return node_is_sequence(value);
	if (!node_is_scalar(value))
		return false;
	if (bound->scale)
		return scale_index(bound->scale, value) >= 0;
	value = typed(bound, value, &own);
	enum scalar_type type = scalar_type(value);
	if (bound->kind == VALUE_BOUND_AND || bound->kind == VALUE_BOUND_OR)
		return type == SCALAR_BOOL;
	if (type != SCALAR_INT && type != SCALAR_FLOAT)
		return false;
	decimal_of(value, &decimal);
	return decimal.form != DECIMAL_NAN;
}

/* Returns below 0 if `a` is tighter than `b`, 0 if they are equal, and above 0 otherwise. */
static int compare(const struct value_bound *bound, const struct node *a, const struct node *b)
{
	struct decimal left, right;
	struct node own, other;

	if (bound->scale)
		return scale_index(bound->scale, a) - scale_index(bound->scale, b);
	a = typed(bound, a, &own);
	b = typed(bound, b, &other);
	if (bound->kind == VALUE_BOUND_AND || bound->kind == VALUE_BOUND_OR) {
		int order = (int)scalar_bool(a) - (int)scalar_bool(b);
		return bound->kind == VALUE_BOUND_AND ? order : -order;
	}
	decimal_of(a, &left);
	decimal_of(b, &right);
	int order = decimal_compare(&left, &right);
	return bound->kind == VALUE_BOUND_MIN ? order : -order;
}

/* The value so far. */
struct standing {
	const struct node *value; /* a scalar, or the lowest list; NULL: none yet */
	struct node *all;         /* of lists: the items so far */
};

static int add_value(const struct value_bound_fold *fold, size_t n, struct standing *standing)
{
	const struct node *value = fold->views[n].own;
	bool is_list = fold->bound->kind <= VALUE_BOUND_INTERSECT;

	if (!standing->value) {
		standing->value = value;
		return is_list ? make_set(fold, value, &standing->all) : 0;
	}
	if (is_list)
		return fold->bound->kind == VALUE_BOUND_UNION
			       ? unite(fold, &fold->views[n], standing->all)
			       : intersect(fold, n, &standing->all);
	int order = compare(fold->bound, value, standing->value);
	if (order > 0)
		return refuse(fold, value, standing->value);
	if (order < 0)
		standing->value = value;
	return 0;
}

/* Adds what a source has. A null is no value: it can only attempt to remove one. */
static int add_view(const struct value_bound_fold *fold, size_t n, struct standing *standing)
{
	const struct value_bound_view *view = &fold->views[n];
	bool is_removal = !view->own || scalar_is_null(view->own);
	bool is_list = fold->bound->kind <= VALUE_BOUND_INTERSECT;

	if (!is_removal && fits(fold->bound, view->own))
		return add_value(fold, n, standing);
	if (!is_removal && !(is_list && standing->value))
		return report_unfit(fold, view->own);
	const struct node *attempt = view->own ? view->own : view->cut;
	return attempt && standing->value ? refuse(fold, attempt, standing->value) : 0;
}

/* Records what all sources have contributed. */
static void note_sources(const struct value_bound_fold *fold, const struct node *value)
{
	struct origin_why why = why_of(fold);

	for (size_t i = 0; i < fold->count; i++) {
		const struct value_bound_view *view = &fold->views[i];
		bool is_part = view->own && node_is_sequence(view->own) && node_is_sequence(value);

		origin_note(fold->origins, value, view->own ? view->own : view->cut,
			is_part ? ORIGIN_PART : ORIGIN_LOST, why);
	}
}

int value_bound_fold(const struct value_bound_fold *fold, const struct node **ret)
{
	struct standing standing = {0};
	int r = 0;

	*ret = NULL;
	for (size_t i = 0; r == 0 && i < fold->count; i++)
		r = add_view(fold, i, &standing);
	if (r != 0 || !standing.value)
		return r;
	*ret = standing.value;
	if (standing.all)
		r = make_list(fold, standing.all, standing.value, ret);
	else if (fold->origins)
		*ret = node_copy(fold->merge->arena, standing.value);
	if (r == 0 && !*ret)
		r = -ENOMEM;
	if (r == 0 && fold->origins)
		note_sources(fold, *ret);
	return r;
}
