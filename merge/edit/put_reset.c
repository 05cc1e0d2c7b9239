#include <errno.h>
#include <string.h>

#include "put_run.h"
#include "scalar.h"
#include "strategy.h"

/*
 * Makes the stream of the result, with the target's document in place of each that the target has.
 * Behind them come the target's other documents, which the result lacks.
 */
static int lay_over(const struct put *put, const struct stream *present, struct stream *ret)
{
	const struct document *own = put->state.document;
	size_t count = present->count;
	const struct node **roots =
		arena_zalloc(put->arena, count + own->count + 1, sizeof(*roots));
	struct stream target;
	int r = stream_make(&put->merge, own->roots, own->count, put->arena, &target);

	if (r != 0 || !roots)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		roots[i] = present->roots[i];
	for (size_t i = 0; i < own->count; i++) {
		const struct node *name = target.names ? target.names[i] : NULL;
		size_t at = present->by ? present->count : i;

		if (name)
			at = stream_find_named(present, name);
		roots[at < present->count ? at : count++] = own->roots[i];
	}
	return stream_make(&put->merge, roots, count, put->arena, ret);
}

/* Makes each op for a document of the stream one for the target's document, the last one first.
 * Returns 0; or PROBLEM: the target lacks one. */
static int find_own(const struct put *put, const struct stream *stream, struct edit_op *ops)
{
	const struct document *own = put->state.document;

	for (size_t i = 0, k = 0; i < put->count; k = ++i) {
		struct edit_op op = ops[i];
		const struct node *root = stream->roots[op.document];

		op.document = 0;
		while (op.document < own->count && own->roots[op.document] != root)
			op.document++;
		if (op.document == own->count)
			return PROBLEM;
		for (; k > 0 && ops[k - 1].document < op.document; k--)
			ops[k] = ops[k - 1];
		ops[k] = op;
	}
	return 0;
}

/* Plans the ops of a reset: from the result, or, if it does not have the named value, from the
 * target itself. */
static int plan_reset(struct put *put, const struct stream *present, bool *is_own)
{
	const struct put_request *request = put->request;
	struct stream target;
	struct problem own = {.message = ""};
	struct edit_op *ops = NULL;

	struct read_options options = read_options_for(&put->merge, put->merge.to);
	int r = request->plan(
		request->context, present, &options, put->arena, &ops, &put->count, put->problem);
	*is_own = r == PROBLEM;
	if (r == PROBLEM) {
		options = read_options_for(&put->merge, put->inputs[request->target].format);
		r = lay_over(put, present, &target);
		if (r == 0)
			r = request->plan(request->context, &target, &options, put->arena, &ops,
				&put->count, &own);
		if (r == 0)
			r = find_own(put, &target, ops);
	}
	if (*is_own && r == PUT_UNCLEAR)
		*put->problem = own;
	put->ops = ops;
	return r;
}

/* Returns the value in the target that decides for the op's place from above: it is no map, or it
 * has a tag. NULL: there is none. */
static const struct node *find_cover(const struct put *put, const struct edit_op *op)
{
	const struct document *document = put->state.document;
	bool is_there = op->document < document->count;
	const struct node *node = is_there ? document->roots[op->document] : NULL, *cover = NULL;

	for (size_t i = 0; node && i < op->count && op->steps[i].key; i++) {
		cover = i && (!node_is_map(node) || node->tag) ? node : cover;
		node = edit_tree_entry(node, &op->steps[i]);
	}
	return node ? NULL : cover;
}

static int has_only_name(const struct put *put, const struct edit_op *op, bool *ret)
{
	const struct document *document = put->state.document;
	const struct edit_tree tree = {document->roots, document->count, NULL};
	struct edit_tree after;
	struct stream stream = {0};
	int r = edit_tree_apply(&tree, op, put->arena, &after);

	if (r == 0)
		r = stream_make(&put->merge, after.roots, after.count, put->arena, &stream);
	const struct node *name = r == 0 && stream.names ? stream.names[op->document] : NULL;
	*ret = name && edit_same(stream.roots[op->document], name, false) &&
	       !stream.roots[op->document]->tag;
	return r;
}

/*
 * Shortens the op: a map or list that would be empty after the removal goes, too, and so does a
 * document of which only the name would be left. One with `!replace` stays, as it has a meaning of
 * its own.
 */
static int prune(const struct put *put, struct edit_op *op)
{
	const struct document *document = put->state.document;
	const struct edit_tree tree = {document->roots, document->count, NULL};
	bool is_name = false;

	while (op->count > 1) {
		const struct node *around = edit_tree_follow(&tree, op, op->count - 1);

		if (!around || node_count(around) > 1 ||
			(around->tag && strcmp(around->tag, "!replace") == 0))
			break;
		op->count--;
	}
	int r = op->count ? has_only_name(put, op, &is_name) : 0;
	op->count = is_name ? 0 : op->count;
	return r;
}

static int remove_value(struct put *put, const struct edit_op *op)
{
	const struct edit_result *edit;
	int r = put_edit(put, op, 1, &edit, put->problem);

	if (r != 0 || !edit->count)
		return r;
	return put_merge_with(put, edit->text, edit->document, &put->state, put->problem);
}

/* Returns whether the op's value is in an item of a list, and the item has one more value. */
static bool is_in_item(const struct edit_tree *tree, const struct edit_op *op)
{
	const struct node *around = op->count > 2 && !op->steps[op->count - 2].key
					    ? edit_tree_follow(tree, op, op->count - 1)
					    : NULL;

	return around && node_is_map(around) && node_count(around) == 2 && !around->tag;
}

/*
 * Carries out the op of a reset. The value may be in an item of a list that is merged by a key. If
 * only this key would be left of the item, and the merge is the same without the item, the item
 * goes, too. That item may be in another one.
 */
static int remove_with_item(struct put *put, struct edit_op *op)
{
	const struct put_state before = put->state;
	const struct edit_tree tree = {before.document->roots, before.document->count, NULL};
	int r = remove_value(put, op);

	while (r == 0 && put_has_changed(put) && is_in_item(&tree, op)) {
		const struct put_state narrow = put->state;

		put->state = before;
		op->count--;
		r = prune(put, op);
		if (r == 0)
			r = remove_value(put, op);
		if (r < 0)
			return r;
		if (r == 0 && edit_same(put->state.root, narrow.root, false))
			continue;
		put_return_to(put, &narrow);
		return 0;
	}
	return r;
}

static bool is_all_of(const struct node *list, const struct source *source)
{
	for (uint32_t i = 0; i < list->seq.count; i++)
		if (list->seq.items[i]->source != source)
			return false;
	return list->seq.count > 0;
}

/*
 * Returns whether the items of the target's list at the op's first `count` steps are merged by a
 * key; or -ENOMEM. A list with a tag, such as !replace, is not.
 */
static int is_by_key(const struct put_ground *ground, const struct edit_op *op, size_t count)
{
	const struct put *put = ground->put;
	const struct document *target = put->state.document;
	const struct strategy *strategy = put->merge.options->strategy;
	const struct node **keys = arena_alloc(put->arena, (count + 1) * sizeof(*keys));
	const struct node *own = NULL, *by;
	enum list_outcome outcome = LIST_OUTCOME_ANY;
	size_t key_count = 0;

	if (!keys)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		if (op->steps[i].key)
			keys[key_count++] = op->steps[i].key;
	int r = op->document < target->count
			? put_follow_in(ground, op, count, target->roots[op->document], &own)
			: 0;
	if (r == 0 && strategy->list_outcome)
		r = strategy->list_outcome(&put->merge, keys, key_count, put->arena, &outcome, &by);
	return r < 0 ? r : outcome == LIST_OUTCOME_BY_KEY && own && !own->tag;
}

/*
 * Finds a list in the target that has an item of the op's path, and replaces a lower layer's whole
 * list: without the item, the lower one would not show again. *ret NULL: there is none.
 */
static int find_replacing(const struct put_ground *ground, struct put *put,
	const struct edit_op *op, const struct node **ret)
{
	const struct node *below, *list, *lower = NULL;
	struct edit_tree tree, under = {0};
	int r = put_tree(put, put->state.root, &tree);

	*ret = NULL;
	for (size_t i = 0; r == 0 && !*ret && i < op->count; i++) {
		list = op->steps[i].key ? NULL : edit_tree_follow(&tree, op, i);
		if (!list || !node_is_sequence(list) ||
			!is_all_of(list, &put->state.document->source))
			continue;
		r = is_by_key(ground, op, i);
		if (r != 0) {
			r = r < 0 ? r : 0;
			continue;
		}
		r = under.roots ? 0 : put_merge_below(put, &below);
		if (r == 0 && !under.roots)
			r = put_tree(put, below, &under);
		if (r == 0 && op->document < under.count)
			r = put_follow_in(ground, op, i, under.roots[op->document], &lower);
		if (lower && !scalar_is_null(lower) && (node_is_scalar(lower) || node_count(lower)))
			*ret = list->seq.items[0];
	}
	return r;
}

static int reset_one(struct put *put, struct edit_op *op, bool is_own)
{
	const struct merge_input *target = &put->inputs[put->request->target];
	struct edit_op found = *op;
	struct put_ground ground;

	found.leaves_nothing = true;
	int r = put_make_ground(put, NULL, &ground);
	if (r == 0 && !is_own)
		r = put_form(&ground, op, 0, &found);
	if (r < 0)
		return r;
	const struct node *cover = r == PUT_FORM_NONE ? find_cover(put, &found) : NULL;
	if (r == 0 && !is_own) {
		r = find_replacing(&ground, put, op, &cover);
		if (r < 0)
			return r;
	}
	if (cover)
		return problem_at(put->problem, cover,
			"the layer '%s' replaces the whole value here; reset this key as a whole, "
			"or change it",
			target->source.layer);
	if (r != 0)
		return r == PUT_FORM_NONE ? 0 : r;
	r = prune(put, &found);
	return r < 0 ? r : remove_with_item(put, &found);
}

/* Returns whether the text says nothing any more: it has no value and no comment. */
static bool is_blank(const struct put_state *state)
{
	static const char *const nothing[] = {"{}", "[]", "---", "...", "\xef\xbb\xbf"};
	const struct node *root = state->document->count ? state->document->roots[0] : NULL;
	const char *at = state->text.data;

	if (state->document->count > 1 || (root && node_count(root)) ||
		(root && node_is_scalar(root) && root->text.len))
		return false;
	while (*at) {
		size_t len = strspn(at, " \t\r\n");

		for (size_t i = 0; !len && i < sizeof(nothing) / sizeof(*nothing); i++)
			if (strncmp(at, nothing[i], strlen(nothing[i])) == 0)
				len = strlen(nothing[i]);
		if (!len)
			return false;
		at += len;
	}
	return true;
}

/* Removes the brackets of an empty YAML root, if the merge is the same without them. */
static int remove_empty_root(struct put *put)
{
	static const struct edit_op op = {.kind = EDIT_REMOVE, .leaves_nothing = true};
	const struct put_state before = put->state;
	const struct format *format = put->inputs[put->request->target].format;
	const struct node *root = before.document->count == 1 ? before.document->roots[0] : NULL;

	if (!root || node_is_scalar(root) || node_count(root) || root->tag ||
		!format_has_tags(format_of_tree(format)))
		return 0;
	int r = remove_value(put, &op);
	if (r < 0 || (r == 0 && edit_same(put->state.root, before.root, false)))
		return r;
	put_return_to(put, &before);
	return 0;
}

int put_reset(struct put *put, struct put_result *result)
{
	bool is_own;
	int r = plan_reset(put, &result->before, &is_own);

	if (r == PROBLEM) {
		result->effect = PUT_ABSENT;
		return 0;
	}
	/* If documents are merged, each may have the value. An index leads to the next item after a
	 * removal. */
	for (size_t i = 0; r == 0 && i < put->count; i++) {
		const char *text;

		do {
			text = put->state.text.data;
			r = reset_one(put, &put->ops[i], is_own);
		} while (r == 0 && !is_own && result->before.count == 1 &&
			 put->state.document->count > 1 &&
			 edit_count_keys(&put->ops[i]) == put->ops[i].count &&
			 put->state.text.data != text);
	}
	if (r != 0 || !put_has_changed(put))
		return r;
	if (!is_blank(&put->state))
		return remove_empty_root(put);
	result->effect = PUT_EMPTIED;
	return put_merge_others(put, &put->state);
}
