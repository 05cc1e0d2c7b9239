/*
 * salt: documents as salt.serializers.yamlex reads them, aggregated as salt.utils.aggregation does.
 *
 *      roots of the sources ── salt_construct() ──▶ marked values ── aggregate ──▶ result
 *
 * A value without a tag or a repeated key is passed through: only the path down to a tag is made
 * anew. The value of a repeated key is aggregated into the value before it as soon as it is read.
 */
#include "salt.h"

#include <errno.h>

#include "scalar.h"
#include "strategy.h"

/* TAG_ROOT is never written: it is to a document what a key's tag is to its value. */
enum tag {
	TAG_NONE,
	TAG_AGGREGATE,
	TAG_MAP,
	TAG_SEQUENCE,
	TAG_SCALAR,
	TAG_RESET,
	TAG_FOREIGN,
	TAG_ROOT,
};

/* In the order of enum tag. */
static const char *const tag_names[] = {
	NULL, "!aggregate", "!aggr-map", "!aggr-seq", "!aggr-scalar", "!reset"};

static const enum salt_reason reasons[] = {
	[TAG_AGGREGATE] = SALT_REASON_AGGREGATE,
	[TAG_MAP] = SALT_REASON_KIND,
	[TAG_SEQUENCE] = SALT_REASON_KIND,
	[TAG_SCALAR] = SALT_REASON_SCALAR,
	[TAG_ROOT] = SALT_REASON_ROOT,
};

struct salt_reading {
	const struct salt *salt;
	struct arena *arena; /* of `salt` */
	struct problem *problem;
};

static bool is_own(enum tag tag)
{
	return tag != TAG_NONE && tag != TAG_FOREIGN;
}

static int find_tag(const struct salt_reading *reading, const struct node *node, enum tag *ret)
{
	*ret = TAG_NONE;
	if (!node->tag)
		return 0;
	for (enum tag tag = TAG_AGGREGATE; tag < TAG_FOREIGN; tag++) {
		*ret = tag;
		if (strcmp(node->tag, tag_names[tag]) == 0)
			return 0;
	}
	*ret = TAG_FOREIGN;
	if (strncmp(node->tag, "!aggr-", strlen("!aggr-")) == 0)
		return problem_at(reading->problem, node,
			"\"%s\" is a tag: could not determine a constructor for it; there are "
			"!aggr-map, !aggr-seq, !aggr-scalar and !aggregate",
			node->tag);
	return 0;
}

static int check_kind(const struct salt_reading *reading, const struct node *node, enum tag tag)
{
	static const char *const words[] = {
		[NODE_SCALAR] = "scalar", [NODE_SEQUENCE] = "sequence", [NODE_MAP] = "mapping"};
	static const enum node_kind expected[] = {
		[TAG_MAP] = NODE_MAP, [TAG_SEQUENCE] = NODE_SEQUENCE, [TAG_SCALAR] = NODE_SCALAR};

	if (tag < TAG_MAP || tag > TAG_SCALAR || node->kind == expected[tag])
		return 0;
	return problem_at(reading->problem, node, "%s: expected a %s node, but found %s",
		tag_names[tag], words[expected[tag]], words[node->kind]);
}

static int without_tag(
	const struct salt_reading *reading, const struct node *node, const struct node **ret)
{
	struct node *copy = node_copy(reading->arena, node);

	if (!copy)
		return -ENOMEM;
	copy->tag = NULL;
	*ret = copy;
	return 0;
}

static int construct(const struct salt_reading *reading, const struct node *node, enum tag outer,
	const struct node **ret);

/* Returns whether the value needs no work; most values are like that. */
static bool is_simple(const struct node *node)
{
	return node_is_scalar(node) && !node->tag;
}

static int construct_sequence(
	const struct salt_reading *reading, const struct node *node, const struct node **ret)
{
	struct node *list = NULL;
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < node->seq.count; i++) {
		const struct node *item = node->seq.items[i];

		if (!is_simple(item))
			r = construct(reading, item, TAG_NONE, &item);
		if (r == 0 && item != node->seq.items[i])
			r = node_change(reading->arena, node, &list, i, item);
	}
	*ret = list ? list : node;
	return r;
}

/* *is_reset: the key discards the values before it. */
static int construct_key(
	const struct salt_reading *reading, struct pair *pair, enum tag *tag, bool *is_reset)
{
	int r = find_tag(reading, pair->key, tag);

	if (r != 0)
		return r;
	if (!node_is_scalar(pair->key))
		return problem_at(reading->problem, pair->key,
			"while constructing a mapping, found unacceptable key (%s); a key is a "
			"scalar",
			node_kind_name(pair->key));
	if (!is_own(*tag))
		return 0;
	*is_reset = *tag == TAG_RESET;
	r = without_tag(reading, pair->key, &pair->key);
	if (r != 0)
		return r;
	pair->hash = node_hash(pair->key);
	return 0;
}

static int construct_pair(const struct salt_reading *reading, struct pair *pair, bool *is_reset)
{
	enum tag tag = TAG_NONE;

	*is_reset = false;
	if (!is_simple(pair->key)) {
		int r = construct_key(reading, pair, &tag, is_reset);
		if (r != 0)
			return r;
	}
	if (!is_own(tag) && is_simple(pair->value))
		return 0;
	return construct(reading, pair->value, tag, &pair->value);
}

/* `reset` is the key with !reset, or NULL. */
static int add_pair(const struct salt_reading *reading, struct node *map, struct pair *pair,
	const struct node *reset)
{
	const struct pair *old = node_find_hashed(map, pair->key, pair->hash);

	if (old && reset) {
		origin_replace(reading->salt->origins, pair->value, old->value,
			(struct origin_why){"!reset on the key", reset});
	} else if (old) {
		int r = salt_aggregate(
			reading->salt, old->value, pair->value, SALT_LEVEL_FALSE, &pair->value);
		if (r < 0)
			return r;
	}
	return node_put_hashed(reading->arena, map, pair);
}

static int construct_map(
	const struct salt_reading *reading, const struct node *node, const struct node **ret)
{
	struct node *map = NULL;

	for (uint32_t i = 0; i < node->map.count; i++) {
		const struct pair *given = &node->map.pairs[i];
		struct pair pair = *given;
		bool is_reset;
		int r = construct_pair(reading, &pair, &is_reset);

		if (r != 0)
			return r;
		if (!map) {
			/*
			 * node_find_hashed() finds the last pair: another one means that the key is
			 * repeated.
			 */
			if (pair.key == given->key && pair.value == given->value &&
				node_find_hashed(node, pair.key, pair.hash) == given)
				continue;
			map = node_copy_head(reading->arena, node, i);
		}
		if (!map || add_pair(reading, map, &pair, is_reset ? given->key : NULL) < 0)
			return -ENOMEM;
	}
	/* A value that salt_aggregate() changed may have a weight that the map has not counted. */
	if (map)
		node_weigh(map);
	*ret = map ? map : node;
	return 0;
}

/* `outer` is the tag of the key or of the document. It counts if the value has no tag. */
static int construct(const struct salt_reading *reading, const struct node *node, enum tag outer,
	const struct node **ret)
{
	const struct node *value = node;
	enum tag tag;
	int r = find_tag(reading, node, &tag);

	if (r != 0)
		return r;
	if (node_is_map(node))
		r = construct_map(reading, node, &value);
	else if (node_is_sequence(node))
		r = construct_sequence(reading, node, &value);
	if (r == 0 && is_own(tag))
		r = without_tag(reading, value, &value);
	if (r != 0)
		return r;
	origin_move(reading->salt->origins, node, value);

	/* On a value !reset has no meaning, as in Salt. */
	if (!is_own(tag) || tag == TAG_RESET)
		tag = outer;
	r = check_kind(reading, node, tag);
	if (r != 0)
		return r;
	*ret = value;
	if (!is_own(tag) || tag == TAG_RESET)
		return 0;
	if ((tag == TAG_AGGREGATE || tag == TAG_ROOT) && scalar_is_null(value))
		return salt_nothing(reading->salt, value, ret);
	return salt_mark(reading->salt, value, reasons[tag], ret);
}

int salt_construct(const struct salt *salt, const struct node *root, const struct node **ret,
	struct problem *problem)
{
	struct salt_reading reading = {salt, salt->arena, problem};

	return construct(&reading, root, TAG_ROOT, ret);
}

static int represent(
	const struct salt *salt, const struct node *node, bool is_root, const struct node **ret);

static int represent_children(const struct salt *salt, struct node *copy)
{
	for (uint32_t i = 0; i < node_count(copy); i++)
		if (represent(salt, *node_entry(copy, i), false, node_entry(copy, i)) < 0)
			return -ENOMEM;
	return 0;
}

static int represent(
	const struct salt *salt, const struct node *node, bool is_root, const struct node **ret)
{
	struct node *copy;

	*ret = node;
	if (node_is_scalar(node))
		return 0;
	copy = node_copy(salt->arena, node);
	if (!copy || represent_children(salt, copy) < 0)
		return -ENOMEM;
	origin_move(salt->origins, node, copy);
	copy->mark = 0;
	if (salt_is_aggregate(node) && !is_root)
		copy->tag = tag_names[node_is_map(node) ? TAG_MAP : TAG_SEQUENCE];
	*ret = copy;
	return 0;
}

/*
 * The opposite of salt_construct(): turns marks into the tags !aggr-map and !aggr-seq. The root
 * gets no tag, because salt_construct() marks every root. Returns 0 or -ENOMEM.
 */
static int represent_root(const struct salt *salt, const struct node *root, const struct node **ret)
{
	return represent(salt, root, true, ret);
}

/* Aggregates an input into *result. *below is the last root; NULL before the first. */
static int add_input(struct merge *merge, const struct merge_input *input, struct salt_level level,
	const struct node **below, const struct node **result)
{
	const struct salt salt = {merge->arena, merge->origins};
	const struct node *root, *value;
	int r = merge_only_root(merge, input->document, &root);

	if (r != 0 || !root)
		return r;
	r = salt_construct(&salt, root, &value, merge->problem);
	/* Salt aggregates null with any kind. */
	if (r == 0 && *below && !scalar_is_null(root))
		r = merge_check_root(merge, *below, root, "!reset");
	if (r == 0 && *result)
		r = salt_aggregate(&salt, *result, value, level, &value);
	if (r != 0)
		return r;
	*result = value;
	*below = root;
	return 0;
}

static int merge_salt(struct merge *merge, struct merge_output *ret)
{
	const struct options *options = merge->request->options;
	const struct node *given = options_get(options, "level");
	const struct node *below = NULL, *result = NULL;
	const struct salt salt = {merge->arena, merge->origins};
	struct salt_level level = SALT_LEVEL_FALSE;
	int r = given ? salt_level_of(given, merge->arena, &level) : 0;

	for (size_t i = 0; r == 0 && i < merge->count; i++)
		r = add_input(merge, &merge->inputs[i], level, &below, &result);
	if (r == 0 && result && options_bool(options, "tags"))
		r = represent_root(&salt, result, &result);
	if (r == 0)
		*ret = (struct merge_output){.root = result};
	return r;
}

static int check(const struct options *options, struct problem *problem)
{
	const struct node *level = options_get(options, "level");

	return level ? salt_level_check(level, problem) : 0;
}

static const struct option_spec salt_options[] = {
	{"level", OPTION_VALUE, "false", NULL,
		"the depths that are aggregated without a tag: true, false, a number, a list of "
		"booleans, or a string of 0 and 1"},
	{"tags", OPTION_BOOL, "false", NULL,
		"keep the tags !aggr-map and !aggr-seq, so that the result can be aggregated "
		"again"},
	{0},
};

const struct strategy strategy_salt = {
	.name = "salt",
	.summary = "Salt's aggregation: tagged values are combined, others are replaced",
	.options = salt_options,
	.trees = STRATEGY_TREES_READ,
	.reads = STRATEGY_READS_SALT,
	.tags = "!aggregate, !aggr-map, !aggr-seq, !aggr-scalar, !reset",
	.check = check,
	.merge = merge_salt,
};
