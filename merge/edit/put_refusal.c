#include <string.h>

#include "put_run.h"
#include "strategy.h"
#include "value_lock_place.h"

/* Returns the input that a value is from; the number of inputs if it is from none. */
static size_t input_of(const struct put *put, const struct node *value)
{
	size_t i = 0;

	while (value && i < put->merge.count &&
		(!value->source || strcmp(value->source->name, put->inputs[i].source.name) != 0))
		i++;
	return value ? i : put->merge.count;
}

/*
 * Returns the value that the result has at the op's place. For a removed value, that is the one
 * that it had overridden; for a value that does not appear at all, the one on the path to it. NULL:
 * there is none.
 */
static const struct node *find_instead(const struct put *put, const struct edit_op *op)
{
	struct edit_tree after;
	const struct node *found = NULL;

	if (!put->failure.root || put_tree(put, put->failure.root, &after) < 0)
		return NULL;
	for (size_t count = op->count + 1; !found && count-- > 0;) {
		found = edit_tree_follow(&after, op, count);
		if (op->kind == EDIT_REMOVE)
			break;
	}
	return found;
}

/* Returns whether the refusal is about the op's place, one in it, or a map or list around it. */
static bool is_about(const struct put *put, const struct problem *refusal, const struct edit_op *op)
{
	struct value_lock_step *steps = arena_zalloc(put->arena, op->count + 1, sizeof(*steps));
	char name[PROBLEM_MESSAGE_MAX];

	for (size_t i = 0; steps && i <= op->count; i++) {
		value_lock_step_name(i ? &steps[i - 1] : NULL, name, sizeof(name));
		size_t len = strlen(name);
		char behind = i && i == op->count ? '.' : '\'';

		if (strncmp(refusal->message + 1, name, len) == 0 &&
			(refusal->message[1 + len] == '\'' || refusal->message[1 + len] == behind))
			return true;
		if (i < op->count)
			steps[i] = (struct value_lock_step){
				i ? &steps[i - 1] : NULL, op->steps[i].key, op->steps[i].index};
	}
	return false;
}

static bool has_refusal(const struct refusals *refusals, const struct problem *refusal)
{
	for (size_t i = 0; i < refusals->count; i++)
		if (strcmp(refusals->items[i].message, refusal->message) == 0 &&
			strcmp(refusals->items[i].source, refusal->source) == 0)
			return true;
	return false;
}

static bool was_refused_before(const struct put *put, const struct problem *refusal)
{
	return put->before.merged && has_refusal(&put->before.merged->refusals, refusal);
}

/* Returns what a lock refused of the target because of the op, and not already before; NULL:
 * nothing. */
static const struct problem *find_refusal(const struct put *put, const struct edit_op *op)
{
	const struct refusals *refusals = put->failure.refusals;
	const struct source *target = &put->inputs[put->request->target].source;

	for (size_t i = 0; refusals && i < refusals->count; i++) {
		const struct problem *refusal = &refusals->items[i];

		if (problem_is_in(refusal, target) &&
			(is_about(put, refusal, op) || !was_refused_before(put, refusal)))
			return refusal;
	}
	return NULL;
}

/* Returns what a lock refuses at the op's place, of any source; NULL: nothing. */
static const struct problem *find_lock(const struct put *put, const struct edit_op *op)
{
	for (size_t k = put->keep->merge_count; k-- > 0;) {
		const struct refusals *refusals = &put->keep->merges[k]->refusals;

		for (size_t i = 0; i < refusals->count; i++)
			if (is_about(put, &refusals->items[i], op))
				return &refusals->items[i];
	}
	return NULL;
}

/* Returns whether the op gives its document another name, or none. */
static bool changes_name(const struct put *put, size_t i)
{
	const struct edit_tree *before = &put->wanted[i], *after = &put->wanted[i + 1];
	size_t document = put->ops[i].document;
	struct stream stream;

	if (document >= before->count || after->count < before->count ||
		stream_make(&put->merge, before->roots, before->count, put->arena, &stream) != 0)
		return false;
	return stream.names && stream.names[document] &&
	       !stream_has_name(after->roots[document], stream.names[document]);
}

static bool refuse_as(const struct put *put, const struct problem *refusal)
{
	if (!refusal)
		return false;
	*put->problem = *refusal;
	/* Otherwise the place is in a text that was never written. */
	if (!was_refused_before(put, refusal))
		put->problem->line = put->problem->column = 0;
	return true;
}

/* Finds in the value a tag that the strategy carries out, so that no merged file has it. */
static const struct node *find_tagged(const struct node *value, const char *tags)
{
	const struct node *found = NULL;

	if (!value || !tags)
		return NULL;
	if (value->tag && span_is_in(span_of(value->tag), tags, ", "))
		return value;
	for (uint32_t i = 0; !found && i < node_count(value); i++)
		found = find_tagged(*node_entry(value, i), tags);
	return found;
}

static bool refuse_tag(const struct put *put, const struct edit_op *op)
{
	const struct node *tagged = find_tagged(op->value, put->merge.options->strategy->tags);

	if (!tagged)
		return false;
	problem_set(put->problem, put->inputs[put->request->target].source.name, 0, 0,
		"the new value has the tag %s, which never shows in the merged file; set the value "
		"that the file is to show, or write the tag into the layer's file by hand",
		tagged->tag);
	return true;
}

/* Refuses to set a key that stands several times, if the values of lower layers would stay. */
static bool refuse_repeated(const struct put *put, size_t i)
{
	const struct edit_op *op = &put->ops[i];
	const struct source *target = &put->inputs[put->request->target].source;
	bool is_item = op->count > 1 && !op->steps[op->count - 1].key;
	size_t count = op->count - is_item;
	const struct node *key = count ? op->steps[count - 1].key : NULL;
	const struct node *list = edit_tree_follow(&put->wanted[i], op, count);

	if (op->kind != EDIT_SET || !key || !format_of_tree(put->merge.to)->repeats || !list ||
		!node_is_sequence(list) || list->seq.count < 2)
		return false;
	size_t from = input_of(put, list->seq.items[0]);
	if (from >= put->request->target)
		return false;
	problem_at(put->problem, list->seq.items[0],
		"'%.*s' stands %u times, here first, and a value in the layer '%s' would be one "
		"more; "
		"change these in the layer '%s', or add one by the KEY with [+]",
		(int)key->text.len, key->text.data, (unsigned)list->seq.count, target->layer,
		put->inputs[from].source.layer);
	return true;
}

/* Refuses a new source that changes the result without any value. Returns 0, PROBLEM or -errno. */
static int refuse_new(struct put *put)
{
	const struct source *source = &put->inputs[put->request->target].source;
	struct put_state empty;

	if (!put_is_new(put))
		return 0;
	int r = put_merge_with(put, put->before.text, put->before.document, &empty, put->problem);
	if (r != 0 || put_is_wanted(put, empty.root, &put->wanted[0]))
		return r;
	return problem_set(put->problem, source->name, 0, 0,
		"if the layer '%s' has the file, the rule's option 'delete' removes other values; "
		"change the option, or make the file by hand",
		source->layer);
}

int put_refuse(struct put *put, size_t i)
{
	const struct edit_op *op = &put->ops[i];
	const struct node *at = edit_tree_follow(&put->wanted[i], op, op->count);
	const struct merge_input *target = &put->inputs[put->request->target];
	const struct strategy *strategy = put->merge.options->strategy;

	if (changes_name(put, i))
		return problem_set(put->problem, target->source.name, 0, 0,
			"another layer has the document, too, and keeps the values by which it is "
			"matched; remove the document, and set one that has other values");
	if (put->failure.problem.message[0]) {
		*put->problem = put->failure.problem;
		return PROBLEM;
	}
	int r = refuse_new(put);
	if (r != 0)
		return r;
	if (refuse_as(put, find_refusal(put, op)))
		return PROBLEM;
	const struct node *instead = find_instead(put, op);
	if (instead)
		at = instead;
	size_t winner = input_of(put, at);
	if (winner < put->merge.count && winner > put->request->target)
		return problem_at(put->problem, at,
			"the layer '%s' is higher and sets it, so a change in '%s' would not show; "
			"change it there, or remove it there",
			put->inputs[winner].source.layer, target->source.layer);
	if (refuse_as(put, find_lock(put, op)))
		return PROBLEM;
	if (op->kind == EDIT_REMOVE && winner < put->request->target && strategy->tags &&
		!format_has_tags(format_of_tree(target->format)))
		return problem_at(put->problem, at,
			"the layer '%s' has the value, and %s has no '!delete' to hide it; %s, or "
			"remove the value there",
			put->inputs[winner].source.layer, format_of_tree(target->format)->name,
			/* An empty assignment takes back those before it. */
			format_of_tree(target->format)->repeats == FORMAT_REPEATS_UNITS
				? "set it to '', or give the rule the option 'delete'"
				: "give the rule 'dropins' for a YAML drop-in, or its option "
				  "'delete'");
	if (refuse_tag(put, op) || refuse_repeated(put, i))
		return PROBLEM;
	return problem_set(put->problem, target->source.name, 0, 0,
		"the strategy '%s' can't express this change in the layer '%s'; change the value "
		"in the layer that has it",
		strategy->name, target->source.layer);
}
