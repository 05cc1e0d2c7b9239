#include <errno.h>
#include <stdlib.h>

#include "array.h"
#include "cleanup.h"
#include "edit_tree.h"
#include "editor.h"
#include "splice.h"

/* Undone ops: an edit leaves out the ops that a later removal undoes, so that the text keeps its
 * comments and blank lines. */

/* Where an earlier op works, seen from an entry that is removed later. */
enum edit_relation {
	RELATION_APART,
	RELATION_WITHIN, /* in the entry's value */
	RELATION_ENTRY,  /* sets or inserts the entry itself */
	RELATION_AROUND, /* on the way to the entry, which led elsewhere before that op */
};

static bool is_same_step(const struct edit_step *a, const struct edit_step *b)
{
	if (!a->key || !b->key)
		return !a->key && !b->key && a->index == b->index;
	return node_equal(a->key, b->key);
}

/* Returns whether the op changes the indexes of a list, or the numbers of the documents. */
static bool shifts(const struct edit_op *op)
{
	if (!op->count)
		return op->kind == EDIT_REMOVE;
	return op->kind != EDIT_SET && !op->steps[op->count - 1].key;
}

static enum edit_relation relate(const struct edit_op *op, const struct edit_op *removal)
{
	size_t same = 0;

	if (op->document != removal->document)
		return !op->count && shifts(op) ? RELATION_AROUND : RELATION_APART;
	while (same < op->count && same < removal->count &&
		is_same_step(&op->steps[same], &removal->steps[same]))
		same++;
	if (same == removal->count && op->count > same)
		return RELATION_WITHIN;
	if (same == op->count)
		return same == removal->count && op->kind != EDIT_REMOVE ? RELATION_ENTRY
									 : RELATION_AROUND;
	/* Another item of a list on the way to the entry has come or gone. */
	return shifts(op) && same + 1 == op->count && !removal->steps[same].key ? RELATION_AROUND
										: RELATION_APART;
}

/* Marks what the removal undoes, and the removal itself if it undoes the op that made its entry. */
static bool undo(
	const struct edit_op *ops, const struct edit_tree *trees, size_t removal, bool *undone)
{
	bool has_any = false;

	for (size_t i = removal; i-- > 0;) {
		enum edit_relation relation =
			undone[i] ? RELATION_APART : relate(&ops[i], &ops[removal]);

		if (relation == RELATION_APART)
			continue;
		if (relation == RELATION_AROUND)
			break;
		undone[i] = has_any = true;
		if (relation == RELATION_ENTRY &&
			(ops[i].kind == EDIT_INSERT ||
				!edit_tree_follow(&trees[i], &ops[i], ops[i].count))) {
			undone[removal] = true;
			break;
		}
	}
	return has_any;
}

/*
 * Sets undone[i] for each resolved op `i` that may be left out. `undone` must be all false. `trees`
 * has the tree before each op, and after the last one. If there are several ops, and they lead back
 * to the first tree, sets all. Returns whether any is set.
 *
 * The caller must check that the other ops alone lead to the same last tree, or else do all ops.
 * They lead to another tree if, for example, an undone op also makes a map on the way to its entry:
 * the removal of the entry would leave that map.
 */
static bool edit_undone_find(
	const struct edit_op *ops, const struct edit_tree *trees, size_t count, bool *undone)
{
	bool has_any = false;

	/* Moves in lists may end where they began. */
	if (count > 1 && edit_tree_is_same(&trees[count], &trees[0])) {
		memset(undone, true, count * sizeof(*undone));
		return true;
	}
	for (size_t i = 0; i < count; i++)
		if (ops[i].kind == EDIT_REMOVE)
			has_any |= undo(ops, trees, i, undone);
	return has_any;
}

/* The text after some of the ops. */
struct edit_state {
	struct patched patched;
	const struct document *document; /* of the text, with extents */
};

struct edit_plan {
	struct edit_op *ops;     /* resolved; their values are as the format reads them */
	struct edit_tree *trees; /* before each op, and after the last one */
	size_t count;            /* of ops */
};

struct edit_run {
	const struct edit_request *request;
	struct arena *arena; /* the result's */
	struct problem *problem;

	struct edit_plan plan;
	struct edit_state state;
	unsigned twice; /* keys that come twice in the text that was read last */

	/* all documents that were read; the trees refer to their nodes */
	struct document **documents;
	size_t count;
	size_t capacity;
};

static const struct format *format_of(const struct edit_run *run)
{
	return format_of_tree(run->request->options->format);
}

static void count_twice(void *context, const struct problem *warning)
{
	(void)warning;
	++*(unsigned *)context;
}

/* Reads a text. Returns 0 with *ret, which lives as long as the run; PROBLEM or -ENOMEM. */
static int read_text(struct edit_run *run, struct span text, bool wants_extents,
	const struct document **ret, struct problem *problem)
{
	struct read_options options = *run->request->options;
	int r;

	options.wants_extents = wants_extents;
	options.warn = count_twice;
	options.context = &run->twice;
	run->twice = 0;
	if (array_grow(run->documents, run->count, run->capacity) < 0)
		return -ENOMEM;
	r = document_read(
		&run->request->source, text, &options, &run->documents[run->count], problem);
	if (r == 0)
		*ret = run->documents[run->count++];
	return r;
}

static int convert(struct edit_run *run, struct edit_op *op)
{
	struct document *document = NULL;

	if (array_grow(run->documents, run->count, run->capacity) < 0)
		return -ENOMEM;
	int r = edit_op_convert(op, run->state.document->yaml, run->request->options, run->arena,
		&document, run->problem);
	if (document)
		run->documents[run->count++] = document;
	return r;
}

static int plan(
	struct edit_run *run, const struct edit_op *ops, size_t count, struct edit_plan *ret)
{
	struct edit_tree *tree;
	int r = 0;

	ret->count = count;
	ret->ops = arena_zalloc(run->arena, count + 1, sizeof(*ret->ops));
	ret->trees = tree = arena_zalloc(run->arena, count + 1, sizeof(*ret->trees));
	if (!ret->ops || !ret->trees)
		return -ENOMEM;
	*tree = (struct edit_tree){
		run->state.document->roots, run->state.document->count, format_of(run)};
	for (size_t i = 0; r == 0 && i < count; i++, tree++) {
		r = edit_tree_resolve(tree, &ops[i], run->arena, &ret->ops[i], run->problem);
		if (r == 0)
			r = convert(run, &ret->ops[i]);
		if (r == 0)
			r = edit_tree_apply(tree, &ret->ops[i], run->arena, tree + 1);
	}
	return r;
}

/* Leaves out the ops that other ops undo. Returns 0 or -ENOMEM. */
static int simplify(struct edit_run *run)
{
	const struct edit_plan *all = &run->plan;
	struct edit_op *ops = arena_zalloc(run->arena, all->count + 1, sizeof(*ops));
	bool *undone = arena_zalloc(run->arena, all->count + 1, sizeof(*undone));
	struct edit_plan rest;
	size_t count = 0;

	if (!ops || !undone)
		return -ENOMEM;
	if (!edit_undone_find(all->ops, all->trees, all->count, undone))
		return 0;
	for (size_t i = 0; i < all->count; i++)
		if (!undone[i])
			ops[count++] = run->request->ops[i];
	int r = plan(run, ops, count, &rest);
	if (r == 0 && edit_tree_is_same(&all->trees[all->count], &rest.trees[count]))
		run->plan = rest;
	return r < 0 ? r : 0;
}

/* Finds whether more keys come twice in the text that was just read than in the present one. */
static int find_more_twice(struct edit_run *run, bool *ret)
{
	const struct document *present;
	struct problem ignored;
	unsigned twice = run->twice;
	/* Almost always the answer is no, and the present text need not be read. */
	int r = twice ? read_text(run, run->state.patched.text, false, &present, &ignored) : 0;

	*ret = twice > run->twice;
	return r;
}

/* Takes over the edit's splices if they give the tree. Returns 0, EDIT_CANNOT or -ENOMEM. */
static int verify(struct edit_run *run, const struct edit *edit, const struct edit_tree *tree)
{
	/* The text after the last op is not edited again. */
	bool wants_extents = tree != &run->plan.trees[run->plan.count];
	struct problem ignored;
	struct edit_state next;
	bool is_twice;

	int r = patched_splice(&run->state.patched, edit->splices, edit->count, &next.patched);
	if (r == 0)
		r = read_text(run, next.patched.text, wants_extents, &next.document, &ignored);
	if (r < 0)
		return r;
	if (r > 0 || !edit_tree_is(tree, next.document))
		return EDIT_CANNOT;
	/* A new key that was set twice comes twice. In INI that is a doubt. */
	if (next.document->doubt && !run->state.document->doubt)
		return EDIT_CANNOT;
	r = find_more_twice(run, &is_twice);
	if (r < 0)
		return r;
	if (is_twice)
		return EDIT_CANNOT;
	run->state = next;
	return 0;
}

/* Returns whether the op's place exists before all of the ops. An earlier op may have to make
 * it. */
static bool has_place(const struct edit_tree *before, const struct edit_op *op)
{
	const struct edit_step *last = op->count ? &op->steps[op->count - 1] : NULL;
	const struct node *in = last ? edit_tree_follow(before, op, op->count - 1) : NULL;

	/* Another op may have removed the document. */
	if (!last)
		return op->kind != EDIT_REMOVE || op->document < before->count;
	if (!in || (last->key ? !node_is_map(in) : !node_is_sequence(in)))
		return false;
	if (op->kind == EDIT_INSERT)
		return last->index <= in->seq.count;
	return (last->key && op->kind == EDIT_SET) || edit_tree_entry(in, last);
}

/* Returns whether the value may contain a comment, an anchor or an alias: then it is not written
 * anew. */
static bool is_delicate(const struct edit *edit, const struct extent *extent);

static bool has_comment(const struct edit *edit, size_t begin, size_t end)
{
	for (; begin < end; begin++)
		if (strchr("#;!/", edit->text.data[begin]))
			return true;
	return false;
}

static bool has_delicate_entry(const struct edit *edit, const struct extent *extent)
{
	size_t end = extent->value.begin;

	for (const struct extent *entry = extent->first; entry; entry = entry->next) {
		if (has_comment(edit, end, entry->keys ? entry->key.begin : entry->value.begin))
			return true;
		if (entry->keys && has_comment(edit, entry->key.end, entry->value.begin))
			return true;
		if (entry->is_merge_key || is_delicate(edit, entry))
			return true;
		end = entry->value.end;
	}
	return has_comment(edit, end, extent->value.end);
}

static bool is_delicate(const struct edit *edit, const struct extent *extent)
{
	if (extent->is_alias || extent->has_anchor)
		return true;
	/* A comment may stand behind YAML's "|". */
	if (extent->node && node_is_scalar(extent->node))
		return extent->node->style >= NODE_LITERAL &&
		       has_comment(edit, extent->value.begin,
			       edit_line_after(edit, extent->value.begin));
	return extent->node && has_delicate_entry(edit, extent);
}

/* Returns whether no comment is lost, if the op must keep them. */
static bool keeps_comments(const struct edit *edit, const struct edit_op *op)
{
	const struct extent *extent;

	if (!op->keeps_comments)
		return true;
	extent = edit_follow(edit, op, op->count);
	return !extent ||
	       (!is_delicate(edit, extent) && !has_comment(edit, extent->value.end,
						      edit_line_after(edit, extent->value.end)));
}

/* Returns whether the value is there already: then it keeps its form. */
static bool is_done(const struct edit_tree *before, const struct edit_op *op)
{
	return op->kind == EDIT_SET &&
	       edit_same(edit_tree_follow(before, op, op->count), op->value, true);
}

static struct edit edit_of(const struct edit_run *run)
{
	return (struct edit){
		.text = run->state.patched.text,
		.document = run->state.document,
		.options = run->request->options,
		.arena = run->arena,
		.problem = run->problem,
	};
}

/*
 * Lets the format apply the ops, all to the same text, and checks that the result is `tree`, the
 * one after the last op.
 */
static int attempt(
	struct edit_run *run, const struct edit_op *ops, size_t count, const struct edit_tree *tree)
{
	struct edit edit = edit_of(run);
	const struct edit_tree *before = tree - count;
	int r = format_of(run)->edit ? 0 : EDIT_CANNOT;

	for (size_t i = 0; r == 0 && i < count; i++) {
		if (is_done(&before[i], &ops[i]))
			continue;
		r = has_place(before, &ops[i]) && keeps_comments(&edit, &ops[i])
			    ? format_of(run)->edit(&edit, &ops[i])
			    : EDIT_CANNOT;
	}
	return r == 0 ? verify(run, &edit, tree) : r;
}

/* Sets the value that the op's first `count` steps lead to, with the op's effect included. */
static int attempt_around(
	struct edit_run *run, const struct edit_op *op, size_t count, const struct edit_tree *tree)
{
	const struct edit edit = edit_of(run);
	struct edit_op larger = *op;

	if (!edit_follow(&edit, op, count))
		return EDIT_CANNOT;
	larger.kind = EDIT_SET;
	larger.keeps_comments = true;
	larger.count = count;
	larger.value = edit_tree_follow(tree, op, count);
	return larger.value ? attempt(run, &larger, 1, tree) : EDIT_CANNOT;
}

static int refuse(struct edit_run *run, const struct edit_op *op, const struct edit_tree *before)
{
	const struct node *place = NULL;

	for (size_t count = op->count; !place; count--) {
		place = edit_tree_follow(before, op, count);
		if (count == 0)
			break;
	}
	if (!place)
		return problem_set(run->problem, run->request->source.name, 0, 0,
			"can't be changed as it is written; edit it by hand");
	return problem_set(run->problem, run->request->source.name, place->line, place->column,
		"can't be changed as it is written; edit it by hand");
}

static int do_one(struct edit_run *run, size_t i)
{
	const struct edit_op *op = &run->plan.ops[i];
	int r = attempt(run, op, 1, &run->plan.trees[i + 1]);

	for (size_t count = op->count; r == EDIT_CANNOT && count-- > 0;)
		r = attempt_around(run, op, count, &run->plan.trees[i + 1]);
	return r == EDIT_CANNOT ? refuse(run, op, &run->plan.trees[i]) : r;
}

/* Applies all ops at once, if they don't conflict; else first one half, then the other. */
static int do_ops(struct edit_run *run, size_t first, size_t end)
{
	int r;

	if (end - first <= 1)
		return end > first ? do_one(run, first) : 0;
	r = attempt(run, run->plan.ops + first, end - first, &run->plan.trees[end]);
	if (r <= 0)
		return r;
	r = do_ops(run, first, first + (end - first) / 2);
	return r == 0 ? do_ops(run, first + (end - first) / 2, end) : r;
}

static int run_edit(struct edit_run *run, struct edit_result *result)
{
	struct patched *patched = &run->state.patched;
	int r;

	r = patched_begin(patched, run->arena, run->request->text);
	run->state.document = run->request->document;
	if (r == 0 && !run->state.document)
		r = read_text(run, patched->text, true, &run->state.document, run->problem);
	if (r == 0)
		r = plan(run, run->request->ops, run->request->count, &run->plan);
	if (r == 0)
		r = simplify(run);
	if (r == 0)
		r = do_ops(run, 0, run->plan.count);
	if (r == 0)
		r = patched_splices(patched, &result->splices, &result->count);
	if (r != 0)
		return r;
	result->text.len = patched->text.len;
	result->text.data = arena_copy(run->arena, patched->text);
	return result->text.data ? 0 : -ENOMEM;
}

int edit_run(const struct edit_request *request, struct edit_result **ret, struct problem *problem)
{
	CLEANUP(edit_result_freep) struct edit_result *result = calloc(1, sizeof(*result));
	struct edit_run run = {.request = request, .problem = problem};
	int r = result ? arena_new(&result->arena) : -ENOMEM;

	if (r < 0)
		return r;
	run.arena = result->arena;
	r = run_edit(&run, result);
	for (size_t i = 0; i < run.count; i++) {
		if (r == 0 && result->count && run.documents[i] == run.state.document)
			result->document = run.documents[i];
		else
			document_free(run.documents[i]);
	}
	free(run.documents);
	if (r == 0)
		*ret = take_ptr(result);
	return r;
}

void edit_result_free(struct edit_result *result)
{
	if (!result)
		return;
	document_free(result->document);
	arena_free(result->arena);
	free(result);
}

void edit_result_freep(struct edit_result **result)
{
	edit_result_free(*result);
}
