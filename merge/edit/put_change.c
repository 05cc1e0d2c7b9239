#include <errno.h>
#include <string.h>

#include "array.h"
#include "key.h"
#include "put_run.h"
#include "strategy.h"

static void note_failure(struct put *put, const struct problem *problem, const struct node *root)
{
	if (put->failure.problem.message[0] || put->failure.refusals)
		return;
	put->failure.root = root;
	if (!problem)
		put->failure.refusals = &put->keep->merges[put->keep->merge_count - 1]->refusals;
	if (problem)
		put->failure.problem = *problem;
}

/* Edits the target by `ops`, and keeps the new text if the merge gives the wanted result. */
static int attempt(
	struct put *put, const struct edit_op *ops, size_t count, const struct edit_tree *wanted)
{
	const struct edit_result *edit;
	struct problem problem;
	struct put_state next = {.root = NULL};

	int r = put_edit(put, ops, count, &edit, &problem);
	if (r == 0 && edit->count == 0) {
		note_failure(put, NULL, put->state.root);
		return PUT_FORM_NONE;
	}
	if (r == 0) {
		r = put_merge_with(put, edit->text, edit->document, &next, &problem);
		/* The place is in a text that is not written. */
		if (r == PROBLEM &&
			problem_is_in(&problem, &put->inputs[put->request->target].source))
			problem.line = problem.column = 0;
		if (r == 0 && put_is_wanted(put, next.root, wanted)) {
			put->state = next;
			return 0;
		}
	}
	if (r < 0)
		return r;
	note_failure(put, r == PROBLEM ? &problem : NULL, next.root);
	return PUT_FORM_NONE;
}

/*
 * Finds the document of the present result that the op means: a document that the target got may
 * stand before those of higher layers, and not at the end.
 */
static size_t find_document(const struct put *put, size_t i, const struct stream *result)
{
	const struct edit_tree *tree = &put->wanted[i];
	size_t document = put->ops[i].document, found = 0;

	if (document >= tree->count || result->count < 2 ||
		(document < result->count &&
			edit_same(result->roots[document], tree->roots[document], false)))
		return document;
	while (found < result->count &&
		!edit_same(result->roots[found], tree->roots[document], false))
		found++;
	return found < result->count ? found : document;
}

static int find_form(struct put *put, size_t i, unsigned number, struct edit_op *ret)
{
	struct edit_op op = put->ops[i];
	struct put_ground ground;
	/* The forms see the wanted tree at the same index. */
	int r = put_make_ground(put, &put->wanted[i + 1], &ground);

	if (r < 0)
		return r;
	op.document = find_document(put, i, &ground.result);
	return put_form(&ground, &op, number, ret);
}

static int try_forms(struct put *put, size_t i)
{
	int r = PUT_FORM_NONE;

	if (put_is_wanted(put, put->state.root, &put->wanted[i + 1]))
		return 0;
	for (unsigned number = 0; r == PUT_FORM_NONE; number++) {
		struct edit_op op;

		r = find_form(put, i, number, &op);
		if (r == 0)
			r = attempt(put, &op, 1, &put->wanted[i + 1]);
	}
	return r;
}

/* Tries another op instead of `op`. The wanted tree after it changes accordingly. */
static int try_instead(struct put *put, size_t i, const struct edit_op *op)
{
	const struct edit_op old = put->ops[i], was_meant = put->meant[i];
	const struct edit_tree wanted = put->wanted[i + 1];
	struct edit_op *meant = &put->meant[i];
	struct problem ignored;
	int r = edit_tree_resolve(&put->wanted[i], op, put->arena, meant, &ignored);

	if (r == 0)
		r = edit_tree_apply(&put->wanted[i], meant, put->arena, &put->wanted[i + 1]);
	put->ops[i] = *op;
	r = r == 0 ? try_forms(put, i) : r == PROBLEM ? PUT_FORM_LAST : r;
	if (r == PUT_FORM_LAST) {
		put->ops[i] = old;
		*meant = was_meant;
		put->wanted[i + 1] = wanted;
		return r;
	}
	for (size_t j = i + 1; r == 0 && j < put->count; j++)
		r = edit_tree_apply(
			&put->wanted[j], &put->meant[j], put->arena, &put->wanted[j + 1]);
	return r;
}

/* Returns ["", value], or "" and the items of a list; NULL: no memory. */
static const struct node *reset_to(struct put *put, const struct node *value)
{
	bool is_list = node_is_sequence(value);
	uint32_t count = is_list ? value->seq.count : 1;
	struct node *list = node_new_sequence(put->arena, NULL);
	struct node *nothing = node_new_scalar(put->arena, span_of(""), NODE_PLAIN);
	int r = list && nothing ? node_push(put->arena, list, nothing) : -ENOMEM;

	if (nothing)
		nothing->schema = NODE_TEXT;

	for (uint32_t i = 0; r == 0 && i < count; i++) {
		const struct node *item = is_list ? value->seq.items[i] : value;
		bool is_nothing = i == 0 && node_is_scalar(item) && !item->text.len;

		if (!is_nothing)
			r = node_push(put->arena, list, item);
	}
	return r == 0 ? list : NULL;
}

/* Refuses to change or remove the empty value that drops the lower layers' values. */
static int refuse_reset(const struct put *put, const struct edit_op *op)
{
	uint32_t index = op->steps[op->count - 1].index;

	return problem_set(put->problem, put->inputs[put->request->target].source.name, 0, 0,
		"[%u] is the empty value that drops those of the lower layers, and must stay; "
		"count from [%u]",
		(unsigned)index, (unsigned)index + 1);
}

/* Handles a key that can't have the value alone, as another source adds values to it. */
static int do_again(struct put *put, size_t i)
{
	struct edit_op op = put->ops[i];
	size_t count = op.count;
	const struct node *present = edit_tree_follow(&put->wanted[i], &op, count);
	struct edit_step *steps = arena_zalloc(put->arena, count + 1, sizeof(*steps));
	int r = PUT_FORM_LAST;

	if (!steps)
		return -ENOMEM;
	if (op.again == EDIT_AGAIN_RESET) {
		bool is_item = !op.steps[count - 1].key;

		if (is_item && present && node_is_scalar(present) && !present->text.len)
			return refuse_reset(put, &op);
		/* For an item, reset the whole list. */
		op.count -= is_item;
		op.kind = EDIT_SET;
		op.value = edit_tree_follow(&put->wanted[i + 1], &op, op.count);
		if (!op.value)
			return r;
		op.value = reset_to(put, op.value);
		return op.value ? try_instead(put, i, &op) : -ENOMEM;
	}
	if (!present)
		return r;
	memcpy(steps, op.steps, count * sizeof(*steps));
	op.steps = steps;
	op.count++;
	if (node_is_sequence(present) && present->seq.count) {
		steps[count].index = present->seq.count - 1;
		r = try_instead(put, i, &op);
	}
	if (r != PUT_FORM_LAST)
		return r;
	op.kind = EDIT_INSERT;
	steps[count].index = EDIT_END;
	return try_instead(put, i, &op);
}

/* Returns whether the op's value is already the last one of a key that may come again. */
static bool is_last(const struct put *put, size_t i)
{
	const struct edit_op *op = &put->ops[i];
	const struct node *present = edit_tree_follow(&put->wanted[i], op, op->count);
	uint32_t count = present && node_is_sequence(present) ? present->seq.count : 0;

	return op->again == EDIT_AGAIN_LAST && count &&
	       edit_same(present->seq.items[count - 1], op->value, false);
}

static int do_one(struct put *put, size_t i)
{
	put->failure = (struct put_failure){0};
	int r = is_last(put, i) ? PUT_FORM_LAST : try_forms(put, i);
	if (r == PUT_FORM_LAST && put->ops[i].again)
		r = do_again(put, i);
	return r == PUT_FORM_LAST ? put_refuse(put, i) : r;
}

/* Returns whether the op sets a value that the result has already before it. */
static bool is_idle(const struct put *put, size_t i)
{
	const struct edit_op *op = &put->ops[i];
	const struct node *present = edit_tree_follow(&put->wanted[i], op, op->count);

	return op->kind == EDIT_SET && present && edit_same(present, op->value, false);
}

/* Applies each op that changes the result in its first form, all in one edit. */
static int do_together(struct put *put, size_t first, size_t end)
{
	struct edit_op *ops = arena_zalloc(put->arena, end - first, sizeof(*ops));
	size_t count = 0;
	int r = ops ? 0 : -ENOMEM;

	for (size_t i = first; r == 0 && i < end; i++)
		if (!is_idle(put, i))
			r = find_form(put, i, 0, &ops[count++]);
	return r == 0 ? attempt(put, ops, count, &put->wanted[end]) : r;
}

static int do_ops(struct put *put, size_t first, size_t end)
{
	int r;

	if (end - first <= 1)
		return end > first ? do_one(put, first) : 0;
	if (put_is_wanted(put, put->state.root, &put->wanted[end]))
		return 0;
	r = do_together(put, first, end);
	if (r <= 0)
		return r;
	r = do_ops(put, first, first + (end - first) / 2);
	return r == 0 ? do_ops(put, first + (end - first) / 2, end) : r;
}

static int convert_value(struct put *put, struct edit_op *op)
{
	const struct read_options options = read_options_for(&put->merge, put->merge.to);
	struct document *document = NULL;
	int r = edit_op_convert(op, NULL, &options, put->arena, &document, put->problem);

	return document && put_keep(put, document) < 0 ? -ENOMEM : r;
}

/*
 * Converts the op's value. If the present value is equal to it, and both are written the same in
 * the format, the present one stays. A source may be YAML under any name, and JSON can't express
 * all of it (a key that is a number).
 */
static int convert(struct put *put, const struct edit_tree *tree, struct edit_op *op)
{
	const struct node *present = edit_tree_follow(tree, op, op->count);
	struct edit_op there = *op;
	bool is_there = op->kind == EDIT_SET && edit_same(present, op->value, false);
	int r = convert_value(put, op);

	if (r != 0 || !is_there)
		return r;
	there.value = present;
	r = convert_value(put, &there);
	if (r == 0 && edit_same(there.value, op->value, false))
		op->value = present;
	return r;
}

/* Of several ops, names the one to which a problem without a place belongs. */
static void name_op(const struct put *put, const struct edit_op *op, struct problem *problem)
{
	const struct problem plain = *problem;
	struct key_text key = {0};

	if (put->count < 2 || plain.source[0])
		return;
	for (size_t i = 0; i < op->count; i++) {
		if (op->steps[i].key)
			key_text_put(&key, op->steps[i].key);
		else
			key_text_put_index(&key, op->steps[i].index);
	}
	struct span text = key_text_span(&key);
	problem_reword(problem, &plain, "%.*s: %s", (int)text.len, text.data, plain.message);
	key_text_fini(&key);
}

/* An item for the end of a list of unique items that has an equal one becomes that one. */
static int keep_unique(struct put *put, const struct edit_tree *tree, const struct edit_op *asked,
	struct edit_op *op)
{
	bool is_end = asked->count && asked->steps[asked->count - 1].index == EDIT_END;
	const struct strategy *strategy = put->merge.options->strategy;
	const struct node *list = is_end && op->kind == EDIT_INSERT && strategy->list_outcome
					  ? edit_tree_follow(tree, op, op->count - 1)
					  : NULL;
	enum list_outcome outcome;
	const struct node *by;
	size_t count = 0;

	if (!list || !node_is_sequence(list))
		return 0;
	const struct node **keys = arena_zalloc(put->arena, op->count, sizeof(*keys));
	struct edit_step *steps = arena_zalloc(put->arena, op->count, sizeof(*steps));
	if (!keys || !steps)
		return -ENOMEM;
	memcpy(steps, op->steps, op->count * sizeof(*steps));
	while (count < op->count && steps[count].key) {
		keys[count] = steps[count].key;
		count++;
	}
	/* Items of a list, and the lists in them, are whole values. */
	if (count + 1 < op->count)
		return 0;
	int r = strategy->list_outcome(&put->merge, keys, count, put->arena, &outcome, &by);
	for (uint32_t i = 0; r == 0 && outcome == LIST_OUTCOME_UNIQUE && i < node_count(list); i++)
		if (node_equal(list->seq.items[i], op->value)) {
			steps[op->count - 1].index = i;
			op->kind = EDIT_SET;
			op->steps = steps;
			op->value = list->seq.items[i];
			break;
		}
	return r;
}

static int plan(struct put *put, const struct stream *present)
{
	const struct put_request *request = put->request;
	const struct edit_op *ops = request->ops;
	struct edit_op *planned = NULL;
	struct read_options options = read_options_for(&put->merge, put->merge.to);
	struct edit_tree *tree;
	int r = 0;

	options.edited = document_schema(put->state.document, options.schema);
	put->count = request->count;
	if (request->plan)
		r = request->plan(request->context, present, &options, put->arena, &planned,
			&put->count, put->problem);
	if (r != 0)
		return r;
	if (request->plan)
		ops = planned;
	put->ops = arena_zalloc(put->arena, put->count + 1, sizeof(*put->ops));
	put->meant = arena_zalloc(put->arena, put->count + 1, sizeof(*put->meant));
	put->wanted = tree = arena_zalloc(put->arena, put->count + 1, sizeof(*tree));
	if (!put->ops || !put->meant || !tree)
		return -ENOMEM;
	*tree = (struct edit_tree){present->roots, present->count, put->merge.to};
	for (size_t i = 0; r == 0 && i < put->count; i++, tree++) {
		struct edit_op *op = &put->ops[i], *meant = &put->meant[i];

		r = edit_tree_resolve(tree, &ops[i], put->arena, meant, put->problem);
		if (r == 0)
			r = convert(put, tree, meant);
		if (r == 0)
			r = keep_unique(put, tree, &ops[i], meant);
		if (r == 0)
			r = edit_tree_apply(tree, meant, put->arena, tree + 1);
		if (r == PROBLEM)
			name_op(put, &ops[i], put->problem);
		*op = *meant;
		/* If the key becomes a list because it comes again, the source adds only its own
		 * item. */
		if (r == 0 && ops[i].kind == EDIT_INSERT && meant->count + 1 == ops[i].count &&
			node_is_sequence(meant->value)) {
			*op = ops[i];
			r = convert_value(put, op);
		}
	}
	return r;
}

int put_change(struct put *put, const struct stream *present)
{
	int r = plan(put, present);

	return r == 0 ? do_ops(put, 0, put->count) : r;
}
