#include "edit_tree.h"

#include <errno.h>

#include "scalar.h"

const struct node *edit_tree_entry(const struct node *in, const struct edit_step *step)
{
	if (step->key && node_is_map(in)) {
		const struct pair *pair = node_find(in, step->key);

		return pair ? pair->value : NULL;
	}
	if (!step->key && node_is_sequence(in) && step->index < in->seq.count)
		return in->seq.items[step->index];
	return NULL;
}

static const struct node *root_of(const struct edit_tree *tree, size_t document)
{
	return document < tree->count ? tree->roots[document] : NULL;
}

/* Returns how many of the first `count` steps lead to an entry. *ret becomes the last one. */
static size_t walk(const struct edit_tree *tree, const struct edit_op *op, size_t count,
	const struct node **ret)
{
	const struct node *node = root_of(tree, op->document), *next;
	size_t i = 0;

	for (; node && i < count && (next = edit_tree_entry(node, &op->steps[i])); i++)
		node = next;
	*ret = node;
	return i;
}

const struct node *edit_tree_follow(
	const struct edit_tree *tree, const struct edit_op *op, size_t count)
{
	const struct node *node;

	return walk(tree, op, count, &node) == count ? node : NULL;
}

static int refuse_step(const struct node *in, const struct edit_step *step, struct problem *problem)
{
	const char *kind = scalar_or_kind_name(in);

	if (node_is_sequence(in) && !step->key)
		return problem_at(problem, in,
			"the list has %u items, so there is none at [%u]; to put one at its end, "
			"append it",
			(unsigned)in->seq.count, (unsigned)step->index);
	if (node_is_map(in))
		return problem_at(problem, in,
			step->key ? "the map has no such key"
				  : "this is a map, and [%u] counts the items of a list; name one "
				    "of its keys",
			(unsigned)step->index);
	if (!step->key)
		return problem_at(problem, in, "[%u] leads into %s; it is no list",
			(unsigned)step->index, kind);
	return problem_at(
		problem, in, "a key leads into %s; set it as a whole, if it is to be a map", kind);
}

const struct node *edit_tree_wrap(
	const struct edit_step *steps, size_t count, const struct node *value, struct arena *arena)
{
	for (size_t i = count; i-- > 0 && value;) {
		const struct edit_step *step = &steps[i];
		struct node *in =
			step->key ? node_new_map(arena, NULL) : node_new_sequence(arena, NULL);

		if (!in || (step->key ? node_put(arena, in, step->key, value)
				      : node_push(arena, in, value)) < 0)
			return NULL;
		value = in;
	}
	return value;
}

/* Checks the indexes in lists that do not exist yet: such a list gets one item. */
static int check_missing(
	const struct node *in, const struct edit_step *steps, size_t count, struct problem *problem)
{
	for (size_t i = 0; i < count; i++)
		if (!steps[i].key && steps[i].index && steps[i].index != EDIT_END)
			return problem_at(problem, in,
				"there is no list yet, so its first item must be [0], and not [%u]",
				(unsigned)steps[i].index);
	return 0;
}

/* Returns whether an equal key can be found later. A key with NaN in it equals none. */
static bool can_be_found(const struct node *key)
{
	if (node_is_scalar(key))
		return scalar_equal(key, key);
	for (uint32_t i = 0; i < node_count(key); i++)
		if ((node_is_map(key) && !can_be_found(key->map.pairs[i].key)) ||
			!can_be_found(*node_entry(key, i)))
			return false;
	return true;
}

/* Refuses keys that can't be found again: each edit would add one more. */
static int check_keys(
	const struct node *in, const struct edit_step *steps, size_t count, struct problem *problem)
{
	for (size_t i = 0; i < count; i++)
		if (steps[i].key && !can_be_found(steps[i].key))
			return problem_at(problem, in,
				"a key that is NaN, or contains it, is not equal to itself, so "
				"plyfs can't set it; edit it by hand");
	return 0;
}

static int resolve_missing(const struct edit_op *op, size_t found, const struct node *in,
	struct arena *arena, struct edit_op *ret, struct problem *problem)
{
	const struct edit_step *step = &op->steps[found];
	bool is_nothing = !in || scalar_is_empty(in);

	if (op->kind == EDIT_REMOVE)
		return in ? refuse_step(in, step, problem)
			  : problem_set(problem, NULL, 0, 0, "there is nothing to remove");
	if (!is_nothing && !(node_is_map(in) && step->key))
		return refuse_step(in, step, problem);
	if (!is_nothing)
		found++;
	int r = check_missing(in, op->steps + found, op->count - found, problem);
	if (r == 0)
		r = check_keys(in, op->steps, op->count, problem);
	if (r != 0)
		return r;
	ret->kind = EDIT_SET;
	ret->count = found;
	ret->value = edit_tree_wrap(op->steps + found, op->count - found, op->value, arena);
	return ret->value ? 0 : -ENOMEM;
}

static int end_of_list(
	const struct edit_op *op, uint32_t length, struct arena *arena, struct edit_op *ret)
{
	struct edit_step *steps = arena_zalloc(arena, op->count, sizeof(*steps));

	if (!steps)
		return -ENOMEM;
	memcpy(steps, op->steps, op->count * sizeof(*steps));
	steps[op->count - 1].index = length;
	ret->steps = steps;
	return 0;
}

/*
 * Resolves an op in a key that may come again: a key that comes once is a list of one item, too.
 * Returns 0, 1 if the op is not of this kind, or -ENOMEM.
 */
static int resolve_repeated(const struct edit_tree *tree, const struct edit_op *op,
	const struct node *in, struct arena *arena, struct edit_op *ret)
{
	const struct edit_step *last = &op->steps[op->count - 1];
	bool is_insert = op->kind == EDIT_INSERT, is_end = is_insert && last->index;
	struct node *list;

	if (!tree->format || !tree->format->repeats || !in || !node_is_scalar(in) || last->key)
		return 1;
	if (last->index > is_insert && last->index != (is_insert ? EDIT_END : 0))
		return 1;
	ret->count = op->count - 1;
	if (!is_insert)
		return 0;
	list = node_new_sequence(arena, NULL);
	if (!list || node_push(arena, list, is_end ? in : op->value) < 0 ||
		node_push(arena, list, is_end ? op->value : in) < 0)
		return -ENOMEM;
	ret->kind = EDIT_SET;
	ret->value = list;
	return 0;
}

int edit_tree_resolve(const struct edit_tree *tree, const struct edit_op *op, struct arena *arena,
	struct edit_op *ret, struct problem *problem)
{
	bool is_insert = op->kind == EDIT_INSERT && op->count;
	const struct edit_step *last = op->count ? &op->steps[op->count - 1] : NULL;
	size_t count = op->count - is_insert, found;
	const struct node *in;

	*ret = *op;
	found = walk(tree, op, count, &in);
	if (op->count && found + 1 == op->count) {
		int r = resolve_repeated(tree, op, in, arena, ret);
		if (r <= 0)
			return r;
	}
	if (found < count)
		return resolve_missing(op, found, in, arena, ret, problem);
	if (op->kind == EDIT_REMOVE && !op->count && tree->count < 2 && !op->leaves_nothing)
		return problem_set(problem, NULL, 0, 0,
			"nothing would be left of the file; hide it by 'plyfs hide', or remove "
			"what "
			"the layer has of it by 'plyfs reset' without a KEY");
	if (!is_insert)
		return 0;
	if (in && node_is_sequence(in) && !last->key && last->index == EDIT_END)
		return end_of_list(op, in->seq.count, arena, ret);
	if (in && node_is_sequence(in) && !last->key && last->index <= in->seq.count)
		return 0;
	if (!in || scalar_is_empty(in))
		return resolve_missing(op, found, in, arena, ret, problem);
	return node_is_sequence(in)
		       ? refuse_step(in, last, problem)
		       : problem_at(problem, in,
				 "%s is no list, so it can't get an item; set it as a whole",
				 scalar_or_kind_name(in));
}

/* Copies `list` without the item, or with `value` before it. Returns NULL without memory. */
static const struct node *change_list(
	const struct node *list, uint32_t index, const struct node *value, struct arena *arena)
{
	struct node *copy = node_new_sequence(arena, list);
	int r = copy ? 0 : -ENOMEM;

	for (uint32_t i = 0; r == 0 && i <= list->seq.count; i++) {
		if (i == index && value)
			r = node_push(arena, copy, value);
		if (r == 0 && i < list->seq.count && (value || i != index))
			r = node_push(arena, copy, list->seq.items[i]);
	}
	return r == 0 ? copy : NULL;
}

static const struct node *remove_key(
	const struct node *map, const struct node *key, struct arena *arena)
{
	struct node *copy = node_copy(arena, map);

	if (copy)
		node_remove(copy, key);
	return copy;
}

static const struct node *set_key(const struct node *map, const struct edit_step *step,
	const struct node *value, struct arena *arena)
{
	struct node *copy = node_copy(arena, map);

	return copy && node_put(arena, copy, step->key, value) == 0 ? copy : NULL;
}

/* Returns the item of a list of one string, if the format repeats a key for each item: one pair is
 * no list. */
static const struct node *unlist(const struct edit_tree *tree, const struct node *list)
{
	bool is_text = tree->format && tree->format->repeats && list && list->seq.count == 1 &&
		       node_is_scalar(list->seq.items[0]);

	return is_text ? list->seq.items[0] : list;
}

/* Applies the op's last step to `in`. Returns NULL without memory. */
static const struct node *change_entry(const struct edit_tree *tree, const struct edit_op *op,
	const struct node *in, struct arena *arena)
{
	const struct edit_step *last = &op->steps[op->count - 1];
	struct node *copy = NULL;

	if (op->kind == EDIT_REMOVE && last->key)
		return remove_key(in, last->key, arena);
	if (last->key)
		return set_key(in, last, op->value, arena);
	if (op->kind != EDIT_SET)
		return unlist(tree, change_list(in, last->index,
					    op->kind == EDIT_INSERT ? op->value : NULL, arena));
	return node_change(arena, in, &copy, last->index, op->value) == 0 ? copy : NULL;
}

/* Applies the op's steps from `done` on. Returns the new value, or NULL without memory. */
static const struct node *change(const struct edit_tree *tree, const struct edit_op *op,
	size_t done, const struct node *in, struct arena *arena)
{
	const struct edit_step *step = &op->steps[done];
	const struct node *value;
	struct node *copy = NULL;

	if (done + 1 >= op->count)
		return op->count ? change_entry(tree, op, in, arena) : op->value;
	value = change(tree, op, done + 1, edit_tree_entry(in, step), arena);
	if (!value)
		return NULL;
	if (step->key)
		return set_key(in, step, value, arena);
	return node_change(arena, in, &copy, step->index, value) == 0 ? copy : NULL;
}

static int remove_document(
	const struct edit_tree *tree, size_t document, struct arena *arena, struct edit_tree *ret)
{
	const struct node **roots = arena_zalloc(arena, tree->count, sizeof(*roots));
	size_t count = 0;

	for (size_t i = 0; roots && i < tree->count; i++)
		if (i != document)
			roots[count++] = tree->roots[i];
	*ret = (struct edit_tree){roots, count, tree->format};
	return roots ? 0 : -ENOMEM;
}

int edit_tree_apply(const struct edit_tree *tree, const struct edit_op *op, struct arena *arena,
	struct edit_tree *ret)
{
	size_t count = op->document < tree->count ? tree->count : op->document + 1;
	const struct node **roots = arena_zalloc(arena, count, sizeof(*roots));

	if (op->kind == EDIT_REMOVE && !op->count)
		return remove_document(tree, op->document, arena, ret);
	if (!roots)
		return -ENOMEM;
	if (tree->count)
		memcpy(roots, tree->roots, tree->count * sizeof(*roots));
	/* Documents before a new one are empty. */
	for (size_t i = tree->count; i < op->document; i++) {
		roots[i] = node_new_scalar(arena, span_of(""), NODE_PLAIN);
		if (!roots[i])
			return -ENOMEM;
	}
	roots[op->document] = change(tree, op, 0, root_of(tree, op->document), arena);
	*ret = (struct edit_tree){roots, count, tree->format};
	return roots[op->document] ? 0 : -ENOMEM;
}

/* Returns whether the value can be written in several ways that mean different things to people. */
static bool is_counted(const struct node *scalar)
{
	enum scalar_type type = scalar_type(scalar);

	return type != SCALAR_STRING && type != SCALAR_NULL && type != SCALAR_BOOL;
}

/* Most scalars are written the same; this test needs no types. */
static bool is_written_alike(const struct node *a, const struct node *b)
{
	return a->schema == b->schema && a->style == b->style && !a->tag && !b->tag &&
	       span_equal(a->text, b->text);
}

static bool is_same_scalar(const struct node *a, const struct node *b, bool minds_order)
{
	if (is_written_alike(a, b))
		return true;
	if (minds_order && scalar_is_empty(a) != scalar_is_empty(b))
		return false;
	if (a->schema == NODE_TEXT && b->schema == NODE_TEXT && scalar_differs_in_dollars(a, b))
		return false;
	/* If one format has only strings, the texts are compared. */
	if (a->schema == NODE_TEXT || b->schema == NODE_TEXT)
		return !scalar_is_null(a) == !scalar_is_null(b) && span_equal(a->text, b->text);
	/* 1.10 equals 1.1, but is not the number that the user asked for. NaN equals nothing. */
	if (a->schema == b->schema && is_counted(a))
		return is_counted(b) && scalar_type(a) == scalar_type(b) &&
		       span_equal(a->text, b->text) && node_tags_equal(a, b);
	return node_equal(a, b);
}

static bool has_same_pairs(const struct node *a, const struct node *b, bool minds_order)
{
	for (uint32_t i = 0; i < a->map.count; i++) {
		const struct pair *pair = &a->map.pairs[i];
		const struct pair *other = &b->map.pairs[i];

		/* Compare the pairs at the same index first: a key that is NaN is never found. */
		if (!minds_order && !edit_same(pair->key, other->key, false))
			other = node_find_hashed(b, pair->key, pair->hash);
		if (!other || !edit_same(pair->key, other->key, minds_order) ||
			!edit_same(pair->value, other->value, minds_order))
			return false;
	}
	return true;
}

bool edit_same(const struct node *a, const struct node *b, bool minds_order)
{
	if (a == b)
		return true;
	if (!a || !b || a->kind != b->kind)
		return false;
	if (node_is_scalar(a))
		return is_same_scalar(a, b, minds_order);
	if (node_count(a) != node_count(b) || !node_tags_equal(a, b))
		return false;
	if (node_is_map(a))
		return has_same_pairs(a, b, minds_order);
	for (uint32_t i = 0; i < a->seq.count; i++)
		if (!edit_same(a->seq.items[i], b->seq.items[i], minds_order))
			return false;
	return true;
}

/* Returns whether the tree is an empty map, which the format writes as an empty text. */
static bool is_nothing(const struct edit_tree *tree)
{
	return tree->format && !format_has_lists(tree->format) && tree->count == 1 &&
	       tree->roots[0] && !node_count(tree->roots[0]);
}

bool edit_tree_is_same(const struct edit_tree *a, const struct edit_tree *b)
{
	bool minds_order = !a->format || !a->format->has_sections;

	if (a->count != b->count)
		return !b->count && is_nothing(a);
	for (size_t i = 0; i < a->count; i++)
		if (!edit_same(a->roots[i], b->roots[i], minds_order))
			return false;
	return true;
}

bool edit_tree_is(const struct edit_tree *tree, const struct document *document)
{
	return edit_tree_is_same(
		tree, &(struct edit_tree){document->roots, document->count, tree->format});
}

struct edit_stretch edit_find_stretch(const struct node *old, const struct node *new)
{
	const struct node *const *olds = old->seq.items, *const *news = new->seq.items;
	uint32_t first = 0, old_end = old->seq.count, new_end = new->seq.count;

	while (first < old_end && first < new_end && edit_same(olds[first], news[first], false))
		first++;
	while (first < old_end && first < new_end &&
		edit_same(olds[old_end - 1], news[new_end - 1], false)) {
		old_end--;
		new_end--;
	}
	return (struct edit_stretch){first, old_end, new_end};
}

/*
 * Returns the value inside the maps and lists of one entry each, one for each step. If a key has a
 * spelling, its step gets the key as the format reads it.
 */
static const struct node *unwrap(
	const struct document *document, const struct edit_op *op, struct edit_step *steps)
{
	const struct node *node = document->count ? document->roots[0] : NULL;

	for (size_t i = 0; i < op->count && node; i++) {
		if (node_is_map(node) && node->map.count == 1 && op->steps[i].key &&
			node->map.pairs[0].key->spelling)
			steps[i].key = node->map.pairs[0].key;
		/* A list of one item, which the format may be unable to distinguish from its
		 * item. */
		if (!op->steps[i].key && node_is_scalar(node))
			continue;
		node = node_count(node) ? *node_entry(node, 0) : NULL;
	}
	return node;
}

/* Puts the YAML version before the text, so that its values are written in the form of that
 * version. */
static int say_version(enum node_schema yaml, struct arena *arena, struct span *text)
{
	const struct span first =
		span_of(yaml == NODE_YAML_1_1 ? "%YAML 1.1\n---\n" : "%YAML 1.2\n---\n");
	char *both = arena_alloc(arena, first.len + text->len + 1);

	if (!both)
		return -ENOMEM;
	memcpy(both, first.data, first.len);
	memcpy(both + first.len, text->data, text->len + 1);
	*text = (struct span){both, first.len + text->len};
	return 0;
}

int edit_op_convert(struct edit_op *op, const enum node_schema *yaml,
	const struct read_options *options, struct arena *arena, struct document **ret,
	struct problem *problem)
{
	const struct source nowhere = {.name = ""};
	struct read_options plain = *options;
	const struct node *node;
	struct document *document;
	struct edit_step *steps;
	struct span text;
	int r;

	if (op->kind == EDIT_REMOVE)
		return 0;
	node = edit_tree_wrap(op->steps, op->count, op->value, arena);
	if (!node)
		return -ENOMEM;
	plain.wants_extents = false;
	plain.warn = NULL;
	r = document_write(node, plain.format, &plain.limits, arena, &text, problem);
	if (r == 0 && yaml) {
		plain.schema = *yaml;
		r = say_version(options->schema, arena, &text);
	}
	if (r == 0)
		r = document_read(&nowhere, text, &plain, &document, problem);
	if (r != 0)
		return r;
	*ret = document;
	steps = arena_alloc(arena, (op->count + 1) * sizeof(*steps));
	if (!steps)
		return -ENOMEM;
	if (op->count)
		memcpy(steps, op->steps, op->count * sizeof(*steps));
	node = unwrap(document, op, steps);
	op->steps = steps;
	if (node)
		op->value = node;
	return 0;
}
