#include "put.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "cleanup.h"
#include "edit_tree.h"
#include "key.h"
#include "put_form.h"
#include "scalar.h"
#include "strategy.h"
#include "value_lock_place.h"

/* Everything read, edited and merged, which lives until the result is freed. */
struct put_intermediates {
	struct document **documents;
	size_t document_count;
	size_t document_capacity;
	struct edit_result **edits;
	size_t edit_count;
	size_t edit_capacity;
	struct merge_result **merges;
	size_t merge_count;
	size_t merge_capacity;
};

/* The target after some of the ops, and the result of the merge with it. */
struct put_state {
	struct span text;
	const struct document *document; /* with extents */
	const struct node *root;
	bool is_changed;
};

/* Why the first form has failed, for the user. */
struct failure {
	/* has a message if the text could not be edited, or did not merge */
	struct problem problem;
	const struct node *root;         /* the result instead of the wanted one … */
	const struct refusals *refusals; /* … and the changes that locks refused in it */
};

struct put {
	const struct put_request *request;
	struct merge_request merge; /* gives the tree alone; its inputs are in `inputs` */
	struct merge_input *inputs;
	struct arena *arena;
	struct put_intermediates *keep;
	struct problem *problem;
	struct edit_op *ops;   /* resolved, but an insertion still has the item and not the list */
	struct edit_op *meant; /* resolved completely */
	size_t count;
	struct edit_tree *wanted; /* before each op, and after the last one */
	struct put_state state;
	struct failure failure; /* of the current op */
	bool is_new;            /* the target's file is absent */
};

static int keep_document(struct put *put, struct document *document)
{
	struct put_intermediates *keep = put->keep;
	int r = array_push(
		keep->documents, keep->document_count, keep->document_capacity, document);

	if (r < 0)
		document_free(document);
	return r;
}

static struct read_options options_of(const struct put *put, size_t input)
{
	struct read_options options = read_options_for(&put->merge, put->inputs[input].format);

	options.wants_extents = input == put->request->target;
	return options;
}

/* Reads the inputs that the strategy does not read itself, and the target with extents. */
static int read_inputs(struct put *put)
{
	for (size_t i = 0; i < put->merge.count; i++) {
		struct merge_input *input = &put->inputs[i];
		struct read_options options = options_of(put, i);
		struct document *document;

		if (i != put->request->target &&
			(input->document || !put->merge.options->strategy->reads_trees))
			continue;
		int r = document_read(
			&input->source, input->text, &options, &document, put->problem);
		if (r == 0)
			r = keep_document(put, document);
		bool is_values = r == 0 && (!document->count || node_is_map(document->roots[0]) ||
						   scalar_is_null(document->roots[0]));
		if (r >= 0 && !is_values && !put->merge.options->strategy->reads_trees)
			return problem_set(put->problem, input->source.name, 0, 0,
				"is a message, archive, patch or script; change it by hand");
		if (r != 0)
			return r;
		input->document = document;
	}
	return 0;
}

/* Merges the inputs. Returns 0, PROBLEM or -errno; *ret is NULL if there is no value. */
static int merge_inputs(struct put *put, const struct node **ret, struct problem *problem)
{
	struct put_intermediates *keep = put->keep;

	if (array_grow(keep->merges, keep->merge_count, keep->merge_capacity) < 0)
		return -ENOMEM;
	int r = merge_run(&put->merge, &keep->merges[keep->merge_count], problem);
	if (r == 0)
		*ret = keep->merges[keep->merge_count++]->root;
	return r;
}

static int merge_with(struct put *put, struct span text, const struct document *document,
	const struct node **ret, struct problem *problem)
{
	struct merge_input *target = &put->inputs[put->request->target];

	target->text = text;
	target->document = document;
	return merge_inputs(put, ret, problem);
}

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

/* Makes the tree of a result; `root` NULL: it has no document. Returns 0 or -ENOMEM. */
static int tree_of(const struct put *put, const struct node *root, struct edit_tree *ret)
{
	const struct node **place = arena_alloc(put->arena, sizeof(*place));

	*ret = (struct edit_tree){.format = put->merge.to};
	if (!place)
		return -ENOMEM;
	*place = root;
	if (root)
		ret->roots = node_documents(place, &ret->count);
	return 0;
}

static int stream_of_result(const struct put *put, const struct node *root, struct stream *ret)
{
	struct edit_tree tree;
	int r = tree_of(put, root, &tree);

	return r == 0 ? stream_make(&put->merge, tree.roots, tree.count, put->arena, ret) : r;
}

/* Returns whether the two have the same documents, in whatever order. */
static bool has_same_documents(const struct edit_tree *tree, const struct edit_tree *wanted)
{
	size_t same = 0;

	while (same < wanted->count && same < tree->count &&
		edit_same(tree->roots[same], wanted->roots[same], false))
		same++;
	for (size_t i = same; i < wanted->count; i++) {
		size_t n = same;

		while (n < tree->count && !edit_same(tree->roots[n], wanted->roots[i], false))
			n++;
		if (n == tree->count)
			return false;
	}
	return tree->count == wanted->count;
}

/* Returns whether the result is the wanted one. If the format writes an empty map as an empty text,
 * it equals no value. */
static bool is_wanted(
	const struct put *put, const struct node *root, const struct edit_tree *wanted)
{
	struct edit_tree tree = {.roots = &root, .count = root ? 1 : 0};

	if (root)
		tree.roots = node_documents(&root, &tree.count);
	if (tree.count > 1 || wanted->count > 1)
		return has_same_documents(&tree, wanted);
	const struct node *only = wanted->count ? wanted->roots[0] : NULL;
	bool is_empty = !root && only && node_is_map(only) && !node_count(only);
	return edit_same(root, only, false) ||
	       (is_empty && !format_of_tree(put->merge.to)->has_lists);
}

/* Edits the target by `ops`. Returns 0 with *ret, which `keep` owns; PROBLEM; or -ENOMEM. */
static int edit_target(const struct put *put, const struct edit_op *ops, size_t count,
	const struct edit_result **ret, struct problem *problem)
{
	struct read_options options = options_of(put, put->request->target);
	const struct edit_request request = {
		.source = put->inputs[put->request->target].source,
		.text = put->state.text,
		.document = put->state.document->extents ? put->state.document : NULL,
		.options = &options,
		.ops = ops,
		.count = count,
	};
	struct put_intermediates *keep = put->keep;

	if (array_grow(keep->edits, keep->edit_count, keep->edit_capacity) < 0)
		return -ENOMEM;
	int r = edit_run(&request, &keep->edits[keep->edit_count], problem);
	if (r == 0)
		*ret = keep->edits[keep->edit_count++];
	return r;
}

/* Edits the target by `ops`, and keeps the new text if the merge gives the wanted result. */
static int attempt(
	struct put *put, const struct edit_op *ops, size_t count, const struct edit_tree *wanted)
{
	const struct edit_result *edit;
	struct problem problem;
	const struct node *root = NULL;

	int r = edit_target(put, ops, count, &edit, &problem);
	if (r == 0 && edit->count == 0) {
		note_failure(put, NULL, put->state.root);
		return PUT_FORM_NONE;
	}
	if (r == 0) {
		r = merge_with(put, edit->text, edit->document, &root, &problem);
		/* The place is in a text that is not written. */
		if (r == PROBLEM &&
			strcmp(problem.source, put->inputs[put->request->target].source.name) == 0)
			problem.line = problem.column = 0;
		if (r == 0 && is_wanted(put, root, wanted)) {
			put->state = (struct put_state){edit->text, edit->document, root, true};
			return 0;
		}
	}
	if (r < 0)
		return r;
	note_failure(put, r == PROBLEM ? &problem : NULL, r == PROBLEM ? NULL : root);
	return PUT_FORM_NONE;
}

static int make_ground(struct put *put, const struct edit_tree *wanted, struct stream *result,
	struct put_ground *ret)
{
	struct merge_input *target = &put->inputs[put->request->target];

	/* An attempt that failed may have left its own. */
	target->text = put->state.text;
	target->document = put->state.document;
	*ret = (struct put_ground){
		.merge = &put->merge,
		.result = result,
		.wanted = wanted,
		.document = put->state.document,
		.format = target->format,
		.arena = put->arena,
	};
	return stream_of_result(put, put->state.root, result);
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
	struct stream result;
	/* The forms see the wanted tree at the same index. */
	int r = make_ground(put, &put->wanted[i + 1], &result, &ground);

	if (r < 0)
		return r;
	op.document = find_document(put, i, &result);
	return put_form(&ground, &op, number, ret);
}

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

	if (!put->failure.root || tree_of(put, put->failure.root, &after) < 0)
		return NULL;
	for (size_t count = op->count + 1; !found && count-- > 0;) {
		found = edit_tree_follow(&after, op, count);
		if (op->kind == EDIT_REMOVE)
			break;
	}
	return found;
}

/* Returns whether the refusal is about the op's place, or a map or list around it. */
static bool is_about(const struct put *put, const struct problem *refusal, const struct edit_op *op)
{
	struct value_lock_step *steps = arena_zalloc(put->arena, op->count + 1, sizeof(*steps));
	char name[PROBLEM_MESSAGE_MAX];

	for (size_t i = 0; steps && i <= op->count; i++) {
		value_lock_step_name(i ? &steps[i - 1] : NULL, name, sizeof(name));
		size_t len = strlen(name);

		if (strncmp(refusal->message + 1, name, len) == 0 &&
			refusal->message[1 + len] == '\'')
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

/* Returns what a lock refused of the target because of the op, and not already before; NULL:
 * nothing. */
static const struct problem *find_refusal(const struct put *put, const struct edit_op *op)
{
	const struct refusals *refusals = put->failure.refusals;
	const char *target = put->inputs[put->request->target].source.name;

	for (size_t i = 0; refusals && i < refusals->count; i++) {
		const struct problem *refusal = &refusals->items[i];

		if (strcmp(refusal->source, target) == 0 &&
			(is_about(put, refusal, op) ||
				!has_refusal(&put->keep->merges[0]->refusals, refusal)))
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
	if (!has_refusal(&put->keep->merges[0]->refusals, refusal))
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

static int refuse(struct put *put, size_t i)
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
	/* The first merge was with the empty source. */
	if (put->is_new && !is_wanted(put, put->keep->merges[0]->root, &put->wanted[0]))
		return problem_set(put->problem, target->source.name, 0, 0,
			"if the layer '%s' has the file, the rule's option 'delete' removes other "
			"values; change the option, or make the file by hand",
			target->source.layer);
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
		!format_of_tree(target->format)->has_tags)
		return problem_at(put->problem, at,
			"the layer '%s' has the value, and %s has no '!delete' to hide it; %s, or "
			"remove the value there",
			put->inputs[winner].source.layer, format_of_tree(target->format)->name,
			/* An empty assignment takes back those before it. */
			format_of_tree(target->format)->counts_all
				? "set it to '', or give the rule the option 'delete'"
				: "give the rule 'dropins' for a YAML drop-in, or its option "
				  "'delete'");
	if (refuse_tag(put, op))
		return PROBLEM;
	return problem_set(put->problem, target->source.name, 0, 0,
		"the strategy '%s' can't express this change in the layer '%s'; change the value "
		"in the layer that has it",
		strategy->name, target->source.layer);
}

static int try_forms(struct put *put, size_t i)
{
	int r = PUT_FORM_NONE;

	if (is_wanted(put, put->state.root, &put->wanted[i + 1]))
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
		/* For an item, reset the whole list. */
		op.count -= !op.steps[count - 1].key;
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
	put->failure = (struct failure){0};
	int r = is_last(put, i) ? PUT_FORM_LAST : try_forms(put, i);
	if (r == PUT_FORM_LAST && put->ops[i].again)
		r = do_again(put, i);
	return r == PUT_FORM_LAST ? refuse(put, i) : r;
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
	if (is_wanted(put, put->state.root, &put->wanted[end]))
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

	return document && keep_document(put, document) < 0 ? -ENOMEM : r;
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
	int r = edit_target(put, op, 1, &edit, put->problem);

	if (r != 0 || !edit->count)
		return r;
	put->state.text = edit->text;
	put->state.document = edit->document;
	put->state.is_changed = true;
	return merge_with(put, edit->text, edit->document, &put->state.root, put->problem);
}

/*
 * Carries out the op of a reset. The value may be in an item of a list that is merged by a key. If
 * only this key would be left of the item, and the merge is the same without the item, the item
 * goes, too.
 */
static int remove_with_item(struct put *put, struct edit_op *op)
{
	const struct put_state before = put->state;
	const struct edit_tree tree = {before.document->roots, before.document->count, NULL};
	const struct node *around = op->count > 2 && !op->steps[op->count - 2].key
					    ? edit_tree_follow(&tree, op, op->count - 1)
					    : NULL;
	int r = remove_value(put, op);

	if (r != 0 || !put->state.is_changed || !around || !node_is_map(around) ||
		node_count(around) != 2 || around->tag)
		return r;
	const struct put_state narrow = put->state;
	put->state = before;
	op->count--;
	r = prune(put, op);
	if (r == 0)
		r = remove_value(put, op);
	if (r < 0 || (r == 0 && edit_same(put->state.root, narrow.root, false)))
		return r;
	put->state = narrow;
	return merge_with(put, narrow.text, narrow.document, &put->state.root, put->problem);
}

/* Merges the inputs below the target. *ret NULL: they give no value, or can't be merged alone. */
static int merge_below(struct put *put, const struct node **ret)
{
	size_t count = put->merge.count;
	struct problem ignored;

	*ret = NULL;
	if (!put->request->target)
		return 0;
	put->merge.count = put->request->target;
	int r = merge_inputs(put, ret, &ignored);
	put->merge.count = count;
	return r < 0 ? r : 0;
}

static bool is_all_of(const struct node *list, const struct source *source)
{
	for (uint32_t i = 0; i < list->seq.count; i++)
		if (list->seq.items[i]->source != source)
			return false;
	return list->seq.count > 0;
}

/*
 * Finds the list in the target that has the op's item and replaces a lower layer's whole list:
 * without the item, the lower one would not show again. *ret NULL: there is none.
 */
static int find_replacing(struct put *put, const struct edit_op *op, const struct node **ret)
{
	const struct node *below = NULL, *list, *lower;
	struct edit_tree tree, under;
	size_t i = 0;
	int r = tree_of(put, put->state.root, &tree);

	*ret = NULL;
	while (i < op->count && op->steps[i].key)
		i++;
	list = r == 0 && i < op->count ? edit_tree_follow(&tree, op, i) : NULL;
	if (!list || !node_is_sequence(list) || !is_all_of(list, &put->state.document->source))
		return r;
	r = merge_below(put, &below);
	if (r == 0)
		r = tree_of(put, below, &under);
	lower = r == 0 ? edit_tree_follow(&under, op, i) : NULL;
	if (lower && !scalar_is_null(lower) && (node_is_scalar(lower) || node_count(lower)))
		*ret = list->seq.items[0];
	return r;
}

static int reset_one(struct put *put, struct edit_op *op, bool is_own)
{
	const struct merge_input *target = &put->inputs[put->request->target];
	struct edit_op found = *op;
	struct put_ground ground;
	struct stream result;

	found.leaves_nothing = true;
	int r = make_ground(put, NULL, &result, &ground);
	if (r == 0 && !is_own)
		r = put_form(&ground, op, 0, &found);
	if (r < 0)
		return r;
	const struct node *cover = r == PUT_FORM_NONE ? find_cover(put, &found) : NULL;
	if (r == 0 && !is_own) {
		r = find_replacing(put, op, &cover);
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

static int merge_others(struct put *put, const struct node **ret)
{
	size_t target = put->request->target;

	*ret = NULL;
	put->merge.count--;
	memmove(put->inputs + target, put->inputs + target + 1,
		(put->merge.count - target) * sizeof(*put->inputs));
	return put->merge.count ? merge_inputs(put, ret, put->problem) : 0;
}

/*
 * Finds the result before the change. Without a value, a new source changes nothing, unless the
 * option `delete` names its layer.
 */
static int find_before(struct put *put, struct stream *ret)
{
	struct put others = *put;
	struct problem problem;
	struct edit_tree before;
	const struct node *root;
	size_t size = put->merge.count * sizeof(*put->inputs);

	if (!put->is_new)
		return stream_of_result(put, put->state.root, ret);
	others.problem = &problem;
	others.merge.inputs = others.inputs = arena_alloc(put->arena, size);
	if (!others.inputs)
		return -ENOMEM;
	memcpy(others.inputs, put->inputs, size);
	int r = merge_others(&others, &root);
	if (r == 0)
		r = tree_of(put, root, &before);
	if (r == 0 && !is_wanted(put, put->state.root, &before))
		put->state.root = root;
	return r < 0 ? r : stream_of_result(put, put->state.root, ret);
}

/* Returns whether no step of the op is an index, which leads to the next item after a removal. */
static bool has_keys_alone(const struct edit_op *op)
{
	size_t i = 0;

	while (i < op->count && op->steps[i].key)
		i++;
	return i == op->count;
}

static int reset(struct put *put, struct put_result *result)
{
	bool is_own;
	int r = plan_reset(put, &result->before, &is_own);

	if (r == PROBLEM) {
		result->effect = PUT_ABSENT;
		return 0;
	}
	/* If documents are merged, each may have the value. */
	for (size_t i = 0; r == 0 && i < put->count; i++) {
		const char *text;

		do {
			text = put->state.text.data;
			r = reset_one(put, &put->ops[i], is_own);
		} while (r == 0 && !is_own && result->before.count == 1 &&
			 put->state.document->count > 1 && has_keys_alone(&put->ops[i]) &&
			 put->state.text.data != text);
	}
	if (r == 0 && put->state.is_changed && is_blank(&put->state)) {
		result->effect = PUT_EMPTIED;
		r = merge_others(put, &put->state.root);
	}
	return r;
}

/* Finds the values that a removal reveals. */
static int find_below(struct put *put, struct stream *ret)
{
	const struct node *below;
	bool is_removal = false;

	for (size_t i = 0; i < put->count; i++)
		is_removal |= put->ops[i].kind == EDIT_REMOVE;
	if (!is_removal)
		return 0;
	int r = merge_below(put, &below);
	/* These inputs alone decide by what the documents are named. */
	put->merge.count = put->request->target;
	if (r == 0 && below)
		r = stream_of_result(put, below, ret);
	return r < 0 ? r : 0;
}

static int run(struct put *put, struct put_result *result)
{
	const struct put_request *request = put->request;
	const struct merge_input *target;
	int r = read_inputs(put);

	if (r != 0)
		return r;
	target = &put->inputs[request->target];
	put->state.text = target->text;
	put->state.document = target->document;
	r = merge_with(put, put->state.text, put->state.document, &put->state.root, put->problem);
	if (r == 0)
		r = find_before(put, &result->before);
	if (r == 0 && request->is_reset)
		r = reset(put, result);
	else if (r == 0) {
		r = plan(put, &result->before);
		if (r == 0)
			r = do_ops(put, 0, put->count);
		if (r == 0)
			r = stream_of_result(put, put->state.root, &result->after);
		if (r == 0)
			r = find_below(put, &result->below);
	}
	if (r == 0 && request->is_reset)
		r = stream_of_result(put, put->state.root, &result->after);
	if (put->state.is_changed && result->effect != PUT_EMPTIED)
		result->effect = PUT_CHANGED;
	result->text = put->state.text;
	return r;
}

int put_run(const struct put_request *request, struct put_result **ret, struct problem *problem)
{
	CLEANUP(put_result_freep) struct put_result *result = calloc(1, sizeof(*result));
	struct put put = {.request = request, .merge = *request->merge, .problem = problem};

	assert(strategy_gives_trees(request->merge->options->strategy));
	assert(request->target < request->merge->count);
	if (!result)
		return -ENOMEM;
	put.keep = result->keep = calloc(1, sizeof(*result->keep));
	int r = put.keep ? arena_new(&result->arena) : -ENOMEM;
	if (r < 0)
		return r;
	put.arena = result->arena;
	put.inputs = arena_zalloc(put.arena, put.merge.count, sizeof(*put.inputs));
	if (!put.inputs)
		return -ENOMEM;
	memcpy(put.inputs, request->merge->inputs, put.merge.count * sizeof(*put.inputs));
	put.is_new = !put.inputs[request->target].text.data;
	if (put.is_new)
		put.inputs[request->target].text = (struct span){"", 0};
	put.merge.inputs = put.inputs;
	put.merge.wants_tree = true;
	put.merge.wants_origins = false;
	put.merge.warn = NULL;
	put.merge.limits = limits_or_default(put.merge.limits);
	r = run(&put, result);
	if (r == 0)
		*ret = take_ptr(result);
	return r == PUT_UNCLEAR ? PROBLEM : r;
}

static void keep_free(struct put_intermediates *keep)
{
	if (!keep)
		return;
	for (size_t i = 0; i < keep->merge_count; i++)
		merge_result_free(keep->merges[i]);
	for (size_t i = 0; i < keep->edit_count; i++)
		edit_result_free(keep->edits[i]);
	for (size_t i = 0; i < keep->document_count; i++)
		document_free(keep->documents[i]);
	free(keep->merges);
	free(keep->edits);
	free(keep->documents);
	free(keep);
}

void put_result_free(struct put_result *result)
{
	if (!result)
		return;
	keep_free(result->keep);
	arena_free(result->arena);
	free(result);
}

void put_result_freep(struct put_result **result)
{
	put_result_free(*result);
}
