#include <errno.h>
#include <string.h>

#include "cleanup.h"
#include "deep_documents.h"
#include "delete_rule.h"
#include "format/ini_dialect.h"
#include "scalar.h"
#include "spelling.h"

/* A directive is not part of the value that it stands on. */
static const char *foreign_tag(const struct node *node)
{
	return directive_of(node) == DIRECTIVE_NONE ? node_foreign_tag(node) : NULL;
}

/* Returns whether both are of that kind and have the same foreign tag, such as !Ref, or none. */
static bool are_both(enum node_kind kind, const struct node *a, const struct node *b)
{
	if (!a || a->kind != kind || b->kind != kind)
		return false;

	const char *tag_a = foreign_tag(a), *tag_b = foreign_tag(b);
	return tag_a == tag_b || (tag_a && tag_b && strcmp(tag_a, tag_b) == 0);
}

/* Refuses a directive in a key: it would become part of the key in the result. */
static int check_key(struct deep *deep, const struct node *key)
{
	int r = 0;

	if (!deep->has_directives)
		return 0;
	if (directive_of(key) != DIRECTIVE_NONE)
		return problem_at(deep->merge->problem, key,
			"'%s' stands at a key; put it behind the colon, at the value", key->tag);
	for (uint32_t i = 0; r == 0 && i < node_count(key); i++) {
		if (node_is_map(key))
			r = check_key(deep, key->map.pairs[i].key);
		if (r == 0)
			r = check_key(deep, *node_entry(key, i));
	}
	return r;
}

/* Returns whether the value needs no work; most values are like that. */
static bool is_plain_leaf(const struct node *value)
{
	return node_is_scalar(value) && !value->tag;
}

static int take_map(struct deep *deep, const struct node *value, const struct list_place *place,
	const struct node **ret)
{
	struct node *map = NULL;
	int r = deep_enter(deep, value);

	if (r == 0 && directive_of(value) != DIRECTIVE_NONE) {
		r = deep_own(deep, value, &map);
		if (r == 0)
			map->tag = NULL;
	}
	for (uint32_t i = 0; r == 0 && i < value->map.count; i++) {
		const struct pair *pair = &value->map.pairs[i];
		const struct list_place inner = {place, pair->key};
		const struct node *taken;

		r = check_key(deep, pair->key);
		if (is_plain_leaf(pair->value))
			continue;
		if (r == 0)
			r = deep_combine(deep, NULL, pair->value, &inner, &taken);
		if (r != 0 || taken == pair->value)
			continue;
		if (!map)
			r = deep_own(deep, value, &map);
		if (r == 0)
			deep_set(map, i, taken);
	}
	/* A deleted key was in no lower layer, so its place is not kept. */
	if (r == 0 && map)
		r = deep_drop_removed(deep->merge->arena, deep->origins, map, &map);
	deep_leave(deep);
	if (r == 0)
		*ret = map ? map : value;
	return r;
}

/* Does deep_combine() without `below`: carries out the directives of `value` and inside it. */
static int take(struct deep *deep, const struct node *value, const struct list_place *place,
	const struct node **ret)
{
	bool is_bare = directive_of(value) == DIRECTIVE_NONE;

	if (is_bare &&
		(node_is_scalar(value) ||
			(!deep->has_directives && !list_rules_have(deep->rules, LIST_HAS_KEYS)))) {
		*ret = value;
		return 0;
	}
	if (node_is_map(value))
		return take_map(deep, value, place, ret);
	if (node_is_sequence(value))
		return deep_take_list(deep, value, place, ret);

	struct node *bare = node_copy(deep->merge->arena, value);
	if (!bare)
		return -ENOMEM;
	bare->tag = NULL;
	*ret = bare;
	return deep_spend(deep, value, 1);
}

/* Records a deletion: `old` was in `map`, and `pair` has the directive. */
static int note_deleted(
	struct deep *deep, const struct node *map, const struct node *old, const struct pair *pair)
{
	int r = deep_let_go(deep, old, &old);

	if (r == 0)
		origin_remove(deep->origins, map, pair->key, old,
			(struct origin_why){"the value is deleted", pair->value});
	return r;
}

static int merge_pair(struct deep *deep, struct node **map, const struct node *below,
	const struct pair *pair, const struct list_place *place)
{
	const struct pair *found = node_find_hashed(below, pair->key, pair->hash);
	const struct node *old = found ? deep_value(found) : NULL;
	size_t number = found ? (size_t)(found - below->map.pairs) : 0;
	const struct list_place inner = {place, pair->key};
	const struct node *combined;

	int r = check_key(deep, pair->key);
	if (r == 0)
		r = deep_combine(deep, old, pair->value, &inner, &combined);
	if (r != 0 || combined == old)
		return r;
	if (!*map) {
		r = deep_own(deep, below, map);
		if (r != 0)
			return r;
	}
	if (found) {
		deep_set(*map, number, combined);
		if (pair->key->spelling)
			(*map)->map.pairs[number].key = pair->key;
		if (!combined)
			return note_deleted(deep, *map, old, pair);
		if (!old)
			origin_restore(deep->origins, *map, pair->key, combined);
		return 0;
	}
	r = deep_spend(deep, pair->key, 1);
	if (r != 0)
		return r;
	origin_restore(deep->origins, *map, pair->key, combined);
	return node_append(
		deep->merge->arena, *map, &(struct pair){pair->key, combined, pair->hash});
}

static int merge_maps(struct deep *deep, const struct node *below, const struct node *value,
	const struct list_place *place, const struct node **ret)
{
	struct node *map = NULL;
	int r = deep_enter(deep, value);

	for (uint32_t i = 0; r == 0 && i < value->map.count; i++)
		r = merge_pair(deep, &map, map ? map : below, &value->map.pairs[i], place);
	deep_leave(deep);
	if (r != 0)
		return r;
	if (map)
		deep_widen(map, value);
	*ret = map ? map : below;
	origin_note(deep->origins, *ret, value, ORIGIN_PART,
		(struct origin_why){"maps merge key by key", NULL});
	return 0;
}

/* Carries out "!delete", alone or on an empty value: `!reset null`, `!reset []`. */
static int delete (struct deep *deep, const struct node *value, const struct node **ret)
{
	struct node bare = *value;

	bare.tag = NULL;
	if (node_is_scalar(&bare) ? !scalar_is_null(&bare) && bare.text.len > 0
				  : node_count(&bare) > 0)
		return problem_at(deep->merge->problem, value,
			"'%s' takes no value; to replace the lower value by this one, write "
			"'!replace'",
			value->tag);
	*ret = NULL;
	return 0;
}

/* Returns whether the values are of one kind. If keys may be repeated, a text is a list of one. */
static bool is_one_kind(const struct deep *deep, const struct node *below, const struct node *value)
{
	return below->kind == value->kind ||
	       (!node_is_map(below) && !node_is_map(value) && deep_repeating(deep->merge->request));
}

/* Returns the rule by which `value`, without a directive, replaces the value below. */
static const char *replace_rule(
	const struct deep *deep, const struct node *below, const struct node *value)
{
	if (!is_one_kind(deep, below, value))
		return "a later value of another kind replaces";
	return node_is_sequence(value) ? "lists: replace" : "the later value replaces";
}

/* Null fits any kind. The kind behind a foreign tag, such as !include of a scalar, is not known. */
static bool has_kind(const struct node *node)
{
	return !foreign_tag(node) && !scalar_is_null(node);
}

/*
 * Checks a value that replaces one of another kind: that removes everything below, which is seldom
 * intended, such as `jobs: {…}` over a list of the layers below. !replace makes it explicit.
 */
static int check_kind(struct deep *deep, const struct node *below, const struct node *value,
	const struct list_place *place)
{
	const struct merge_request *request = deep->merge->request;
	bool is_named = place && node_is_scalar(place->key);
	struct span name = is_named ? place->key->text : span_of(place ? "the value" : "the file");
	struct problem problem;

	if (directive_of(value) != DIRECTIVE_NONE || !has_kind(below) || !has_kind(value))
		return 0;
	problem_at(&problem, value,
		"%s%.*s%s is %s here and replaces %s in %s:%u:%u; %s if that is meant",
		is_named ? "'" : "", (int)name.len, name.data, is_named ? "'" : "",
		node_kind_name(value), node_kind_name(below), source_shown(below->source),
		(unsigned)below->line, (unsigned)below->column,
		merge_may_have_tag(deep->merge, value) ? "write '!replace'" : "remove it there");
	if (deep->kinds == DEEP_KINDS_STRICT) {
		*deep->merge->problem = problem;
		return PROBLEM;
	}
	request->warn(request->warn_context, &problem);
	return 0;
}

/* Warns of a map that replaces one with a foreign tag, as only maps with the same tag merge. */
static void check_tag(const struct deep *deep, const struct node *below, const struct node *value,
	const struct list_place *place)
{
	const struct merge_request *request = deep->merge->request;
	struct span name =
		place && node_is_scalar(place->key) ? place->key->text : span_of("the map");
	struct problem problem;

	if (!request->warn || !node_is_map(below) || !node_is_map(value) || value->tag ||
		!foreign_tag(below))
		return;
	problem_at(&problem, value,
		"'%.*s' has no tag here, and so replaces all of the map with the tag '%s' in "
		"%s:%u:%u; write that tag, or '!replace' if that is meant",
		(int)name.len, name.data, foreign_tag(below), source_shown(below->source),
		(unsigned)below->line, (unsigned)below->column);
	request->warn(request->warn_context, &problem);
}

/* Puts the value in place of the value below: a tag, its kind or a rule requires it. */
static int put_in_place(struct deep *deep, const struct node *below, const struct node *value,
	const struct list_place *place, const struct node **ret)
{
	int r = take(deep, value, place, ret);

	if (r == 0)
		r = deep_let_go(deep, below, &below);
	if (r == 0 && below && deep->origins)
		origin_replace(deep->origins, *ret, below,
			(struct origin_why){directive_of(value) != DIRECTIVE_NONE
						    ? value->tag
						    : replace_rule(deep, below, value),
				NULL});
	return r;
}

/* Combines a list that has a directive. */
static int combine_by_directive(struct deep *deep, const struct node *below,
	const struct node *value, const struct list_place *place, const struct node **ret)
{
	static const struct list_rule rules[] = {
		[DIRECTIVE_APPEND] = {.mode = LIST_APPEND},
		[DIRECTIVE_PREPEND] = {.mode = LIST_PREPEND},
		[DIRECTIVE_UNIQUE] = {.mode = LIST_UNIQUE},
	};

	if (!node_is_sequence(value))
		return problem_at(deep->merge->problem, value, "'%s' is for a list, and this is %s",
			value->tag, node_kind_name(value));
	if (!are_both(NODE_SEQUENCE, below, value))
		return put_in_place(deep, below, value, place, ret);
	return deep_merge_lists(deep, below, value, place, &rules[directive_of(value)], ret);
}

/* Records that the value below is replaced, or that it stays because the value is empty. */
static int note_leaf(
	struct deep *deep, const struct node *below, const struct node *value, bool is_taken)
{
	int r = 0;

	if (!is_taken)
		origin_note(deep->origins, below, value, ORIGIN_LOST,
			(struct origin_why){"an empty value changes nothing", NULL});
	else
		r = deep_let_go(deep, below, &below);
	if (is_taken && r == 0)
		origin_replace(deep->origins, value, below,
			(struct origin_why){replace_rule(deep, below, value), NULL});
	return r;
}

/*
 * Merges `value` into the value `below`, which is ours or immutable, or NULL: nothing. Returns 0
 * with *ret, NULL for nothing; PROBLEM; or -errno.
 */
int deep_combine(struct deep *deep, const struct node *below, const struct node *value,
	const struct list_place *place, const struct node **ret)
{
	if (below && list_rules_have(deep->rules, LIST_REPEATS) &&
		deep_is_repeat(deep, below, value, place))
		return deep_repeat(deep, below, value, place, ret);
	if (below && list_rules_have(deep->rules, LIST_HAS_PAIRS)) {
		int r = deep_make_pairs(deep, place, &below, &value);
		if (r != 0)
			return r;
	}
	if (deep->kinds != DEEP_KINDS_ANY && below) {
		int r = is_one_kind(deep, below, value) ? 0 : check_kind(deep, below, value, place);
		if (r != 0)
			return r;
		check_tag(deep, below, value, place);
	}
	if (is_plain_leaf(value)) {
		*ret = below && scalar_is_empty(value) ? below : value;
		return deep->origins && below ? note_leaf(deep, below, value, *ret == value) : 0;
	}
	switch (directive_of(value)) {
	case DIRECTIVE_DELETE:
		return delete (deep, value, ret);
	case DIRECTIVE_REPLACE:
		return put_in_place(deep, below, value, place, ret);
	case DIRECTIVE_APPEND:
	case DIRECTIVE_PREPEND:
	case DIRECTIVE_UNIQUE:
		return combine_by_directive(deep, below, value, place, ret);
	case DIRECTIVE_NONE:
		break;
	}

	if (are_both(NODE_MAP, below, value))
		return merge_maps(deep, below, value, place, ret);
	if (are_both(NODE_SEQUENCE, below, value)) {
		const struct list_rule *rule = list_rules_find(deep->rules, place);
		if (rule->mode != LIST_REPLACE && rule->mode != LIST_REPEAT && !rule->is_assigned)
			return deep_merge_lists(deep, below, value, place, rule, ret);
	}
	return put_in_place(deep, below, value, place, ret);
}

static bool is_verbatim(const struct merge_input *only)
{
	return !directive_may_be_in(only);
}

/*
 * Ignores directives other than !replace and !delete: they do not make a change of kind explicit,
 * and act independent of it.
 */
static int check_root(const struct deep *deep, const struct node *below, const struct node *value)
{
	enum directive directive = directive_of(value);
	struct node plain = *value, former = *below;

	if (directive == DIRECTIVE_REPLACE || directive == DIRECTIVE_DELETE)
		return 0;
	if (directive != DIRECTIVE_NONE)
		plain.tag = NULL;
	if (directive_of(below) != DIRECTIVE_NONE)
		former.tag = NULL;
	return merge_check_root(deep->merge, &former, &plain, "!replace");
}

/* Merges document `n` of input `i`, with the root `said`, into that of the layers below. */
static int merge_root(struct deep *deep, size_t i, size_t n, const struct node *said,
	struct deep_documents *documents)
{
	const struct node *below, *merged = NULL;
	bool is_removed, is_empty = scalar_is_empty(said);
	uint32_t number;

	/* An empty document says nothing, not even that the file is empty. */
	if (is_empty && documents->match != DEEP_DOCUMENTS_BY_POSITION)
		return 0;
	int r = deep_documents_find(deep, documents, i, n, said, &number);
	if (r == 0)
		r = deep_documents_check_removal(deep, documents, said, &is_removed);
	if (r != 0 || is_empty)
		return r;
	below = deep_value(&documents->map->map.pairs[number]);
	if (below && !is_removed)
		r = check_root(deep, below, said);
	if (r == 0 && !is_removed)
		r = deep_combine(deep, below, said, NULL, &merged);
	if (r != 0)
		return r;
	deep_set(documents->map, number, merged);
	const struct pair removal = {.key = documents->map->map.pairs[number].key, .value = said};
	if (below && !merged)
		return note_deleted(deep, documents->map, below, &removal);
	if (merged && !below)
		origin_restore(deep->origins, documents->map, removal.key, merged);
	return 0;
}

/*
 * Returns whether the only source has no directive after all: its text has only a %TAG, or a word
 * in a comment, that looks like one.
 */
static bool is_alone_without_directives(const struct merge *merge)
{
	const struct merge_input *only = &merge->inputs[0];

	return merge->count == 1 && only->text.data && only->format == merge->request->to &&
	       !merge->request->wants_tree && !directive_is_in(only->document);
}

static bool is_first_of_layer(const struct merge *merge, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (strcmp(merge->inputs[j].source.layer, merge->inputs[i].source.layer) == 0)
			return false;
	return true;
}

/*
 * Translates the keys of a source in another format, such as a drop-in in YAML, into the spelling
 * of the file's program.
 */
static int read_spellings(const struct merge *merge, const struct merge_input *input,
	const struct node *said, const struct node **ret)
{
	const struct ini_dialect *dialect = merge->request->to ? merge->request->to->dialect : NULL;

	*ret = said;
	if (!dialect || (input->format && input->format->dialect == dialect))
		return 0;
	return spelling_fold_tree(&dialect->sections.fold, &dialect->fold, said, merge->arena, ret);
}

/* Deletes, at the places of the option `delete`, what the layers below say in all documents. */
static int delete_below(struct deep *deep, const char *layer, struct deep_documents *documents)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < documents->map->map.count; i++) {
		const struct node *root = deep_value(&documents->map->map.pairs[i]);

		if (root)
			r = delete_rule_apply(deep, layer, &root);
		deep_set(documents->map, i, root);
	}
	return r;
}

static int merge_input(struct deep *deep, size_t i, struct deep_documents *documents)
{
	const struct merge *merge = deep->merge;
	const struct merge_input *input = &merge->inputs[i];
	int r = 0;

	if (options_get(merge->request->options, "delete") && is_first_of_layer(merge, i))
		r = delete_below(deep, input->source.layer, documents);
	deep->has_directives = directive_is_in(input->document);
	for (size_t n = 0; r == 0 && n < input->document->count; n++) {
		const struct node *said;

		r = read_spellings(merge, input, input->document->roots[n], &said);
		if (r == 0)
			r = merge_root(deep, i, n, said, documents);
	}
	return r;
}

static int merge_deep(struct merge *merge, struct merge_output *ret)
{
	struct deep deep = {.merge = merge, .origins = merge->origins};
	CLEANUP(arena_freep) struct arena *scratch = NULL;
	struct deep_documents documents;

	if (is_alone_without_directives(merge)) {
		if (merge->origins)
			merge->result->verbatim = merge->inputs[0].document;
		return merge_give_text(merge, &merge->inputs[0], ret);
	}
	int r = arena_new_like(merge->arena, &scratch);
	if (r != 0)
		return r;
	deep.scratch = scratch;
	r = deep_documents_init(&deep, &documents);
	if (r != 0)
		return r;
	if (span_is(options_text(merge->request->options, "kinds"), "strict"))
		deep.kinds = DEEP_KINDS_STRICT;
	else if (merge->request->warn)
		deep.kinds = DEEP_KINDS_WARN;
	r = list_rules_read(merge->request->options, deep_repeating(merge->request), scratch,
		&deep.rules, merge->problem);

	/* Without aliases, each value has at least one byte of text. */
	deep.allowed = 4 * (uint64_t)merge->request->limits.nodes;
	for (size_t i = 0; r == 0 && i < merge->count; i++)
		deep.allowed += merge->inputs[i].text.len;
	for (size_t i = 0; r == 0 && i < merge->count; i++)
		r = merge_input(&deep, i, &documents);
	*ret = (struct merge_output){0};
	return r == 0 ? deep_documents_give(&deep, &documents, &ret->root) : r;
}

static int check(const struct options *options, struct problem *problem)
{
	CLEANUP(arena_freep) struct arena *arena = NULL;
	const struct list_rules *rules;

	int r = arena_new(&arena);
	if (r == 0)
		r = list_rules_read(options, NULL, arena, &rules, problem);
	if (r == 0)
		r = deep_documents_check(options, problem);
	return r == 0 ? delete_rule_check(options, problem) : r;
}

static const struct list_rule *find_rule(const struct list_rules *rules,
	const struct node *const *keys, size_t count, const struct list_place *up)
{
	const struct list_place place = {up, *keys};

	return count > 1 ? find_rule(rules, keys + 1, count - 1, &place)
			 : list_rules_find(rules, &place);
}

static int list_outcome(const struct merge_request *request, const struct node *const *keys,
	size_t count, struct arena *arena, enum list_outcome *ret, const struct node **by)
{
	const struct list_rules *rules;
	const struct list_rule *rule;
	struct problem ignored; /* the options are checked already */

	int r = list_rules_read(request->options, deep_repeating(request), arena, &rules, &ignored);
	if (r != 0)
		return r < 0 ? r : -EINVAL;
	rule = count ? find_rule(rules, keys, count, NULL) : list_rules_find(rules, NULL);
	*by = rule->by;
	*ret = rule->mode == LIST_REPLACE  ? LIST_OUTCOME_WHOLE
	       : rule->mode == LIST_BY_KEY ? LIST_OUTCOME_BY_KEY
	       : rule->mode == LIST_UNIQUE ? LIST_OUTCOME_UNIQUE
					   : LIST_OUTCOME_PARTS;
	return 0;
}

static const struct option_spec options[] = {
	{"lists", OPTION_VALUE, "replace", NULL,
		"how lists combine: replace, append, prepend, unique, repeat or {by: KEY}. The "
		"value is one of these, for all lists, or a map with one of these for each place: "
		"{\"*\": replace, \"spec.containers\": {by: name}, \"run.*\": append}"},
	{"delete", OPTION_VALUE, "", NULL,
		"a map from names of layers to places. {site: server.tls}: the layer 'site' "
		"deletes what lower layers have there. For formats without the tag '!delete'"},
	{"kinds", OPTION_CHOICE, "any", "any|strict",
		"whether a map, list or scalar may replace a lower value of a different kind. any: "
		"it may. strict: it is an error, unless a tag allows it or one of the two is null"},
	{"documents", OPTION_VALUE, "", NULL,
		"how the documents of a YAML file are matched between layers: {by: KEY}, {by: "
		"[KEY, KEY]}, position, merge or refuse"},
	{0},
};

const struct strategy strategy_deep = {
	.name = "deep",
	.summary = "maps merge key by key, lists by rules, anything else is replaced",
	.options = options,
	.trees = STRATEGY_TREES_READ,
	.tags = "!replace, !override, !delete, !reset, !append, !prepend, !unique",
	.is_verbatim = is_verbatim,
	.check = check,
	.list_outcome = list_outcome,
	.match_document = deep_documents_match,
	.name_documents = deep_documents_name,
	.note_uses = deep_note_uses,
	.report_idle = deep_report_idle,
	.says = directive_says,
	.merge = merge_deep,
};
