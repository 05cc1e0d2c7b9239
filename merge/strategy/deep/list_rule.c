#include "list_rule.h"

#include <errno.h>

#include "format/ini_dialect.h"
#include "item_key.h"
#include "scalar.h"
#include "spelling.h"
#include "value_lock_place.h"

struct list_pattern {
	const struct value_lock_word *words;
	size_t count;
	size_t spelled; /* words of kind VALUE_LOCK_KEY: they make the pattern specific */
	struct list_rule rule;
};

struct list_rules {
	struct list_pattern *patterns; /* in the order in which they are written */
	size_t count;
	unsigned have; /* bits of enum list_feature */
	struct list_rule fallback;
	/* Decides which keys are lists without a rule; NULL: none. */
	const struct ini_dialect *dialect;
	struct list_rule assigned; /* the rule for those keys */
	struct list_rule sections; /* the rule for the dialect's lists of maps */
};

#define MODES "replace, append, prepend, unique, repeat or {by: KEY}"
const char *const list_mode_names[LIST_BY_KEY] = {
	"replace", "append", "prepend", "unique", "repeat"};

static int read_mode(const struct node *value, enum list_mode *ret, struct problem *problem)
{
	if (!node_is_scalar(value))
		return problem_at(problem, value, "lists combine by %s, and this is %s", MODES,
			node_kind_name(value));
	for (size_t i = 0; i < LIST_BY_KEY; i++)
		if (span_is(value->text, list_mode_names[i])) {
			*ret = (enum list_mode)i;
			return 0;
		}
	return problem_at(
		problem, value, "lists can't combine by '%s', only by %s", value->text.data, MODES);
}

/* Without `twice`, *ret stays. */
static int read_twice(const struct node *twice, enum list_twice *ret, struct problem *problem)
{
	bool is_bool = twice && node_is_scalar(twice) && scalar_type(twice) == SCALAR_BOOL;

	if (is_bool)
		*ret = scalar_bool(twice) ? LIST_TWICE_SECOND : LIST_TWICE_ERROR;
	else if (twice && node_is_scalar(twice) && span_is(twice->text, "merge"))
		*ret = LIST_TWICE_MERGE;
	else if (twice && node_is_scalar(twice) && span_is(twice->text, "error"))
		*ret = LIST_TWICE_ERROR;
	else if (twice)
		return problem_at(problem, twice,
			"'twice' says whether one layer may have a key more than once: true, "
			"false, merge or error");
	return 0;
}

/* Returns whether the map has `by` and nothing else but what may stand beside it. */
static bool has_rule_alone(const struct node *map)
{
	return map->map.count ==
	       1u + (node_get(map, "twice") != NULL) + (node_get(map, "required") != NULL);
}

static int read_rule(const struct node *place, const struct node *value, struct arena *arena,
	struct list_rule *ret, struct problem *problem)
{
	*ret = (struct list_rule){.place = place, .value = value};
	if (!node_is_map(value))
		return read_mode(value, &ret->mode, problem);

	const struct node *by = node_get(value, "by"), *required = node_get(value, "required");
	if (!by || !has_rule_alone(value))
		return problem_at(problem, value, "lists combine by %s", MODES);
	if (required && (!node_is_scalar(required) || scalar_type(required) != SCALAR_BOOL))
		return problem_at(problem, required,
			"'required' says whether an item without the key is an error: true or "
			"false");
	int r = read_twice(node_get(value, "twice"), &ret->twice, problem);
	if (r == 0)
		r = item_key_check(by, problem);
	if (r != 0)
		return r;
	ret->mode = LIST_BY_KEY;
	ret->by = by;
	ret->before = item_key_before(by);
	ret->needs_key = required && scalar_bool(required);
	ret->by_name = item_key_write(by, arena);
	return ret->by_name ? 0 : -ENOMEM;
}

/*
 * Returns whether `lists` is {by: KEY}, a rule for all lists. As a pattern, "by" means the lists
 * with that key, and its value is a mode or a map.
 */
static bool is_rule(const struct node *lists)
{
	const struct node *by = node_get(lists, "by");

	if (!by || !has_rule_alone(lists) || (node_is_map(by) && node_get(by, "by")))
		return false;
	for (size_t i = 0; node_is_scalar(by) && i < LIST_BY_KEY; i++)
		if (span_is(by->text, list_mode_names[i]))
			return false;
	return !scalar_is_empty(by);
}

static void note_features(struct list_rules *rules, const struct list_rule *rule)
{
	rules->have |= (rule->mode == LIST_BY_KEY ? LIST_HAS_KEYS : 0u) |
		       (rule->mode == LIST_REPEAT ? LIST_REPEATS : 0u) |
		       (rule->before ? LIST_HAS_PAIRS : 0u);
}

static int read_pattern(const struct node *name, struct arena *arena, struct list_pattern *ret,
	struct problem *problem)
{
	struct span text = name->text;
	const char *end = span_end(text);

	/* At worst each byte is a word; one more for the word that "*" at the end adds. */
	struct value_lock_word *words = arena_zalloc(arena, text.len + 2, sizeof(*words));
	char *out = arena_alloc(arena, 2 * text.len + 2);
	if (!words || !out)
		return -ENOMEM;

	for (const char *at = text.len > 0 ? text.data : NULL; at;) {
		struct value_lock_word *word = &words[ret->count++];

		if (!value_lock_next_word(&at, end, out, word))
			return problem_at(problem, name,
				"'%s' is no path to a list: between dots stands a key, '*' or "
				"'**'; in "
				"a key write '\\.' for a dot and '\\*' for an asterisk",
				text.data);
		out += word->key.len + 1;
		ret->spelled += word->kind == VALUE_LOCK_KEY;
	}
	if (ret->count > 0 && words[ret->count - 1].kind == VALUE_LOCK_ONE)
		words[ret->count++].kind = VALUE_LOCK_MANY;
	if (span_is(text, "*"))
		words++, ret->count--;
	ret->words = words;
	return 0;
}

static int read_patterns(const struct node *map, struct arena *arena, struct list_rules *rules,
	struct problem *problem)
{
	rules->patterns = arena_zalloc(arena, map->map.count, sizeof(*rules->patterns));
	if (!rules->patterns)
		return -ENOMEM;

	for (uint32_t i = 0; i < map->map.count; i++) {
		const struct pair *pair = &map->map.pairs[i];
		struct list_pattern *pattern = &rules->patterns[rules->count];

		if (!node_is_scalar(pair->key))
			return problem_at(problem, pair->key,
				"the path to a list is text such as 'spec.containers'");
		if (scalar_is_empty(pair->value))
			continue;
		int r = read_pattern(pair->key, arena, pattern, problem);
		if (r == 0)
			r = read_rule(pair->key, pair->value, arena, &pattern->rule, problem);
		if (r != 0)
			return r;
		note_features(rules, &pattern->rule);
		rules->count++;
	}
	return 0;
}

/* Reads how lists combine without a rule, from the format. */
static int read_fallback(const struct format *format, struct arena *arena, struct list_rules *rules)
{
	const struct ini_dialect *dialect = format ? format->dialect : NULL;

	rules->fallback.mode = format && !dialect ? LIST_REPEAT : LIST_REPLACE;
	rules->have = format ? LIST_REPEATS : 0;
	rules->dialect = dialect;
	/*
	 * If any key may be repeated, an empty value may remove everything before it, so its
	 * position matters.
	 */
	rules->assigned.mode = dialect && dialect->keys == INI_LIST ? LIST_APPEND : LIST_UNIQUE;
	rules->assigned.is_assigned = true;
	if (!dialect || !dialect->lists.by)
		return 0;
	rules->sections = (struct list_rule){.mode = LIST_BY_KEY,
		.by = node_new_scalar(arena, span_of(dialect->lists.by), NODE_DOUBLE),
		.by_name = dialect->lists.by};
	if (!rules->sections.by)
		return -ENOMEM;
	rules->have |= LIST_HAS_KEYS;
	return 0;
}

int list_rules_read(const struct options *options, const struct format *format, struct arena *arena,
	const struct list_rules **ret, struct problem *problem)
{
	const struct node *lists = options_get(options, "lists");
	struct list_rules *rules = arena_zalloc(arena, 1, sizeof(*rules));
	int r = rules ? read_fallback(format, arena, rules) : -ENOMEM;

	if (r != 0)
		return r;
	if (lists && node_is_map(lists) && !is_rule(lists)) {
		r = read_patterns(lists, arena, rules, problem);
	} else if (lists) {
		/* One word that matches any number of keys. */
		static const struct value_lock_word all = {.kind = VALUE_LOCK_MANY};

		rules->patterns = arena_zalloc(arena, 1, sizeof(*rules->patterns));
		if (!rules->patterns)
			return -ENOMEM;
		rules->patterns[0].words = &all;
		rules->patterns[0].count = rules->count = 1;
		r = read_rule(NULL, lists, arena, &rules->patterns[0].rule, problem);
		note_features(rules, &rules->patterns[0].rule);
	}
	if (r == 0)
		*ret = rules;
	return r;
}

/*
 * Returns how many of the last of words[0..left) are the key, which may contain dots; 0: it does
 * not match.
 */
static size_t count_words(const struct value_lock_word *words, size_t left, const struct node *key)
{
	size_t count = 0;

	if (left > 0 && words[left - 1].kind == VALUE_LOCK_ONE)
		return 1;
	if (left > 0 && words[left - 1].kind == VALUE_LOCK_KEY &&
		spelling_is(key, words[left - 1].key))
		return 1;
	struct span rest = node_is_scalar(key) ? key->text : (struct span){NULL, 0};
	for (; rest.data && count < left && words[left - 1 - count].kind == VALUE_LOCK_KEY;
		count++) {
		struct span word = words[left - 1 - count].key;

		if (rest.len < word.len ||
			memcmp(span_end(rest) - word.len, word.data, word.len) != 0)
			return 0;
		rest.len -= word.len;
		if (rest.len == 0)
			return count + 1;
		if (rest.data[--rest.len] != '.')
			return 0;
	}
	return 0;
}

/*
 * Goes from the list up to the root. After a mismatch only the last "any number" that was passed
 * can help, by taking one more key. So the steps are at most keys times words.
 */
static bool matches(const struct list_pattern *pattern, const struct list_place *place)
{
	const struct value_lock_word *words = pattern->words;
	const struct list_place *at = place, *many_at = NULL;
	size_t left = pattern->count, left_after_many = 0;
	bool seen_many = false;

	while (at) {
		size_t count = count_words(words, left, at->key);

		if (left > 0 && words[left - 1].kind == VALUE_LOCK_MANY) {
			seen_many = true;
			many_at = at;
			left_after_many = --left;
		} else if (count > 0) {
			left -= count;
			at = at->up;
		} else if (seen_many) {
			at = many_at = many_at->up;
			left = left_after_many;
		} else {
			return false;
		}
	}
	while (left > 0 && words[left - 1].kind == VALUE_LOCK_MANY)
		left--;
	return left == 0;
}

static const struct list_rule *find_fallback(
	const struct list_rules *rules, const struct list_place *place)
{
	static const struct list_rule added = {.mode = LIST_APPEND, .is_assigned = true};

	if (!rules->dialect || !place || !node_is_scalar(place->key))
		return &rules->fallback;
	if (!place->up && ini_is_list_section(rules->dialect, place->key->text))
		return &rules->sections;
	if (!ini_is_list_key(rules->dialect, place->key->text))
		return &rules->fallback;
	const char *switches = rules->dialect->lists.switches;
	return switches && span_is_in(place->key->text, switches, ",") ? &added : &rules->assigned;
}

const struct list_rule *list_rules_find(
	const struct list_rules *rules, const struct list_place *place)
{
	const struct list_pattern *best = NULL;

	for (size_t i = 0; i < rules->count; i++) {
		const struct list_pattern *pattern = &rules->patterns[i];
		if ((!best || pattern->spelled >= best->spelled) && matches(pattern, place))
			best = pattern;
	}
	return best ? &best->rule : find_fallback(rules, place);
}

bool list_rules_have(const struct list_rules *rules, enum list_feature feature)
{
	return rules->have & feature;
}

static int report_pattern(const struct list_pattern *pattern, const struct option_uses *uses,
	int (*report)(void *context, const struct problem *problem), void *context)
{
	const struct list_rule *rule = &pattern->rule;
	struct problem problem;

	/* A pattern for all lists names no place. */
	if (pattern->spelled && !option_uses_have(uses, rule->place))
		problem_at(&problem, rule->place,
			"'%s' in 'lists' has no effect: no file has a list%s there; correct the "
			"place, or remove it",
			rule->place->text.data, rule->mode == LIST_REPEAT ? " or a text" : "");
	else if (rule->by && option_uses_have(uses, rule->value) &&
		 !option_uses_have(uses, rule->by))
		problem_at(&problem, rule->by,
			"the lists can't be matched by '%s': none of their items has it; correct "
			"the key, or give another mode",
			rule->by_name);
	else
		return 0;
	return report(context, &problem);
}

int list_rules_report_idle(const struct list_rules *rules, const struct option_uses *uses,
	int (*report)(void *context, const struct problem *problem), void *context)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < rules->count; i++)
		r = report_pattern(&rules->patterns[i], uses, report, context);
	return r;
}
