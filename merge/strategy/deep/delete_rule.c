#include "delete_rule.h"

#include <errno.h>

#include "spelling.h"

static const char form[] = "'delete' is a map of layers to places such as {site: server.tls}";

static int check_place(const struct node *place, struct problem *problem)
{
	if (!node_is_scalar(place) || !place->text.len)
		return problem_at(problem, place,
			"a place to delete is the keys that lead to it, such as 'server.tls'");
	return 0;
}

/* A walk through the places of the rule. */
struct place_walk {
	const struct node *rule; /* NULL: there is none */
	uint32_t pair;
	uint32_t item; /* of the pair's list */
};

/* Returns the next place, with the layer that deletes it; NULL: there is no other. */
static const struct node *next_place(struct place_walk *walk, const struct node **layer)
{
	for (; walk->rule && walk->pair < walk->rule->map.count; walk->pair++, walk->item = 0) {
		const struct node *value = walk->rule->map.pairs[walk->pair].value;
		uint32_t i = walk->item++;

		*layer = walk->rule->map.pairs[walk->pair].key;
		if (i < (node_is_sequence(value) ? value->seq.count : 1))
			return node_is_sequence(value) ? value->seq.items[i] : value;
	}
	return NULL;
}

int delete_rule_check(const struct options *options, struct problem *problem)
{
	struct place_walk walk = {.rule = options_get(options, "delete")};
	const struct node *place, *layer;
	int r = 0;

	if (walk.rule && !node_is_map(walk.rule))
		return problem_at(problem, walk.rule, "%s", form);
	for (uint32_t i = 0; walk.rule && i < walk.rule->map.count; i++)
		if (!node_is_scalar(walk.rule->map.pairs[i].key))
			return problem_at(problem, walk.rule->map.pairs[i].key, "%s", form);
	while (r == 0 && (place = next_place(&walk, &layer)))
		r = check_place(place, problem);
	return r;
}

/* Returns whether the key is the text at `at`, which has backslashes. */
static bool is_key(const struct node *key, const char *at, size_t len)
{
	char name[SPELLING_MAX];
	bool is_text = true;
	size_t count = 0;

	for (size_t from = 0; from < len; from++, count++) {
		from += at[from] == '\\' && from + 1 < len;
		is_text = is_text && count < key->text.len && key->text.data[count] == at[from];
		if (count < sizeof(name))
			name[count] = at[from];
	}
	if (is_text && count == key->text.len)
		return true;
	return key->spelling && count <= sizeof(name) &&
	       spelling_is(key, (struct span){name, count});
}

static const struct pair *find_key(const struct node *map, const char *at, size_t len)
{
	for (uint32_t i = 0; i < map->map.count; i++) {
		const struct pair *pair = &map->map.pairs[i];

		if (node_is_scalar(pair->key) && deep_value(pair) && is_key(pair->key, at, len))
			return pair;
	}
	return NULL;
}

/* Returns the end of the word that begins at `at`: a dot without a backslash, or `end`. */
static const char *word_end(const char *at, const char *end)
{
	while (at < end && *at != '.')
		at += *at == '\\' && at + 1 < end ? 2 : 1;
	return at;
}

/* Makes {key: "!delete"}, or a map with `inner` as its value. */
static int build_pair(struct deep *deep, const struct pair *pair, const struct node *inner,
	const struct node *place, const struct node **ret)
{
	struct arena *arena = deep->merge->arena;
	struct node *value = node_copy(arena, place);
	struct node *tree = node_new_map(arena, place);

	if (!value || !tree)
		return -ENOMEM;
	value->tag = "!delete";
	value->style = NODE_PLAIN;
	value->text = (struct span){"", 0};
	tree->tag = NULL;
	tree->style = NODE_FLOW; /* so it does not change how the result is written */
	*ret = tree;
	return node_append(
		arena, tree, &(struct pair){pair->key, inner ? inner : value, pair->hash});
}

/*
 * Makes a tree that leads from `map` to the place and has "!delete" there. *ret is NULL if the
 * place is not there. A key may contain dots, so each beginning of the place may be a key.
 */
static int build(struct deep *deep, const struct node *map, const char *at, const char *end,
	const struct node *place, const struct node **ret)
{
	int r = 0;

	*ret = NULL;
	for (const char *word = at; r == 0 && !*ret && node_is_map(map) && word <= end; word++) {
		const struct node *inner = NULL;

		word = word_end(word, end);
		const struct pair *pair = find_key(map, at, (size_t)(word - at));
		bool has_rest = word < end;
		if (!pair)
			continue;
		r = deep_enter(deep, place);
		if (r == 0 && has_rest)
			r = build(deep, deep_value(pair), word + 1, end, place, &inner);
		deep_leave(deep);
		if (r == 0 && (inner || !has_rest))
			r = build_pair(deep, pair, inner, place, ret);
	}
	return r;
}

static int delete_place(struct deep *deep, const struct node *place, const struct node **root)
{
	const char *end = span_end(place->text);
	bool had_directives = deep->has_directives;
	const struct node *tree = NULL, *left;

	int r = *root ? build(deep, *root, place->text.data, end, place, &tree) : 0;
	if (r != 0 || !tree)
		return r;
	deep->has_directives = true;
	r = deep_combine(deep, *root, tree, NULL, &left);
	deep->has_directives = had_directives;
	if (r == 0)
		*root = left;
	return r;
}

int delete_rule_apply(struct deep *deep, const char *layer, const struct node **root)
{
	struct place_walk walk = {.rule = options_get(deep->merge->request->options, "delete")};
	const struct node *place, *by;
	int r = 0;

	while (r == 0 && (place = next_place(&walk, &by)))
		if (span_is(by->text, layer))
			r = delete_place(deep, place, root);
	return r;
}

static bool has_place(const struct node *root, const char *at, const char *end)
{
	bool has_it = false;

	for (const char *word = at; !has_it && node_is_map(root) && word <= end; word++) {
		word = word_end(word, end);
		const struct pair *pair = find_key(root, at, (size_t)(word - at));
		has_it = pair && (word == end || has_place(pair->value, word + 1, end));
	}
	return has_it;
}

/* Returns whether the layer is above that of the input. */
static bool is_above(const struct merge_request *request, const struct node *layer,
	const struct merge_input *input)
{
	bool is_so = false;

	for (size_t i = 0; i < request->count; i++)
		if (span_is(layer->text, request->inputs[i].source.layer))
			is_so = request->inputs[i].source.rank > input->source.rank;
	return is_so;
}

int delete_rule_note(const struct merge_request *request, size_t input, const struct node *root,
	struct option_uses *uses)
{
	struct place_walk walk = {.rule = options_get(request->options, "delete")};
	const struct node *place, *layer;
	int r = 0;

	while (r == 0 && (place = next_place(&walk, &layer))) {
		const char *at = place->text.data;

		if (is_above(request, layer, &request->inputs[input]) &&
			has_place(root, at, at + place->text.len))
			r = option_uses_add(uses, place);
	}
	return r;
}

int delete_rule_report_idle(const struct options *options, const struct option_uses *uses,
	int (*report)(void *context, const struct problem *problem), void *context)
{
	struct place_walk walk = {.rule = options_get(options, "delete")};
	const struct node *place, *layer;
	struct problem problem;
	int r = 0;

	while (r == 0 && (place = next_place(&walk, &layer))) {
		if (option_uses_have(uses, place))
			continue;
		problem_at(&problem, place,
			"'%s' in 'delete' has no effect: no file of the layer '%s' has a value "
			"there in a lower layer; correct the place, or remove it",
			place->text.data, layer->text.data);
		r = report(context, &problem);
	}
	return r;
}
