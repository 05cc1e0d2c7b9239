#include "cleanup.h"
#include "deep.h"
#include "delete_rule.h"
#include "format.h"
#include "item_key.h"

const struct format *deep_repeating(const struct merge_request *request)
{
	const struct format *to = format_of_tree(request->to);
	const struct format *from = format_of_tree(request->inputs[0].format);

	if (to->repeats)
		return to;
	return from->repeats ? from : NULL;
}

/* Records that a list is there, and whether its items have the key that they are matched by. */
static int note_list(const struct list_rules *rules, const struct node *list,
	const struct list_place *place, struct option_uses *uses)
{
	const struct list_rule *rule = list_rules_find(rules, place);
	CLEANUP(arena_freep) struct arena *arena = NULL;
	int r = option_uses_add(uses, rule->place);

	if (r == 0 && rule->mode == LIST_BY_KEY)
		r = arena_new(&arena);
	for (uint32_t i = 0; r == 0 && arena && i < list->seq.count; i++) {
		struct item_key key;

		r = item_key_find(list->seq.items[i], rule->by, arena, &key);
		if (r == 0)
			r = option_uses_add(uses, key.value ? rule->by : rule->value);
	}
	return r;
}

static int note_value(const struct list_rules *rules, const struct node *value,
	const struct list_place *place, struct option_uses *uses)
{
	int r = node_is_sequence(value) ? note_list(rules, value, place, uses) : 0;

	if (node_is_map(value) && list_rules_have(rules, LIST_HAS_PAIRS)) {
		const struct list_rule *rule = list_rules_find(rules, place);
		r = rule->before ? option_uses_add(uses, rule->place) : 0;
	}

	if (node_is_scalar(value) && list_rules_have(rules, LIST_REPEATS)) {
		const struct list_rule *rule = list_rules_find(rules, place);
		return rule->mode == LIST_REPEAT ? option_uses_add(uses, rule->place) : 0;
	}
	for (uint32_t i = 0; r == 0 && i < node_count(value); i++) {
		/* An item has the place of its list. */
		const struct list_place inner = {
			place, node_is_map(value) ? value->map.pairs[i].key : NULL};
		r = note_value(rules, *node_entry(value, i), inner.key ? &inner : place, uses);
	}
	return r;
}

int deep_note_uses(const struct merge_request *request, size_t input,
	const struct document *document, struct option_uses *uses)
{
	CLEANUP(arena_freep) struct arena *arena = NULL;
	const struct list_rules *rules;
	struct problem ignored; /* the options are checked already */

	int r = arena_new(&arena);
	if (r == 0)
		r = list_rules_read(
			request->options, deep_repeating(request), arena, &rules, &ignored);
	for (size_t i = 0; r == 0 && i < document->count; i++) {
		r = note_value(rules, document->roots[i], NULL, uses);
		if (r == 0)
			r = delete_rule_note(request, input, document->roots[i], uses);
	}
	return r;
}

int deep_report_idle(const struct options *options, const struct option_uses *uses,
	int (*report)(void *context, const struct problem *problem), void *context)
{
	CLEANUP(arena_freep) struct arena *arena = NULL;
	const struct list_rules *rules;
	struct problem ignored;

	int r = arena_new(&arena);
	if (r == 0)
		r = list_rules_read(options, NULL, arena, &rules, &ignored);
	if (r == 0)
		r = list_rules_report_idle(rules, uses, report, context);
	return r == 0 ? delete_rule_report_idle(options, uses, report, context) : r;
}
