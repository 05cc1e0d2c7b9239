#include "value.h"

#include <inttypes.h>
#include <stdio.h>

#include "scalar.h"
#include "word.h"

const struct value_kind value_number = {"a number", {{"", 1}}};
const struct value_kind value_size = {
	"a size", {{"", 1}, {"K", 1u << 10}, {"KiB", 1u << 10}, {"M", 1u << 20}, {"MiB", 1u << 20},
			  {"G", 1u << 30}, {"GiB", 1u << 30}}};
const struct value_kind value_time_ms = {
	"a time with its unit,", {{"ms", 1}, {"s", 1000}, {"m", 60000}}};

bool value_is_given(const struct node *node)
{
	return node && !scalar_is_null(node);
}

int value_unknown(const struct node *node, const char *kind, const char *word, const char *allowed,
	struct problem *problem)
{
	struct span nearest;

	if (!word_nearest(allowed, span_of(word), &nearest))
		return problem_at(
			problem, node, "unknown %s '%s' (allowed: %s)", kind, word, allowed);
	return problem_at(problem, node, "unknown %s '%s', did you mean '%.*s'? (allowed: %s)",
		kind, word, (int)nearest.len, nearest.data, allowed);
}

int value_map(
	const struct node *node, const char *name, const char *allowed, struct problem *problem)
{
	if (!node_is_map(node))
		return problem_at(problem, node,
			"%s must be a map with the keys %s, and this is %s", name, allowed,
			node_kind_name(node));

	for (uint32_t i = 0; i < node->map.count; i++) {
		const struct node *key = node->map.pairs[i].key;

		if (!node_is_scalar(key))
			return problem_at(problem, key, "a key must be one of %s, and this is %s",
				allowed, node_kind_name(key));
		if (word_index(allowed, key->text) < 0)
			return value_unknown(key, "key", key->text.data, allowed, problem);
	}
	return 0;
}

int value_list(
	const struct node *node, const char *name, const struct node **ret, struct problem *problem)
{
	if (!value_is_given(node))
		return 0;
	if (!node_is_sequence(node))
		return problem_at(problem, node, "%s must be a list, and this is %s", name,
			node_kind_name(node));
	if (node->seq.count > VALUE_LIST_MAX)
		return problem_at(problem, node, "%s has %u entries; at most %d are allowed", name,
			(unsigned)node->seq.count, VALUE_LIST_MAX);
	*ret = node;
	return 0;
}

int value_text(const struct node *node, const char *name, const char **ret, struct problem *problem)
{
	if (!value_is_given(node))
		return 0;
	if (!node_is_scalar(node))
		return problem_at(problem, node, "%s must be a text, and this is %s", name,
			node_kind_name(node));
	if (scalar_type(node) == SCALAR_FOREIGN)
		return problem_at(
			problem, node, "the tag %s means nothing here; remove it", node->tag);
	if (node->text.len == 0)
		return problem_at(problem, node, "%s must not be empty", name);
	if (memchr(node->text.data, '\0', node->text.len))
		return problem_at(problem, node, "%s must not have a NUL byte", name);
	*ret = node->text.data;
	return 0;
}

int value_bool(const struct node *node, const char *name, bool *ret, struct problem *problem)
{
	if (!value_is_given(node))
		return 0;
	if (!node_is_scalar(node))
		return problem_at(problem, node, "%s must be true or false, and this is %s", name,
			node_kind_name(node));
	if (scalar_type(node) != SCALAR_BOOL)
		return problem_at(
			problem, node, "%s must be true or false, not '%s'", name, node->text.data);
	*ret = scalar_bool(node);
	return 0;
}

int value_choice(const struct node *node, const char *name, const char *choices, unsigned *ret,
	struct problem *problem)
{
	const char *text = NULL;
	int index, r;

	r = value_text(node, name, &text, problem);
	if (r != 0 || !text)
		return r;
	index = word_index(choices, span_of(text));
	if (index < 0)
		return value_unknown(node, name, text, choices, problem);
	*ret = (unsigned)index;
	return 0;
}

/* Reads a number, and moves *text behind it. Returns false for none, or more than `most`. */
static bool take_digits(const char **text, uint64_t most, uint64_t *ret)
{
	const char *at = *text;
	uint64_t number = 0;

	/* 010 is 8 in YAML 1.1, and 10 elsewhere. */
	if (at[0] == '0' && at[1] >= '0' && at[1] <= '9')
		return false;
	for (; *at >= '0' && *at <= '9'; at++) {
		number = number * 10 + (uint64_t)(*at - '0');
		if (number > most)
			return false;
	}
	if (at == *text)
		return false;
	*text = at;
	*ret = number;
	return true;
}

static bool take_amount(const char *text, const struct value_range *range, uint64_t *ret)
{
	uint64_t number;

	if (!take_digits(&text, range->most, &number))
		return false;
	for (const struct value_unit *unit = range->kind->units; unit->name; unit++) {
		if (strcmp(text, unit->name) != 0)
			continue;
		if (number > range->most / unit->factor)
			return false;
		*ret = number * unit->factor;
		return *ret >= range->least;
	}
	return false;
}

/* Returns the amount with the largest unit that divides it: "16M". */
static const char *show_amount(
	uint64_t amount, const struct value_unit *units, char *buffer, size_t size)
{
	const struct value_unit *best = units;

	for (const struct value_unit *unit = units; unit->name; unit++)
		if (amount > 0 && amount % unit->factor == 0 && unit->factor > best->factor)
			best = unit;
	(void)snprintf(buffer, size, "%" PRIu64 "%s", amount / best->factor, best->name);
	return buffer;
}

int value_amount(const struct node *node, const char *name, const struct value_range *range,
	uint64_t *ret, struct problem *problem)
{
	const struct value_unit *units = range->kind->units;
	const char *text = NULL;
	char least[32], most[32];
	uint64_t amount;
	int r;

	r = value_text(node, name, &text, problem);
	if (r != 0 || !text)
		return r;
	if (!take_amount(text, range, &amount))
		return problem_at(problem, node, "%s must be %s from %s to %s, not '%s'", name,
			range->kind->name, show_amount(range->least, units, least, sizeof(least)),
			show_amount(range->most, units, most, sizeof(most)), text);
	*ret = amount;
	return 0;
}
