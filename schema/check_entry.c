#include "check.h"
#include "scalar.h"

/* Checks entry `i`, which then counts as evaluated. Returns whether the check goes on. */
static bool check_next(struct schema_run *run, const struct subschema *subschema,
	const struct node *instance, uint32_t i, size_t evaluated, bool *fits)
{
	*fits &= run_apply_entry(run, subschema, instance, i);
	if (!*fits && !run->is_collecting)
		return false;
	evaluated_put(run, evaluated, i);
	return true;
}

/* Checks the items from `first` to the list's end, all with the same schema. */
static bool check_items_from(struct schema_run *run, const struct subschema *subschema,
	const struct node *instance, uint32_t first, size_t evaluated)
{
	bool fits = true;

	for (uint32_t i = first; i < instance->seq.count; i++) {
		if (!check_next(run, subschema, instance, i, evaluated, &fits))
			return false;
	}
	return fits;
}

CHECK(prefix_items)
{
	bool fits = true;

	for (uint32_t i = 0; i < keyword->count && i < instance->seq.count; i++) {
		if (!check_next(run, keyword->members[i].target, instance, i, evaluated, &fits))
			return false;
	}
	return fits;
}

CHECK(items)
{
	/* A list of schemas, until 2019-09. */
	if (!keyword->target)
		return check_prefix_items(run, keyword, instance, evaluated);
	return check_items_from(run, keyword->target, instance, keyword->number, evaluated);
}

CHECK(additional_items)
{
	return check_items_from(run, keyword->target, instance, keyword->number, evaluated);
}

CHECK(contains)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < instance->seq.count; i++) {
		if (!run_asks(run, keyword->target, instance->seq.items[i], EVALUATED_NOT))
			continue;
		if (keyword->owner->resource->draft == DRAFT_2020_12)
			evaluated_put(run, evaluated, i);
		count++;
	}
	if (run->failure != RUN_FINE)
		return false;
	if (count >= keyword->number && count <= keyword->more)
		return true;
	return run_fail(run,
		(struct schema_record){.keyword = keyword, .instance = instance, .first = count});
}

/* unevaluatedItems and unevaluatedProperties */
CHECK(unevaluated)
{
	bool fits = true;

	for (uint32_t i = 0; i < node_count(instance); i++) {
		if (evaluated_has(run, evaluated, i))
			continue;
		if (!check_next(run, keyword->target, instance, i, evaluated, &fits))
			return false;
	}
	return fits;
}

/* Returns the index of the member with the key's name; UINT32_MAX: there is none. */
static uint32_t find_member(const struct keyword *keyword, const struct pair *pair)
{
	bool is_string = scalar_is_string(pair->key);
	struct span name = instance_key(pair->key);
	const struct node key = {.kind = NODE_SCALAR, .style = NODE_DOUBLE, .text = name};
	const struct pair *found;

	if (!keyword->index)
		return UINT32_MAX;
	found = node_find_hashed(
		keyword->index, &key, is_string ? pair->hash : instance_name_hash(name));
	return found ? (uint32_t)(found - keyword->index->map.pairs) : UINT32_MAX;
}

CHECK(properties)
{
	bool fits = true;

	for (uint32_t i = 0; i < instance->map.count; i++) {
		uint32_t at = find_member(keyword, &instance->map.pairs[i]);

		if (!run_spend(run, instance, 1))
			return false;
		if (at == UINT32_MAX)
			continue;
		if (!check_next(run, keyword->members[at].target, instance, i, evaluated, &fits))
			return false;
	}
	return fits;
}

CHECK(pattern_properties)
{
	bool fits = true, is_named = false;

	for (uint32_t i = 0; i < instance->map.count; i++) {
		struct span name = instance_key(instance->map.pairs[i].key);

		for (uint32_t j = 0; j < keyword->count; j++) {
			const struct member *member = &keyword->members[j];

			if (!run_matches(run, member->pattern, instance, name, &is_named))
				return false;
			if (!is_named)
				continue;
			if (!check_next(run, member->target, instance, i, evaluated, &fits))
				return false;
		}
	}
	return fits;
}

/* Returns whether `properties` or `patternProperties` beside the keyword apply to the key. */
static bool is_named_beside(struct schema_run *run, const struct keyword *keyword,
	const struct node *instance, const struct pair *pair)
{
	bool is_named = find_member(keyword, pair) != UINT32_MAX;

	for (uint32_t i = 0; !is_named && i < keyword->count; i++)
		if (!run_matches(run, keyword->members[i].pattern, instance,
			    instance_key(pair->key), &is_named))
			return true;
	return is_named;
}

CHECK(additional_properties)
{
	bool fits = true;

	for (uint32_t i = 0; i < instance->map.count; i++) {
		if (!run_spend(run, instance, 1))
			return false;
		if (is_named_beside(run, keyword, instance, &instance->map.pairs[i]))
			continue;
		if (!check_next(run, keyword->target, instance, i, evaluated, &fits))
			return false;
	}
	return fits && run->failure == RUN_FINE;
}

/* Checks a key, which counts as a string. */
static bool check_name(
	struct schema_run *run, const struct subschema *subschema, const struct node *key)
{
	const struct node name = {.kind = NODE_SCALAR,
		.style = NODE_DOUBLE,
		.weight = 1,
		.source = key->source,
		.line = key->line,
		.column = key->column,
		.text = instance_key(key)};
	struct run_mark mark = run_mark(run);
	size_t secrets = run->secrets.count;
	bool was_key = run->is_key;

	run->is_key = true;
	bool fits = run_apply(run, subschema, &name, EVALUATED_NOT);
	run->is_key = was_key;
	/* `name` ends with this function. */
	if (run->failed_at == &name)
		run->failed_at = key;
	for (size_t i = secrets; i < run->secrets.count; i++)
		run->secrets.items[i] = key;
	for (size_t i = mark.records; i < run->record_count; i++) {
		run->records[i].instance = key;
		run->records[i].name = instance_key(key);
	}
	return fits;
}

CHECK(property_names)
{
	bool fits = true;

	for (uint32_t i = 0; i < instance->map.count; i++) {
		const struct node *key = instance->map.pairs[i].key;

		if (!run_enter(run, key, i))
			return false;
		fits &= check_name(run, keyword->target, key);
		run_leave(run);
		if (!fits && !run->is_collecting)
			return false;
	}
	return fits;
}
