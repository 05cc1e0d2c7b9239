#include "keyword.h"

#include "check.h"
#include "keyword_read.h"

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
	{NAME("dependentRequired"), SINCE_2019, MAP, WITH(name_lists), BY(dependent_required),
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
	{NAME("dependencies"), UNTIL_7, MAP, WITH(dependencies), BY(dependencies),
		SAYS("lacks the key %s, which another of its keys requires")},

	{NAME("unevaluatedItems"), SINCE_2019, LIST, LAST, WITH(one), BY(unevaluated)},
	{NAME("unevaluatedProperties"), SINCE_2019, MAP, LAST, WITH(one), BY(unevaluated)},
	{NULL},
};

const struct keyword *subschema_keyword(const struct subschema *subschema, const char *name)
{
	for (uint32_t i = 0; i < subschema->count; i++)
		if (strcmp(subschema->keywords[i].spec->name, name) == 0)
			return &subschema->keywords[i];
	return NULL;
}
