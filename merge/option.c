#include "option.h"

#include <assert.h>
#include <stdio.h>

#include "scalar.h"
#include "strategy.h"

/* Bytes; more than the names of any strategy's options, or the choices of any option, need. */
#define LIST_MAX 512

static const struct option_spec *find_spec(const struct strategy *strategy, struct span name)
{
	for (const struct option_spec *spec = strategy->options; spec && spec->name; spec++)
		if (span_is(name, spec->name))
			return spec;
	return NULL;
}

void options_names(const struct strategy *strategy, char *list, size_t size)
{
	list[0] = '\0';
	for (const struct option_spec *spec = strategy->options; spec && spec->name; spec++) {
		size_t used = strlen(list);

		(void)snprintf(list + used, size - used, "%s%s", used ? ", " : "", spec->name);
	}
}

/* Turns "a|b|c" into "a, b, c". */
static void list_choices(const struct option_spec *spec, char *list, size_t size)
{
	size_t used = 0;

	for (const char *at = spec->choices; *at && used + 3 < size; at++) {
		if (*at == '|') {
			list[used++] = ',';
			list[used++] = ' ';
		} else {
			list[used++] = *at;
		}
	}
	list[used] = '\0';
}

static int unknown(const struct strategy *strategy, const struct node *key, struct problem *problem)
{
	char names[LIST_MAX];

	if (!strategy->options || !strategy->options->name)
		return problem_at(problem, key,
			"the strategy '%s' takes no options; leave them out", strategy->name);

	options_names(strategy, names, sizeof(names));
	if (!node_is_scalar(key))
		return problem_at(problem, key, "an option's name is a word; '%s' has: %s",
			strategy->name, names);
	return problem_at(problem, key, "the strategy '%s' has no option '%s'; it has: %s",
		strategy->name, key->text.data, names);
}

static int check_value(
	const struct option_spec *spec, const struct node *value, struct problem *problem)
{
	char choices[LIST_MAX];

	if (scalar_is_empty(value))
		return 0;
	switch (spec->type) {
	case OPTION_BOOL:
		if (!node_is_scalar(value) || scalar_type(value) != SCALAR_BOOL)
			return problem_at(
				problem, value, "the option '%s' is true or false", spec->name);
		break;
	case OPTION_TEXT:
		if (!node_is_scalar(value))
			return problem_at(problem, value,
				"the option '%s' is a text, and this is %s; write a text",
				spec->name, node_kind_name(value));
		break;
	case OPTION_CHOICE:
		list_choices(spec, choices, sizeof(choices));
		if (!node_is_scalar(value))
			return problem_at(problem, value,
				"the option '%s' is one of: %s; and this is %s", spec->name,
				choices, node_kind_name(value));
		if (!span_is_in(value->text, spec->choices, "|"))
			return problem_at(problem, value,
				"the option '%s' can't be '%s'; it is one of: %s", spec->name,
				value->text.data, choices);
		break;
	case OPTION_VALUE:
		break;
	}
	return 0;
}

int options_check(const struct options *options, struct problem *problem)
{
	const struct node *map = options->map;
	const struct strategy *strategy = options->strategy;

	if (map && !scalar_is_null(map)) {
		if (!node_is_map(map))
			return problem_at(problem, map, "options are a map, and this is %s",
				node_kind_name(map));

		for (uint32_t i = 0; i < map->map.count; i++) {
			const struct pair *pair = &map->map.pairs[i];
			const struct option_spec *spec = NULL;

			if (node_is_scalar(pair->key))
				spec = find_spec(strategy, pair->key->text);
			if (!spec)
				return unknown(strategy, pair->key, problem);

			int r = check_value(spec, pair->value, problem);
			if (r != 0)
				return r;
		}
	}
	return strategy->check ? strategy->check(options, problem) : 0;
}

const struct node *options_get(const struct options *options, const char *name)
{
	if (!options->map || !node_is_map(options->map))
		return NULL;

	/* As in a merged file, an empty `name:` says nothing: the default applies. */
	const struct node *value = node_get(options->map, name);
	return value && !scalar_is_empty(value) ? value : NULL;
}

bool options_bool(const struct options *options, const char *name)
{
	const struct node *value = options_get(options, name);
	if (value)
		return scalar_bool(value);

	const struct option_spec *spec = find_spec(options->strategy, span_of(name));
	assert(spec && spec->type == OPTION_BOOL);
	return strcmp(spec->fallback, "true") == 0;
}

struct span options_text(const struct options *options, const char *name)
{
	const struct node *value = options_get(options, name);
	if (value)
		return value->text;

	const struct option_spec *spec = find_spec(options->strategy, span_of(name));
	assert(spec && (spec->type == OPTION_TEXT || spec->type == OPTION_CHOICE));
	return span_of(spec->fallback);
}
