#include "put_run.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "cleanup.h"
#include "scalar.h"
#include "strategy.h"

int put_keep(struct put *put, struct document *document)
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

/* Merges the inputs. Returns 0, PROBLEM or -errno. Sets only `merged` and `root` of *ret. */
static int merge_inputs(struct put *put, struct put_state *ret, struct problem *problem)
{
	struct put_intermediates *keep = put->keep;

	if (array_grow(keep->merges, keep->merge_count, keep->merge_capacity) < 0)
		return -ENOMEM;
	int r = merge_run(&put->merge, &keep->merges[keep->merge_count], problem);
	if (r == 0) {
		ret->merged = keep->merges[keep->merge_count++];
		ret->root = ret->merged->root;
	}
	return r;
}

static void set_target(const struct put *put, struct span text, const struct document *document)
{
	struct merge_input *target = &put->inputs[put->request->target];

	target->text = text;
	target->document = document;
}

int put_merge_with(struct put *put, struct span text, const struct document *document,
	struct put_state *ret, struct problem *problem)
{
	set_target(put, text, document);
	ret->text = text;
	ret->document = document;
	return merge_inputs(put, ret, problem);
}

void put_return_to(struct put *put, const struct put_state *state)
{
	put->state = *state;
	set_target(put, state->text, state->document);
}

int put_merge_below(struct put *put, const struct node **ret)
{
	size_t count = put->merge.count;
	struct put_state below = {.root = NULL};
	struct problem ignored;
	int r = 0;

	put->merge.count = put->request->target;
	if (put->merge.count)
		r = merge_inputs(put, &below, &ignored);
	put->merge.count = count;
	*ret = below.root;
	return r < 0 ? r : 0;
}

int put_merge_others(struct put *put, struct put_state *ret)
{
	size_t target = put->request->target;

	ret->merged = NULL;
	ret->root = NULL;
	put->merge.count--;
	memmove(put->inputs + target, put->inputs + target + 1,
		(put->merge.count - target) * sizeof(*put->inputs));
	return put->merge.count ? merge_inputs(put, ret, put->problem) : 0;
}

int put_tree(const struct put *put, const struct node *root, struct edit_tree *ret)
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
	int r = put_tree(put, root, &tree);

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

bool put_is_wanted(const struct put *put, const struct node *root, const struct edit_tree *wanted)
{
	struct edit_tree tree = {.roots = &root, .count = root ? 1 : 0};

	if (root)
		tree.roots = node_documents(&root, &tree.count);
	if (tree.count > 1 || wanted->count > 1)
		return has_same_documents(&tree, wanted);
	const struct node *only = wanted->count ? wanted->roots[0] : NULL;
	bool is_empty = !root && only && node_is_map(only) && !node_count(only);
	return edit_same(root, only, false) ||
	       (is_empty && !format_has_lists(format_of_tree(put->merge.to)));
}

int put_edit(const struct put *put, const struct edit_op *ops, size_t count,
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

int put_make_ground(struct put *put, const struct edit_tree *wanted, struct put_ground *ret)
{
	/* An attempt that failed may have left its own. */
	set_target(put, put->state.text, put->state.document);
	ret->put = put;
	ret->wanted = wanted;
	return stream_of_result(put, put->state.root, &ret->result);
}

/* Reads the inputs that the strategy does not read itself, and the target with extents. */
static int read_inputs(struct put *put)
{
	for (size_t i = 0; i < put->merge.count; i++) {
		struct merge_input *input = &put->inputs[i];
		struct read_options options = options_of(put, i);
		struct document *document;

		if (i != put->request->target &&
			(input->document || !strategy_reads_trees(put->merge.options->strategy)))
			continue;
		int r = document_read(
			&input->source, input->text, &options, &document, put->problem);
		if (r == 0)
			r = put_keep(put, document);
		bool is_values = r == 0 && (!document->count || node_is_map(document->roots[0]) ||
						   scalar_is_null(document->roots[0]));
		if (r >= 0 && !is_values && !strategy_reads_trees(put->merge.options->strategy))
			return problem_set(put->problem, input->source.name, 0, 0,
				"is a message, archive, patch or script; change it by hand");
		if (r != 0)
			return r;
		input->document = document;
	}
	return 0;
}

/* Merges as it is before the change. A new source is not there yet: even an empty one may change
 * the result, if the option `delete` names its layer. */
static int merge_before(struct put *put)
{
	const struct merge_input *target = &put->inputs[put->request->target];
	struct put others = *put;
	size_t size = put->merge.count * sizeof(*put->inputs);

	if (!put_is_new(put))
		return put_merge_with(
			put, target->text, target->document, &put->state, put->problem);
	put->state = (struct put_state){.text = target->text, .document = target->document};
	others.merge.inputs = others.inputs = arena_alloc(put->arena, size);
	if (!others.inputs)
		return -ENOMEM;
	memcpy(others.inputs, put->inputs, size);
	return put_merge_others(&others, &put->state);
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
	int r = put_merge_below(put, &below);
	/* These inputs alone decide by what the documents are named. */
	put->merge.count = put->request->target;
	if (r == 0 && below)
		r = stream_of_result(put, below, ret);
	return r < 0 ? r : 0;
}

static int run(struct put *put, struct put_result *result)
{
	const struct put_request *request = put->request;
	int r = read_inputs(put);

	if (r == 0)
		r = merge_before(put);
	if (r != 0)
		return r;
	put->before = put->state;
	r = stream_of_result(put, put->state.root, &result->before);
	if (r == 0)
		r = request->is_reset ? put_reset(put, result) : put_change(put, &result->before);
	if (r == 0)
		r = stream_of_result(put, put->state.root, &result->after);
	if (r == 0 && !request->is_reset)
		r = find_below(put, &result->below);
	if (put_has_changed(put) && result->effect != PUT_EMPTIED)
		result->effect = PUT_CHANGED;
	result->text = put->state.text;
	put->keep->merged = put->state.merged;
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
	if (put_is_new(&put))
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

int put_write(const struct put_result *result, const struct merge_request *merge,
	const struct merge_result **ret, struct problem *problem)
{
	*ret = result->keep->merged;
	return merge_write(merge, result->keep->merged, problem);
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
