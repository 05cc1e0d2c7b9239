#include "keyword.h"

#include "check.h"
#include "keyword_read.h"

#define MAP INSTANCE_OBJECT
#define LIST INSTANCE_ARRAY
#define ANY INSTANCE_ANY
#define STRING INSTANCE_STRING
#define NUMBER INSTANCE_NUMBER
#define BOTH DRAFT_ANY
#define NEW DRAFT_2020_12
#define OLD DRAFT_7

#define NAME(text) .name = (text)
#define WITH(reader) .read = read_##reader
#define BY(checker) .check = check_##checker
#define IN_PLACE .is_in_place = true
#define LAST .is_last = true
#define SAYS(text) .message = (text)

/* UINT32_MAX stands for greater limits, too: no list or map has that many entries. */
const struct keyword_spec keyword_specs[] = {
	{NAME("$ref"), BOTH, ANY, IN_PLACE, WITH(reference), BY(reference)},
	{NAME("$dynamicRef"), NEW, ANY, IN_PLACE, WITH(reference), BY(reference)},
	{NAME("$defs"), NEW, ANY, WITH(map)},
	{NAME("definitions"), BOTH, ANY, WITH(map)},

	{NAME("type"), BOTH, ANY, WITH(type), BY(type), SAYS("must be %v, but is %t")},
	{NAME("enum"), BOTH, ANY, WITH(enum), BY(enum), SAYS("must be one of %v, but is %i")},
	{NAME("const"), BOTH, ANY, BY(const), SAYS("must be %v, but is %i")},

	{NAME("multipleOf"), BOTH, NUMBER, WITH(factor), BY(multiple),
		SAYS("must be a multiple of %v, but is %i")},
	{NAME("maximum"), BOTH, NUMBER, WITH(number), BY(maximum),
		SAYS("must be at most %v, but is %i")},
	{NAME("exclusiveMaximum"), BOTH, NUMBER, WITH(number), BY(exclusive_maximum),
		SAYS("must be less than %v, but is %i")},
	{NAME("minimum"), BOTH, NUMBER, WITH(number), BY(minimum),
		SAYS("must be at least %v, but is %i")},
	{NAME("exclusiveMinimum"), BOTH, NUMBER, WITH(number), BY(exclusive_minimum),
		SAYS("must be more than %v, but is %i")},

	{NAME("maxLength"), BOTH, STRING, WITH(count), BY(max_length),
		SAYS("must have at most %v characters, but has %1")},
	{NAME("minLength"), BOTH, STRING, WITH(count), BY(min_length),
		SAYS("must have at least %v characters, but has %1")},
	{NAME("pattern"), BOTH, STRING, WITH(one_pattern), BY(pattern),
		SAYS("must match the pattern %v, but is %i")},

	{NAME("maxItems"), BOTH, LIST, WITH(count), BY(max_entries),
		SAYS("must have at most %v items, but has %1")},
	{NAME("minItems"), BOTH, LIST, WITH(count), BY(min_entries),
		SAYS("must have at least %v items, but has %1")},
	{NAME("uniqueItems"), BOTH, LIST, WITH(bool), BY(unique),
		SAYS("must have each item once, but its items [%1] and [%2] are the same")},
	{NAME("maxProperties"), BOTH, MAP, WITH(count), BY(max_entries),
		SAYS("must have at most %v keys, but has %1")},
	{NAME("minProperties"), BOTH, MAP, WITH(count), BY(min_entries),
		SAYS("must have at least %v keys, but has %1")},
	{NAME("required"), BOTH, MAP, WITH(names), BY(required),
		SAYS("lacks the key %s, which must be there")},
	{NAME("dependentRequired"), NEW, MAP, WITH(name_lists), BY(dependent_required),
		SAYS("lacks the key %s, which another key that is there needs")},

	{NAME("prefixItems"), NEW, LIST, WITH(list), BY(prefix_items)},
	{NAME("items"), BOTH, LIST, WITH(items), BY(items)},
	{NAME("additionalItems"), OLD, LIST, WITH(additional_items), BY(additional_items)},
	{NAME("contains"), BOTH, LIST, WITH(contains), BY(contains),
		SAYS("must have %n that match 'contains', but has %1")},
	{NAME("minContains"), NEW, LIST, WITH(count)},
	{NAME("maxContains"), NEW, LIST, WITH(count)},
	{NAME("properties"), BOTH, MAP, WITH(map), BY(properties)},
	{NAME("patternProperties"), BOTH, MAP, WITH(patterns), BY(pattern_properties)},
	{NAME("additionalProperties"), BOTH, MAP, WITH(additional_properties),
		BY(additional_properties)},
	{NAME("propertyNames"), BOTH, MAP, WITH(one), BY(property_names)},

	{NAME("allOf"), BOTH, ANY, IN_PLACE, WITH(list), BY(all_of)},
	{NAME("anyOf"), BOTH, ANY, IN_PLACE, WITH(list), BY(any_of),
		SAYS("fits none of %c alternatives")},
	{NAME("oneOf"), BOTH, ANY, IN_PLACE, WITH(list), BY(one_of),
		SAYS("fits none of %c alternatives")},
	{NAME("not"), BOTH, ANY, IN_PLACE, WITH(one), BY(not ),
		SAYS("is forbidden by the schema's 'not'")},
	{NAME("if"), BOTH, ANY, IN_PLACE, WITH(if), BY(if)},
	{NAME("then"), BOTH, ANY, WITH(one)},
	{NAME("else"), BOTH, ANY, WITH(one)},
	{NAME("dependentSchemas"), NEW, MAP, WITH(map), BY(dependent_schemas)},
	{NAME("dependencies"), OLD, MAP, WITH(dependencies), BY(dependencies),
		SAYS("lacks the key %s, which another key that is there needs")},

	{NAME("unevaluatedItems"), NEW, LIST, LAST, WITH(one), BY(unevaluated)},
	{NAME("unevaluatedProperties"), NEW, MAP, LAST, WITH(one), BY(unevaluated)},
	{NULL},
};

const struct keyword *subschema_keyword(const struct subschema *subschema, const char *name)
{
	for (uint32_t i = 0; i < subschema->count; i++)
		if (strcmp(subschema->keywords[i].spec->name, name) == 0)
			return &subschema->keywords[i];
	return NULL;
}
