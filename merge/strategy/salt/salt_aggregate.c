/*
 * Salt copies a value each time that another value is merged into it. A key that is repeated
 * 100,000 times would need 100,000 copies, each longer than the one before. So this module marks
 * the values that it makes as owned, and salt_aggregate() changes an owned value instead of a copy.
 *
 * Depth: every recursion goes down two trees at once. Readers bound the depth of both, and to mark
 * a scalar adds only one to it.
 */
#include "salt.h"

#include <assert.h>
#include <errno.h>

#include "scalar.h"

/*
 * Salt's levelise(): returns whether the level is on at the outermost depth. Sets *subs to the
 * level of the depths below.
 */
static bool levelise(struct salt_level level, struct salt_level *subs)
{
	bool is_on;

	*subs = level;
	if (level.count > 0) {
		if (level.count < UINT32_MAX)
			subs->count--;
		return true;
	}
	if (!level.flags || !*level.flags)
		return false;
	is_on = *level.flags != '0';
	subs->flags++;
	return is_on;
}

/* Returns whether the item may be in a list of levels. */
static bool is_flag(const struct node *item)
{
	enum scalar_type type = node_is_scalar(item) ? scalar_type(item) : SCALAR_NULL;

	return type == SCALAR_BOOL || type == SCALAR_INT;
}

static bool flag_of(const struct node *item)
{
	return scalar_type(item) == SCALAR_BOOL ? scalar_bool(item) : scalar_number(item) != 0;
}

static bool is_level(const struct node *value)
{
	if (node_is_sequence(value)) {
		for (uint32_t i = 0; i < value->seq.count; i++)
			if (!is_flag(value->seq.items[i]))
				return false;
		return true;
	}
	if (!node_is_scalar(value))
		return false;
	if (scalar_type(value) == SCALAR_STRING)
		return strspn(value->text.data, "01") == value->text.len;
	return scalar_is_null(value) || is_flag(value);
}

int salt_level_check(const struct node *value, struct problem *problem)
{
	if (is_level(value))
		return 0;
	return problem_at(problem, value,
		"the level is true, false, a number, a list of booleans and numbers, or a quoted "
		"string of 0 and 1, one for each depth");
}

static int level_of_list(const struct node *list, struct arena *arena, struct salt_level *ret)
{
	char *flags = arena_alloc(arena, (size_t)list->seq.count + 1);

	if (!flags)
		return -ENOMEM;
	for (uint32_t i = 0; i < list->seq.count; i++)
		flags[i] = flag_of(list->seq.items[i]) ? '1' : '0';
	flags[list->seq.count] = '\0';
	*ret = (struct salt_level){.flags = flags};
	return 0;
}

int salt_level_of(const struct node *value, struct arena *arena, struct salt_level *ret)
{
	double number;

	assert(is_level(value));
	if (node_is_sequence(value))
		return level_of_list(value, arena, ret);
	if (scalar_type(value) == SCALAR_STRING) {
		*ret = (struct salt_level){.flags = value->text.data};
		return 0;
	}
	if (scalar_type(value) != SCALAR_INT) {
		bool is_on = scalar_type(value) == SCALAR_BOOL && scalar_bool(value);

		*ret = is_on ? SALT_LEVEL_TRUE : SALT_LEVEL_FALSE;
		return 0;
	}
	number = scalar_number(value);
	*ret = SALT_LEVEL_TRUE;
	if (number >= 0 && number < UINT32_MAX)
		ret->count = (uint32_t)number;
	return 0;
}

/* Bits of node.mark. */
enum {
	MARK_AGGREGATE = 1,
	MARK_OWNED = 2,  /* made by own() or mark_scalar(), the only functions that set it */
	MARK_REASON = 4, /* multiplied by enum salt_reason; the highest bits */
};

struct aggregate_run {
	const struct salt *salt;
	unsigned nesting; /* of the values that are being aggregated, starting at 1 */
};

bool salt_is_aggregate(const struct node *value)
{
	return value->mark & MARK_AGGREGATE;
}

/*
 * Returns a node with the entries and the mark of `node` that may be changed. Returns NULL when
 * there is no memory.
 */
static struct node *own(struct aggregate_run *run, const struct node *node)
{
	struct node *copy;

	if (node->mark & MARK_OWNED)
		return (struct node *)node; /* made below, so not const */
	copy = node_copy(run->salt->arena, node);
	if (!copy)
		return NULL;
	copy->mark |= MARK_OWNED;
	origin_move(run->salt->origins, node, copy);
	return copy;
}

static uint8_t mark_of(enum salt_reason reason)
{
	return (uint8_t)(MARK_AGGREGATE | (unsigned)reason * MARK_REASON);
}

static int mark_collection(struct aggregate_run *run, const struct node *value,
	enum salt_reason reason, const struct node **ret)
{
	struct node *copy;

	*ret = value;
	if (salt_is_aggregate(value))
		return 0;
	copy = own(run, value);
	if (!copy)
		return -ENOMEM;
	copy->mark |= mark_of(reason);
	*ret = copy;
	return 0;
}

/* Makes a marked list of the one value, or of none, at the place of `place`. */
static int mark_scalar(struct aggregate_run *run, const struct node *place,
	const struct node *value, enum salt_reason reason, const struct node **ret)
{
	bool is_long = place->style == NODE_LITERAL || place->style == NODE_FOLDED;
	struct node list = {
		.kind = NODE_SEQUENCE,
		.style = node_is_scalar(place) && !is_long ? NODE_FLOW : NODE_BLOCK,
		.mark = MARK_OWNED | mark_of(reason),
		.weight = 1,
		.source = place->source,
		.line = place->line,
		.column = place->column,
	};
	struct node *owned = node_copy(run->salt->arena, &list);

	if (!owned || (value && node_push(run->salt->arena, owned, value) < 0))
		return -ENOMEM;
	*ret = owned;
	return 0;
}

static int mark(struct aggregate_run *run, const struct node *value, enum salt_reason reason,
	const struct node **ret)
{
	if (node_is_scalar(value))
		return mark_scalar(run, value, value, reason, ret);
	return mark_collection(run, value, reason, ret);
}

/* Origins: which marks and levels decided. */

static enum salt_reason reason_of(const struct node *marked)
{
	return (enum salt_reason)(marked->mark / MARK_REASON);
}

/* Returns the rule for two marked maps or lists. */
static const char *rule_of_marked(
	const struct aggregate_run *run, const struct node *a, const struct node *b)
{
	static const char *const rules[][2] = {
		[SALT_REASON_SEVERAL] = {"both are marked",
			"both are marked: items not there yet are appended"},
		[SALT_REASON_ROOT] = {"documents are aggregated",
			"documents are aggregated: items not there yet are appended"},
		[SALT_REASON_KIND] = {"both are !aggr-map",
			"both are !aggr-seq: items not there yet are appended"},
		[SALT_REASON_SCALAR] = {"both are !aggr-scalar",
			"both are !aggr-scalar: items not there yet are appended"},
		[SALT_REASON_AGGREGATE] = {"both are !aggregate",
			"both are !aggregate: items not there yet are appended"},
		[SALT_REASON_LEVEL] = {"the level is on: aggregated",
			"the level is on: items not there yet are appended"},
	};
	enum salt_reason first = reason_of(a), second = reason_of(b);
	bool is_list = node_is_sequence(a);

	if (first == SALT_REASON_LEVEL || second == SALT_REASON_LEVEL) {
		const char *rule = arena_printf(run->salt->arena, "level %u is on: %s",
			run->nesting, is_list ? "items not there yet are appended" : "aggregated");

		return rule ? rule : rules[SALT_REASON_LEVEL][is_list];
	}
	return rules[first == second ? first : SALT_REASON_SEVERAL][is_list];
}

static void note_marked(const struct aggregate_run *run, const struct node *value,
	const struct node *a, const struct node *b)
{
	if (run->salt->origins)
		origin_note(run->salt->origins, value, b, ORIGIN_PART,
			(struct origin_why){rule_of_marked(run, a, b), NULL});
}

/*
 * Records that `value` is the map `b`, with the values of `a` for keys of `b`. *is_mixed: it has
 * some of them.
 */
static void note_from(const struct aggregate_run *run, const struct node *value,
	const struct node *a, const struct node *b, bool is_mixed)
{
	const struct origin_why why = {"only the later map's keys count (not marked)", NULL};

	if (!run->salt->origins)
		return;
	origin_take_over(run->salt->origins, value, a, is_mixed ? ORIGIN_PART : ORIGIN_LOST, why);
	for (uint32_t i = 0; i < b->map.count; i++) {
		const struct pair *pair = &value->map.pairs[i];

		if (!node_find_hashed(a, pair->key, pair->hash))
			origin_restore(run->salt->origins, value, pair->key, pair->value);
	}
	for (uint32_t i = 0; i < a->map.count; i++) {
		const struct pair *pair = &a->map.pairs[i];

		if (!node_find_hashed(b, pair->key, pair->hash))
			origin_remove(run->salt->origins, value, pair->key, pair->value, why);
	}
}

static void note_replaced(
	const struct aggregate_run *run, const struct node *a, const struct node *b)
{
	bool is_alike = a->kind == b->kind || salt_is_aggregate(a) != salt_is_aggregate(b);

	origin_replace(run->salt->origins, b, a,
		(struct origin_why){is_alike ? "not marked on both sides: the later value replaces"
					     : "a later value of another kind replaces",
			NULL});
}

/*
 * Sets the value of a pair in an owned map. `weight` is the weight that the old value had when it
 * was put there: it may have grown since, and may be the new value.
 */
static void set_value(
	struct node *map, const struct pair *pair, uint32_t weight, const struct node *value)
{
	node_reweigh(map, weight, value->weight);
	map->map.pairs[pair - map->map.pairs].value = value;
}

static int aggregate(struct aggregate_run *run, const struct node *a, const struct node *b,
	struct salt_level level, const struct node **ret);

/* Adds one key of `b`. If `map` has the key, aggregates its old value with the new one. */
static int aggregate_pair(struct aggregate_run *run, struct node *map, const struct pair *pair,
	struct salt_level level)
{
	const struct pair *old = node_find_hashed(map, pair->key, pair->hash);
	const struct node *value;
	uint32_t weight;
	int r;

	if (!old)
		return node_append(run->salt->arena, map, pair);
	weight = old->value->weight;
	r = aggregate(run, old->value, pair->value, level, &value);
	if (r < 0)
		return r;
	set_value(map, old, weight, value);
	return 0;
}

/* Both maps are marked: aggregates `b` into `a`. */
static int aggregate_into(struct aggregate_run *run, const struct node *a, const struct node *b,
	struct salt_level level, const struct node **ret)
{
	struct node *map = own(run, a);

	if (!map)
		return -ENOMEM;
	for (uint32_t i = 0; i < b->map.count; i++) {
		int r = aggregate_pair(run, map, &b->map.pairs[i], level);

		if (r < 0)
			return r;
	}
	note_marked(run, map, a, b);
	*ret = map;
	return 0;
}

/* Otherwise the result is `b`, and `a` counts only for the keys of `b`. */
static int aggregate_from(struct aggregate_run *run, const struct node *a, const struct node *b,
	struct salt_level level, const struct node **ret)
{
	struct node *map = NULL;

	for (uint32_t i = 0; i < b->map.count; i++) {
		const struct pair *pair = &b->map.pairs[i];
		const struct pair *old = node_find_hashed(a, pair->key, pair->hash);
		uint32_t weight = pair->value->weight;
		const struct node *value;
		int r;

		if (!old)
			continue;
		r = aggregate(run, old->value, pair->value, level, &value);
		if (r < 0)
			return r;
		if (value == pair->value && value->weight == weight)
			continue;
		if (!map)
			map = own(run, b);
		if (!map)
			return -ENOMEM;
		set_value(map, &map->map.pairs[i], weight, value);
	}
	*ret = map ? map : b;
	note_from(run, *ret, a, b, map);
	return 0;
}

/* Aggregates two marked lists: `a`, then the items of `b` that are not in `a`. */
static int aggregate_lists(struct aggregate_run *run, const struct node *a, const struct node *b,
	const struct node **ret)
{
	struct node *list = own(run, a);
	uint32_t old;

	if (!list)
		return -ENOMEM;
	*ret = list;
	note_marked(run, list, a, b);
	if (node_see(run->salt->arena, list) < 0)
		return -ENOMEM;
	old = list->seq.seen->map.count;
	for (uint32_t i = 0; i < b->seq.count; i++) {
		const struct node *item = b->seq.items[i];
		const struct pair *found = node_find(list->seq.seen, item);

		/* An item that `b` has twice and `a` lacks stays twice. */
		if (found && found < list->seq.seen->map.pairs + old)
			continue;
		if (node_push(run->salt->arena, list, item) < 0 ||
			node_see(run->salt->arena, list) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int aggregate(struct aggregate_run *run, const struct node *a, const struct node *b,
	struct salt_level level, const struct node **ret)
{
	struct salt_level subs;
	bool are_marked;
	int r = 0;

	run->nesting++;
	if (levelise(level, &subs) && (mark(run, a, SALT_REASON_LEVEL, &a) < 0 ||
					      mark(run, b, SALT_REASON_LEVEL, &b) < 0))
		return -ENOMEM;

	are_marked = salt_is_aggregate(a) && salt_is_aggregate(b);
	if (node_is_map(a) && node_is_map(b)) {
		r = are_marked ? aggregate_into(run, a, b, subs, ret)
			       : aggregate_from(run, a, b, subs, ret);
	} else if (node_is_sequence(a) && node_is_sequence(b) && are_marked) {
		r = aggregate_lists(run, a, b, ret);
	} else {
		if (run->salt->origins)
			note_replaced(run, a, b);
		*ret = b;
	}
	run->nesting--;
	return r;
}

int salt_nothing(const struct salt *salt, const struct node *value, const struct node **ret)
{
	struct aggregate_run run = {.salt = salt};

	return mark_scalar(&run, value, NULL, SALT_REASON_AGGREGATE, ret);
}

int salt_mark(const struct salt *salt, const struct node *value, enum salt_reason reason,
	const struct node **ret)
{
	struct aggregate_run run = {.salt = salt};

	return mark(&run, value, reason, ret);
}

int salt_aggregate(const struct salt *salt, const struct node *a, const struct node *b,
	struct salt_level level, const struct node **ret)
{
	struct aggregate_run run = {.salt = salt};

	return aggregate(&run, a, b, level, ret);
}
