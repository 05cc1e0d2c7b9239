#include <stdlib.h>

#include "check.h"
#include "cleanup.h"
#include "decimal.h"
#include "hash.h"
#include "scalar.h"
#include "string_format.h"

/* Returns the cost of comparing the node with another one. */
static uint64_t cost_of(const struct node *node)
{
	uint64_t cost = node->weight;

	if (node_is_scalar(node))
		cost += node->text.len / 32;
	return cost;
}

CHECK(type)
{
	unsigned type = instance_type(instance);

	/* To draft 4 a number with a point or an exponent is no integer, even if it is whole. */
	if (keyword->owner->resource->draft == DRAFT_4 && type & INSTANCE_INTEGER &&
		scalar_type(instance) != SCALAR_INT)
		type &= ~(unsigned)INSTANCE_INTEGER;
	return (type & keyword->number) != 0 || run_fails(run, keyword, instance);
}

CHECK(enum)
{
	const struct node *list = keyword->value;

	for (uint32_t i = 0; i < list->seq.count; i++) {
		if (!run_spend(run, instance, cost_of(list->seq.items[i])))
			return false;
		if (instance_equal(list->seq.items[i], instance))
			return true;
	}
	return run_fails(run, keyword, instance);
}

CHECK(const)
{
	if (!run_spend(run, instance, cost_of(keyword->value)))
		return false;
	return instance_equal(keyword->value, instance) || run_fails(run, keyword, instance);
}

CHECK(multiple)
{
	struct decimal decimal, factor;

	decimal_of(instance, &decimal);
	decimal_of(keyword->value, &factor);
	return decimal_is_multiple(&decimal, &factor) || run_fails(run, keyword, instance);
}

/* Checks that the order of the instance and the keyword's number is `right` or `right_too`. */
static bool check_order(struct schema_run *run, const struct keyword *keyword,
	const struct node *instance, int right, int right_too)
{
	struct decimal decimal, limit;

	decimal_of(instance, &decimal);
	decimal_of(keyword->value, &limit);
	int order = decimal_compare(&decimal, &limit);
	return order == right || order == right_too || run_fails(run, keyword, instance);
}

CHECK(maximum)
{
	return check_order(run, keyword, instance, -1, 0);
}

CHECK(exclusive_maximum)
{
	return check_order(run, keyword, instance, -1, -1);
}

CHECK(minimum)
{
	return check_order(run, keyword, instance, 1, 0);
}

CHECK(exclusive_minimum)
{
	return check_order(run, keyword, instance, 1, 1);
}

static bool check_count(struct schema_run *run, const struct keyword *keyword,
	const struct node *instance, uint64_t count, bool fits)
{
	return fits ||
	       run_fail(run, (struct schema_record){
				     .keyword = keyword, .instance = instance, .first = count});
}

CHECK(max_length)
{
	uint64_t length = instance_length(instance->text);

	return run_spend(run, instance, instance->text.len / 32) &&
	       check_count(run, keyword, instance, length, length <= keyword->number);
}

CHECK(min_length)
{
	uint64_t length = instance_length(instance->text);

	return run_spend(run, instance, instance->text.len / 32) &&
	       check_count(run, keyword, instance, length, length >= keyword->number);
}

CHECK(pattern)
{
	bool fits = false;

	return run_matches(run, keyword->pattern, instance, instance->text, &fits) &&
	       (fits || run_fails(run, keyword, instance));
}

/* Steps of work for a byte; a regular expression is compiled. */
#define FORMAT_WORK_PER_BYTE 10

CHECK(format)
{
	struct span text = instance_key(instance);

	if (!run_spend(run, instance, (text.len + 1) * FORMAT_WORK_PER_BYTE))
		return false;
	int r = keyword->format->check(text, keyword->owner->resource->draft);
	if (r < 0)
		return run_give_up(run, RUN_NO_MEMORY, NULL);
	return r || run_fails(run, keyword, instance);
}

CHECK(max_entries)
{
	uint32_t count = node_count(instance);

	return check_count(run, keyword, instance, count, count <= keyword->number);
}

CHECK(min_entries)
{
	uint32_t count = node_count(instance);

	return check_count(run, keyword, instance, count, count >= keyword->number);
}

static bool is_twice(struct schema_run *run, const struct keyword *keyword,
	const struct node *instance, uint32_t first, uint32_t second)
{
	return run_fail(run, (struct schema_record){.keyword = keyword,
				     .instance = instance,
				     .at = instance->seq.items[second],
				     .first = first,
				     .second = second});
}

/* Adds item `i` to the table of the earlier ones, as 1 + its index; or returns the item that it
 * equals. */
static uint32_t put_item(
	const struct node *list, const uint64_t *hashes, uint32_t *slots, uint32_t mask, uint32_t i)
{
	uint32_t at = hash_end(hashes[i]) & mask;

	for (; slots[at]; at = (at + 1) & mask) {
		uint32_t other = slots[at] - 1;

		if (hashes[other] == hashes[i] &&
			instance_equal(list->seq.items[other], list->seq.items[i]))
			return other;
	}
	slots[at] = i + 1;
	return UINT32_MAX;
}

CHECK(unique)
{
	uint32_t count = node_count(instance), size = 16;

	if (!keyword->number || count < 2)
		return true;
	while (size < 2 * (uint64_t)count)
		size *= 2;
	CLEANUP(freep) uint64_t *hashes = calloc(count, sizeof(*hashes));
	CLEANUP(freep) uint32_t *slots = calloc(size, sizeof(*slots));
	if (!hashes || !slots)
		return run_give_up(run, RUN_NO_MEMORY, NULL);
	for (uint32_t i = 0; i < count; i++) {
		if (!run_spend(run, instance, 2 * cost_of(instance->seq.items[i])))
			return false;
		hashes[i] = instance_hash(instance->seq.items[i]);
		uint32_t other = put_item(instance, hashes, slots, size - 1, i);
		if (other != UINT32_MAX)
			return is_twice(run, keyword, instance, other, i);
	}
	return true;
}

static bool check_names(struct schema_run *run, const struct keyword *keyword,
	const struct node *instance, const struct member *names, uint32_t count)
{
	bool fits = true;

	for (uint32_t i = 0; i < count; i++) {
		if (!run_spend(run, instance, 1))
			return false;
		if (instance_find(instance, names[i].name, names[i].hash))
			continue;
		fits = run_fail(run,
			(struct schema_record){
				.keyword = keyword, .instance = instance, .name = names[i].name});
		if (!run->is_collecting)
			return false;
	}
	return fits;
}

CHECK(required)
{
	return check_names(run, keyword, instance, keyword->members, keyword->count);
}

CHECK(dependent_required)
{
	bool fits = true;

	for (uint32_t i = 0; i < keyword->count; i++) {
		const struct member *member = &keyword->members[i];

		if (!run_spend(run, instance, 1))
			return false;
		if (member->names && instance_find(instance, member->name, member->hash))
			fits &= check_names(
				run, keyword, instance, member->names, member->name_count);
	}
	return fits;
}
