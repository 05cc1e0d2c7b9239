#include "keyword.h"

#include <errno.h>

#include "check.h"
#include "decimal.h"
#include "reading.h"
#include "scalar.h"
#include "string_format.h"

/* The readers of values (keyword_spec.read). Each refuses a value that the drafts do not allow. */

static int wants(struct reading *reading, const struct keyword *keyword, const char *what)
{
	return problem_at(reading->problem, keyword->value, "'%s' must be %s, and not %s",
		keyword->spec->name, what, instance_type_name(keyword->value));
}

static int read_target(struct reading *reading, struct keyword *keyword, const char *name,
	const struct node *node, const struct node *key, uint32_t index, struct subschema **ret)
{
	const struct reading_step step = {
		.parent = keyword->owner, .step = span_of(name), .key = key, .index = index};

	return reading_subschema(reading, node, &step, ret);
}

static struct member *new_members(struct reading *reading, struct keyword *keyword)
{
	uint32_t count = node_count(keyword->value);

	keyword->members =
		arena_zalloc(reading->schema->arena, count + 1, sizeof(*keyword->members));
	keyword->count = count;
	return keyword->members;
}

static void name_member(struct member *member, struct span name)
{
	member->name = name;
	member->hash = instance_name_hash(name);
}

static int read_reference(struct reading *reading, struct keyword *keyword)
{
	if (instance_type(keyword->value) != INSTANCE_STRING)
		return wants(reading, keyword, "a string");
	keyword->reference = keyword->value->text;
	return reading_refer(reading, keyword);
}

static int read_recursive_reference(struct reading *reading, struct keyword *keyword)
{
	if (instance_type(keyword->value) != INSTANCE_STRING || !span_is(keyword->value->text, "#"))
		return wants(reading, keyword, "'#'");
	return read_reference(reading, keyword);
}

static unsigned type_of_word(const struct node *node)
{
	static const struct {
		const char *word;
		unsigned type;
	} words[] = {{"null", INSTANCE_NULL}, {"boolean", INSTANCE_BOOLEAN},
		{"object", INSTANCE_OBJECT}, {"array", INSTANCE_ARRAY}, {"number", INSTANCE_NUMBER},
		{"string", INSTANCE_STRING}, {"integer", INSTANCE_INTEGER}};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (instance_type(node) == INSTANCE_STRING && span_is(node->text, words[i].word))
			return words[i].type;
	return 0;
}

static int read_type(struct reading *reading, struct keyword *keyword)
{
	const struct node *value = keyword->value;
	bool is_list = node_is_sequence(value);

	if (is_list && value->seq.count == 0)
		return wants(reading, keyword, "a type or a list of types");
	for (uint32_t i = 0; i < (is_list ? value->seq.count : 1); i++) {
		const struct node *word = is_list ? value->seq.items[i] : value;
		unsigned type = type_of_word(word);

		if (!type)
			return problem_at(reading->problem, word,
				"'type' is one of null, boolean, object, array, number, string and "
				"integer, or a list of them");
		keyword->number |= type;
	}
	return 0;
}

static int read_enum(struct reading *reading, struct keyword *keyword)
{
	return node_is_sequence(keyword->value) ? 0 : wants(reading, keyword, "a list of values");
}

static int read_number(struct reading *reading, struct keyword *keyword)
{
	struct decimal decimal;

	if (!(instance_type(keyword->value) & INSTANCE_NUMBER))
		return wants(reading, keyword, "a number");
	decimal_of(keyword->value, &decimal);
	if (decimal.form != DECIMAL_FINITE)
		return problem_at(reading->problem, keyword->value, "'%s' must be a finite number",
			keyword->spec->name);
	return 0;
}

static int read_bool(struct reading *reading, struct keyword *keyword)
{
	if (instance_type(keyword->value) != INSTANCE_BOOLEAN)
		return wants(reading, keyword, "true or false");
	keyword->number = scalar_bool(keyword->value);
	return 0;
}

/*
 * Reads exclusiveMaximum or exclusiveMinimum. In draft 4 it is a boolean, which says that the limit
 * beside it does not belong to the range.
 */
static int read_exclusive_limit(struct reading *reading, struct keyword *keyword)
{
	bool is_maximum = strcmp(keyword->spec->name, "exclusiveMaximum") == 0;

	if (keyword->owner->resource->draft != DRAFT_4)
		return read_number(reading, keyword);
	int r = read_bool(reading, keyword);
	if (r != 0)
		return r;
	const struct node *limit =
		node_get(keyword->owner->node, is_maximum ? "maximum" : "minimum");
	if (!keyword->number || !limit)
		return KEYWORD_IDLE;
	keyword->value = limit;
	return read_number(reading, keyword);
}

static int read_factor(struct reading *reading, struct keyword *keyword)
{
	struct decimal decimal;
	int r = read_number(reading, keyword);

	if (r != 0)
		return r;
	decimal_of(keyword->value, &decimal);
	if (decimal.number.is_negative || decimal.count == 0)
		return problem_at(
			reading->problem, keyword->value, "'multipleOf' must be more than 0");
	if (decimal.count > DECIMAL_FACTOR_DIGITS)
		return problem_at(reading->problem, keyword->value,
			"'multipleOf' may have %d significant digits, and has %zu; round it",
			DECIMAL_FACTOR_DIGITS, decimal.count);
	return 0;
}

static int read_count(struct reading *reading, struct keyword *keyword)
{
	struct decimal decimal;

	if (!(instance_type(keyword->value) & INSTANCE_NUMBER))
		return wants(reading, keyword, "a whole number, 0 or more");
	decimal_of(keyword->value, &decimal);
	if (!decimal_count(&decimal, &keyword->number))
		return problem_at(reading->problem, keyword->value,
			"'%s' must be a whole number, 0 or more", keyword->spec->name);
	return 0;
}

static int read_one_pattern(struct reading *reading, struct keyword *keyword)
{
	if (instance_type(keyword->value) != INSTANCE_STRING)
		return wants(reading, keyword, "a regular expression");
	return reading_pattern(reading, keyword->value, keyword->value->text, &keyword->pattern);
}

/* Refuses a format that this build can't check. */
static int check_build(struct reading *reading, const struct keyword *keyword)
{
	char reason[PATTERN_REASON_MAX] = "this plyfs was built without libidn2; install one that "
					  "was built with it";
	bool is_known = idn_is_known || !span_begins(keyword->value->text, "idn-");
	struct pattern *pattern = NULL;

	if (is_known && span_is(keyword->value->text, "regex")) {
		int r = pattern_new(span_of("a"), &pattern, reason);
		if (r < 0)
			return r;
		is_known = r == 0;
		pattern_free(pattern);
	}
	if (is_known)
		return 0;
	return problem_at(reading->problem, keyword->value, "the format '%s' can't be checked: %s",
		keyword->value->text.data, reason);
}

static int read_format(struct reading *reading, struct keyword *keyword)
{
	if (!reading->library || !reading->library->validates_formats)
		return KEYWORD_IDLE;
	if (instance_type(keyword->value) != INSTANCE_STRING)
		return wants(reading, keyword, "a string");
	keyword->format = string_format_find(keyword->value->text);
	return keyword->format ? check_build(reading, keyword) : KEYWORD_IDLE;
}

static int read_one(struct reading *reading, struct keyword *keyword)
{
	return read_target(reading, keyword, keyword->spec->name, keyword->value, NULL, UINT32_MAX,
		&keyword->target);
}

static int read_list(struct reading *reading, struct keyword *keyword)
{
	const struct node *list = keyword->value;
	int r = 0;

	if (!node_is_sequence(list) || list->seq.count == 0)
		return wants(reading, keyword, "a list of schemas that is not empty");
	if (!new_members(reading, keyword))
		return -ENOMEM;
	for (uint32_t i = 0; r == 0 && i < list->seq.count; i++)
		r = read_target(reading, keyword, keyword->spec->name, list->seq.items[i], NULL, i,
			&keyword->members[i].target);
	return r;
}

/* Indexes the members, so that an instance's key is found quickly among many. */
static int index_members(struct reading *reading, struct keyword *keyword)
{
	struct arena *arena = reading->schema->arena;
	struct node *index = node_new_map(arena, NULL);

	if (!index)
		return -ENOMEM;
	for (uint32_t i = 0; i < keyword->count; i++) {
		struct node *key = node_new_scalar(arena, keyword->members[i].name, NODE_DOUBLE);
		if (!key)
			return -ENOMEM;
		const struct pair pair = {key, key, keyword->members[i].hash};
		int r = node_append(arena, index, &pair);
		if (r < 0)
			return r;
	}
	keyword->index = index;
	return 0;
}

static int read_map(struct reading *reading, struct keyword *keyword)
{
	const struct node *map = keyword->value;
	int r = 0;

	if (!node_is_map(map))
		return wants(reading, keyword, "a map of schemas");
	if (!new_members(reading, keyword))
		return -ENOMEM;
	for (uint32_t i = 0; r == 0 && i < map->map.count; i++) {
		const struct pair *pair = &map->map.pairs[i];

		name_member(&keyword->members[i], instance_key(pair->key));
		keyword->members[i].value = pair->value;
		r = read_target(reading, keyword, keyword->spec->name, pair->value, pair->key,
			UINT32_MAX, &keyword->members[i].target);
	}
	return r == 0 ? index_members(reading, keyword) : r;
}

/* Reads `items`. Until 2019-09 it may be a list, which is prefixItems in 2020-12. */
static int read_items(struct reading *reading, struct keyword *keyword)
{
	const struct node *prefix = node_get(keyword->owner->node, "prefixItems");

	if (keyword->owner->resource->draft < DRAFT_2020_12) {
		if (node_is_sequence(keyword->value) && keyword->value->seq.count == 0)
			return 0;
		return node_is_sequence(keyword->value) ? read_list(reading, keyword)
							: read_one(reading, keyword);
	}
	if (node_is_sequence(keyword->value))
		return problem_at(reading->problem, keyword->value,
			"'items' is one schema for all items; for a schema for each, use "
			"'prefixItems'");
	if (prefix && node_is_sequence(prefix))
		keyword->number = prefix->seq.count;
	return read_one(reading, keyword);
}

static int read_patterns(struct reading *reading, struct keyword *keyword)
{
	int r = read_map(reading, keyword);

	for (uint32_t i = 0; r == 0 && i < keyword->count; i++)
		r = reading_pattern(reading, keyword->value->map.pairs[i].key,
			keyword->members[i].name, &keyword->members[i].pattern);
	return r;
}

/* Reads additionalItems, which has a meaning only beside a list of items. */
static int read_additional_items(struct reading *reading, struct keyword *keyword)
{
	const struct node *items = node_get(keyword->owner->node, "items");

	keyword->number = items && node_is_sequence(items) ? items->seq.count : UINT32_MAX;
	return read_one(reading, keyword);
}

/*
 * Reads additionalProperties, which does not apply to keys that `properties` or `patternProperties`
 * beside it name. The members are the patterns, and the index has the names.
 */
static int read_additional_properties(struct reading *reading, struct keyword *keyword)
{
	const struct node *own = keyword->value;
	const struct node *properties = node_get(keyword->owner->node, "properties");
	const struct node *patterns = node_get(keyword->owner->node, "patternProperties");
	int r = read_one(reading, keyword);

	if (r == 0 && properties && node_is_map(properties)) {
		keyword->value = properties;
		if (!new_members(reading, keyword))
			return -ENOMEM;
		for (uint32_t i = 0; i < keyword->count; i++)
			name_member(
				&keyword->members[i], instance_key(properties->map.pairs[i].key));
		r = index_members(reading, keyword);
	}
	keyword->count = 0;
	if (r == 0 && patterns && node_is_map(patterns)) {
		keyword->value = patterns;
		if (!new_members(reading, keyword))
			return -ENOMEM;
		for (uint32_t i = 0; r == 0 && i < keyword->count; i++)
			r = reading_pattern(reading, patterns->map.pairs[i].key,
				instance_key(patterns->map.pairs[i].key),
				&keyword->members[i].pattern);
	}
	keyword->value = own;
	return r;
}

/* Takes a count beside the keyword. Its own reader reports its faults. */
static void take_sibling_count(const struct keyword *keyword, const char *name, uint32_t *ret)
{
	const struct node *node = node_get(keyword->owner->node, name);
	struct decimal decimal;

	if (!node || !(instance_type(node) & INSTANCE_NUMBER))
		return;
	decimal_of(node, &decimal);
	decimal_count(&decimal, ret);
}

static int read_contains(struct reading *reading, struct keyword *keyword)
{
	keyword->number = 1;
	keyword->more = UINT32_MAX;
	if (keyword->owner->resource->draft > DRAFT_7) {
		take_sibling_count(keyword, "minContains", &keyword->number);
		take_sibling_count(keyword, "maxContains", &keyword->more);
	}
	return read_one(reading, keyword);
}

static int read_name_list(struct reading *reading, const struct keyword *keyword,
	const struct node *list, struct member **ret, uint32_t *count)
{
	if (!node_is_sequence(list))
		return problem_at(reading->problem, list,
			"'%s' must be a list of names, and not %s", keyword->spec->name,
			instance_type_name(list));
	*ret = arena_zalloc(reading->schema->arena, list->seq.count + 1, sizeof(**ret));
	*count = list->seq.count;
	if (!*ret)
		return -ENOMEM;
	for (uint32_t i = 0; i < list->seq.count; i++) {
		if (instance_type(list->seq.items[i]) != INSTANCE_STRING)
			return problem_at(reading->problem, list->seq.items[i],
				"a name in '%s' must be a string", keyword->spec->name);
		name_member(&(*ret)[i], list->seq.items[i]->text);
	}
	return 0;
}

static int read_names(struct reading *reading, struct keyword *keyword)
{
	return read_name_list(reading, keyword, keyword->value, &keyword->members, &keyword->count);
}

/* Reads a map to such lists; until draft 7, in one keyword with schemas. */
static int read_dependent(struct reading *reading, struct keyword *keyword)
{
	bool takes_schemas = strcmp(keyword->spec->name, "dependencies") == 0;
	const struct node *map = keyword->value;
	int r = 0;

	if (!node_is_map(map))
		return wants(reading, keyword, "a map");
	if (!new_members(reading, keyword))
		return -ENOMEM;
	for (uint32_t i = 0; r == 0 && i < map->map.count; i++) {
		const struct pair *pair = &map->map.pairs[i];
		struct member *member = &keyword->members[i];

		name_member(member, instance_key(pair->key));
		member->value = pair->value;
		if (takes_schemas && !node_is_sequence(pair->value))
			r = read_target(reading, keyword, keyword->spec->name, pair->value,
				pair->key, UINT32_MAX, &member->target);
		else
			r = read_name_list(
				reading, keyword, pair->value, &member->names, &member->name_count);
	}
	return r;
}

static int read_if(struct reading *reading, struct keyword *keyword)
{
	const struct node *then = node_get(keyword->owner->node, "then");
	const struct node *otherwise = node_get(keyword->owner->node, "else");
	int r = read_one(reading, keyword);

	if (r == 0 && then)
		r = read_target(reading, keyword, "then", then, NULL, UINT32_MAX, &keyword->then);
	if (r == 0 && otherwise)
		r = read_target(
			reading, keyword, "else", otherwise, NULL, UINT32_MAX, &keyword->otherwise);
	return r;
}

#define MAP INSTANCE_OBJECT
#define LIST INSTANCE_ARRAY
#define ANY INSTANCE_ANY
#define STRING INSTANCE_STRING
#define NUMBER INSTANCE_NUMBER
#define SINCE_2020 DRAFT_2020_12
#define ONLY_2019 DRAFT_2019_09
#define SINCE_2019 (ONLY_2019 | SINCE_2020)
#define SINCE_7 (DRAFT_7 | SINCE_2019)
#define SINCE_6 (DRAFT_6 | SINCE_7)
#define ALL (DRAFT_4 | SINCE_6)
#define UNTIL_7 (DRAFT_4 | DRAFT_6 | DRAFT_7)
#define UNTIL_2019 (UNTIL_7 | ONLY_2019)

#define NAME(text) .name = (text)
#define WITH(reader) .read = read_##reader
#define BY(checker) .check = check_##checker
#define IN_PLACE .role = KEYWORD_IN_PLACE
#define LAST .role = KEYWORD_LAST
#define SAYS(text) .message = (text)

/* UINT32_MAX stands for greater limits, too: no list or map has that many entries. */
const struct keyword_spec keyword_specs[] = {
	{NAME("$ref"), ALL, ANY, IN_PLACE, WITH(reference), BY(reference)},
	{NAME("$dynamicRef"), SINCE_2020, ANY, IN_PLACE, WITH(reference), BY(reference)},
	{NAME("$recursiveRef"), ONLY_2019, ANY, IN_PLACE, WITH(recursive_reference), BY(reference)},
	{NAME("$defs"), SINCE_2019, ANY, WITH(map)},
	{NAME("definitions"), ALL, ANY, WITH(map)},

	{NAME("type"), ALL, ANY, WITH(type), BY(type), SAYS("must be %v, but is %t")},
	{NAME("enum"), ALL, ANY, WITH(enum), BY(enum), SAYS("must be one of %v, but is %i")},
	{NAME("const"), SINCE_6, ANY, BY(const), SAYS("must be %v, but is %i")},

	{NAME("multipleOf"), ALL, NUMBER, WITH(factor), BY(multiple),
		SAYS("must be a multiple of %v, but is %i")},
	{NAME("maximum"), ALL, NUMBER, WITH(number), BY(maximum),
		SAYS("must be at most %v, but is %i")},
	{NAME("exclusiveMaximum"), ALL, NUMBER, WITH(exclusive_limit), BY(exclusive_maximum),
		SAYS("must be less than %v, but is %i")},
	{NAME("minimum"), ALL, NUMBER, WITH(number), BY(minimum),
		SAYS("must be at least %v, but is %i")},
	{NAME("exclusiveMinimum"), ALL, NUMBER, WITH(exclusive_limit), BY(exclusive_minimum),
		SAYS("must be more than %v, but is %i")},

	{NAME("maxLength"), ALL, STRING, WITH(count), BY(max_length),
		SAYS("must have at most %v characters, but has %1")},
	{NAME("minLength"), ALL, STRING, WITH(count), BY(min_length),
		SAYS("must have at least %v characters, but has %1")},
	{NAME("pattern"), ALL, STRING, WITH(one_pattern), BY(pattern),
		SAYS("must match the pattern %v, but is %i")},
	{NAME("format"), ALL, STRING, WITH(format), BY(format),
		SAYS("must have the format %v, but is %i")},

	{NAME("maxItems"), ALL, LIST, WITH(count), BY(max_entries),
		SAYS("must have at most %v items, but has %1")},
	{NAME("minItems"), ALL, LIST, WITH(count), BY(min_entries),
		SAYS("must have at least %v items, but has %1")},
	{NAME("uniqueItems"), ALL, LIST, WITH(bool), BY(unique),
		SAYS("must have each item once, but its items [%1] and [%2] are the same")},
	{NAME("maxProperties"), ALL, MAP, WITH(count), BY(max_entries),
		SAYS("must have at most %v keys, but has %1")},
	{NAME("minProperties"), ALL, MAP, WITH(count), BY(min_entries),
		SAYS("must have at least %v keys, but has %1")},
	{NAME("required"), ALL, MAP, WITH(names), BY(required),
		SAYS("lacks the key %s, which must be there")},
	{NAME("dependentRequired"), SINCE_2019, MAP, WITH(dependent), BY(dependent_required),
		SAYS("lacks the key %s, which another of its keys requires")},

	{NAME("prefixItems"), SINCE_2020, LIST, WITH(list), BY(prefix_items)},
	{NAME("items"), ALL, LIST, WITH(items), BY(items)},
	{NAME("additionalItems"), UNTIL_2019, LIST, WITH(additional_items), BY(additional_items)},
	{NAME("contains"), SINCE_6, LIST, WITH(contains), BY(contains),
		SAYS("must have %n that match 'contains', but has %1")},
	{NAME("minContains"), SINCE_2019, LIST, WITH(count)},
	{NAME("maxContains"), SINCE_2019, LIST, WITH(count)},
	{NAME("properties"), ALL, MAP, WITH(map), BY(properties)},
	{NAME("patternProperties"), ALL, MAP, WITH(patterns), BY(pattern_properties)},
	{NAME("additionalProperties"), ALL, MAP, WITH(additional_properties),
		BY(additional_properties)},
	{NAME("propertyNames"), SINCE_6, MAP, WITH(one), BY(property_names)},

	{NAME("allOf"), ALL, ANY, IN_PLACE, WITH(list), BY(all_of)},
	{NAME("anyOf"), ALL, ANY, IN_PLACE, WITH(list), BY(any_of),
		SAYS("fits none of %c alternatives")},
	{NAME("oneOf"), ALL, ANY, IN_PLACE, WITH(list), BY(one_of),
		SAYS("fits none of %c alternatives")},
	{NAME("not"), ALL, ANY, IN_PLACE, WITH(one), BY(not ),
		SAYS("is forbidden by the schema's 'not'")},
	{NAME("if"), SINCE_7, ANY, IN_PLACE, WITH(if), BY(if)},
	{NAME("then"), SINCE_7, ANY, WITH(one)},
	{NAME("else"), SINCE_7, ANY, WITH(one)},
	{NAME("dependentSchemas"), SINCE_2019, MAP, WITH(map), BY(dependent_schemas)},
	{NAME("dependencies"), UNTIL_7, MAP, WITH(dependent), BY(dependencies),
		SAYS("lacks the key %s, which another of its keys requires")},

	{NAME("unevaluatedItems"), SINCE_2019, LIST, LAST, WITH(one), BY(unevaluated)},
	{NAME("unevaluatedProperties"), SINCE_2019, MAP, LAST, WITH(one), BY(unevaluated)},
	{NULL},
};
