/*
 * The checks of keywords. Each check returns whether `instance` satisfies `keyword`. If not, it
 * records the faults (run_fail()). The checks in check_entry.c and check_place.c set the bits of
 * the entries that they evaluate; `evaluated` is the offset of these bits (run.h).
 */
#pragma once

#include "run.h"

#define CHECK(name)                                                                                \
	bool check_##name(struct schema_run *run, const struct keyword *keyword,                   \
		const struct node *instance, size_t evaluated __attribute__((unused)))

/* check_value.c: checks of the value alone */
CHECK(type);
CHECK(enum);
CHECK(const);
CHECK(multiple);
CHECK(maximum);
CHECK(exclusive_maximum);
CHECK(minimum);
CHECK(exclusive_minimum);
CHECK(max_length);
CHECK(min_length);
CHECK(pattern);
CHECK(format);
CHECK(max_entries);
CHECK(min_entries);
CHECK(unique);
CHECK(required);
CHECK(dependent_required);

/* check_entry.c: schemas for the value's entries */
CHECK(prefix_items);
CHECK(items);
CHECK(additional_items);
CHECK(contains);
CHECK(unevaluated);
CHECK(properties);
CHECK(pattern_properties);
CHECK(additional_properties);
CHECK(property_names);

/* check_place.c: schemas for the value itself */
CHECK(reference);
CHECK(all_of);
CHECK(any_of);
CHECK(one_of);
CHECK(not );
CHECK(if);
CHECK(dependent_schemas);
CHECK(dependencies);
