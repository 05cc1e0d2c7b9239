#include "delete_rule.h"

#include <errno.h>
#include <string.h>

#include "spelling.h"

static const char form[] = "'delete' is a map of layers to places such as {site: server.tls}";

static int check_place(const struct node *place, struct problem *problem)
{
	if (!node_is_scalar(place) || !place->text.len)
		return problem_at(problem, place,
			"a place to delete is the keys that lead to it, such as 'server.tls'");
	return 0;
}

int delete_rule_check(const struct options *options, struct problem *problem)
{
	const struct node *rule = options_get(options, "delete");
	int r = 0;

	if (rule && !node_is_map(rule))
		return problem_at(problem, rule, "%s", form);
	for (uint32_t i = 0; rule && r == 0 && i < rule->map.count; i++) {
		const struct pair *pair = &rule->map.pairs[i];
		bool is_list = node_is_sequence(pair->value);
		if (!node_is_scalar(pair->key))
			return problem_at(problem, pair->key, "%s", form);
		if (!is_list)
			r = check_place(pair->value, problem);
		for (uint32_t j = 0; is_list && r == 0 && j < pair->value->seq.count; j++)
			r = check_place(pair->value->seq.items[j], problem);
	}
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
	const char *end = place->text.data + place->text.len;
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
	const struct node *rule = options_get(deep->merge->request->options, "delete");
	int r = 0;

	for (uint32_t i = 0; rule && r == 0 && i < rule->map.count; i++) {
		const struct pair *pair = &rule->map.pairs[i];
		bool is_list = node_is_sequence(pair->value);
		if (!span_is(pair->key->text, layer))
			continue;
		if (!is_list)
			r = delete_place(deep, pair->value, root);
		for (uint32_t j = 0; is_list && r == 0 && j < pair->value->seq.count; j++)
			r = delete_place(deep, pair->value->seq.items[j], root);
	}
	return r;
}

/*
 * Calls `each` for each place of the rule, with the layer that deletes it. Stops at the first
 * result other than 0.
 */
static int each_place(const struct options *options,
	int (*each)(void *context, const struct node *layer, const struct node *place),
	void *context)
{
	const struct node *rule = options_get(options, "delete");
	int r = 0;

	for (uint32_t i = 0; rule && r == 0 && i < rule->map.count; i++) {
		const struct pair *pair = &rule->map.pairs[i];

		if (!node_is_sequence(pair->value))
			r = each(context, pair->key, pair->value);
		else
			for (uint32_t j = 0; r == 0 && j < pair->value->seq.count; j++)
				r = each(context, pair->key, pair->value->seq.items[j]);
	}
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

struct delete_noting {
	const struct merge_request *request;
	size_t input;
	const struct node *root;
	struct option_uses *uses;
};

static int note_place(void *context, const struct node *layer, const struct node *place)
{
	const struct delete_noting *noting = context;
	const struct merge_input *inputs = noting->request->inputs;
	bool is_below = false;

	for (size_t i = 0; i < noting->request->count; i++)
		if (span_is(layer->text, inputs[i].source.layer))
			is_below = inputs[i].source.rank > inputs[noting->input].source.rank;
	const char *at = place->text.data;
	if (!is_below || !has_place(noting->root, at, at + place->text.len))
		return 0;
	return option_uses_add(noting->uses, place);
}

int delete_rule_note(const struct merge_request *request, size_t input, const struct node *root,
	struct option_uses *uses)
{
	struct delete_noting noting = {request, input, root, uses};

	return each_place(request->options, note_place, &noting);
}

struct delete_report {
	const struct option_uses *uses;
	int (*report)(void *context, const struct problem *problem);
	void *context;
};

static int report_place(void *context, const struct node *layer, const struct node *place)
{
	const struct delete_report *deletion = context;
	struct problem problem;

	if (option_uses_have(deletion->uses, place))
		return 0;
	problem_at(&problem, place,
		"'%s' in 'delete' has no effect: no file of the layer '%s' has a value there in a "
		"lower layer; correct the place, or remove it",
		place->text.data, layer->text.data);
	return deletion->report(deletion->context, &problem);
}

int delete_rule_report_idle(const struct options *options, const struct option_uses *uses,
	int (*report)(void *context, const struct problem *problem), void *context)
{
	struct delete_report deletion = {uses, report, context};

	return each_place(options, report_place, &deletion);
}
