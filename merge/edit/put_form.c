#include <errno.h>
#include <string.h>

#include "item_key.h"
#include "put_run.h"
#include "scalar.h"
#include "strategy.h"

/* A place in the result, and the corresponding place in the target. */
struct put_walk {
	const struct put_ground *ground;
	const struct node *in;    /* the value at the place in the result; NULL: none */
	const struct node *there; /* the value in the target; NULL: none */
	struct edit_step *steps;  /* the path in the target */
	size_t count;
	const struct node **keys; /* of those steps that have a key */
	size_t key_count;
	/* the key by which the items of the last list are matched; NULL: none */
	const struct node *by;
	/* the result's item that the last step led to; NULL: it was no item */
	const struct node *item;
	const struct node *name; /* of the document; NULL: it has none */
};

/* The target's document for an op. */
struct put_document {
	size_t index;             /* the number of documents: the target lacks it */
	const struct node *name;  /* of the result's document; NULL: it has none */
	const struct node *added; /* the name that it gets in the target; NULL: it gets none */
};

static const struct node *entry_of(const struct node *in, const struct edit_step *step)
{
	return in ? edit_tree_entry(in, step) : NULL;
}

/* Returns the index of the result's own item in the target's list; the list's length if it is not
 * there. */
static uint32_t find_same(const struct node *list, const struct node *item)
{
	uint32_t i = 0;

	while (i < list->seq.count && list->seq.items[i] != item)
		i++;
	return i;
}

/*
 * Gives the index of the target's item that is matched with the result's item, or the list's
 * length. If several items have its key, the first in one list is matched with the first in the
 * other, and so on.
 */
static int find_by_key(const struct put_walk *walk, const struct node *item, uint32_t *ret)
{
	const struct node *const lists[] = {walk->in, walk->there};
	struct item_key key, wanted;
	uint32_t before = 0;
	int r = item_key_find(item, walk->by, walk->ground->put->arena, &wanted);

	for (size_t i = 0; i < 2; i++)
		for (*ret = 0; r == 0 && *ret < lists[i]->seq.count; ++*ret) {
			const struct node *each = lists[i]->seq.items[*ret];

			if (i == 0 && each == item)
				break;
			r = item_key_find(each, walk->by, walk->ground->put->arena, &key);
			if (r < 0 || !key.value || !node_equal(key.value, wanted.value))
				continue;
			if (i == 1 && before-- == 0)
				return 0;
			before += i == 0;
		}
	return r;
}

static void add_step(struct put_walk *walk, struct edit_step step)
{
	walk->steps[walk->count++] = step;
}

static void go_by_key(struct put_walk *walk, const struct edit_step *step)
{
	add_step(walk, *step);
	walk->keys[walk->key_count++] = step->key;
	walk->item = NULL;
	walk->in = entry_of(walk->in, step);
	walk->there = entry_of(walk->there, step);
}

static int find_outcome(
	const struct put_walk *walk, enum list_outcome *outcome, const struct node **by)
{
	const struct merge_request *merge = &walk->ground->put->merge;
	const struct strategy *strategy = merge->options->strategy;

	*outcome = LIST_OUTCOME_ANY;
	*by = NULL;
	if (!strategy->list_outcome)
		return 0;
	return strategy->list_outcome(
		merge, walk->keys, walk->key_count, walk->ground->put->arena, outcome, by);
}

/* Follows a step to an item. Returns PUT_FORM_NONE if no item of the target corresponds to it. */
static int go_by_index(struct put_walk *walk, const struct edit_step *step)
{
	const struct node *item = entry_of(walk->in, step), *list = walk->there;
	enum list_outcome outcome;
	struct item_key key = {0};
	int r = find_outcome(walk, &outcome, &walk->by);

	if (r == 0 && outcome == LIST_OUTCOME_BY_KEY && item)
		r = item_key_find(item, walk->by, walk->ground->put->arena, &key);
	if (r < 0)
		return r;
	/* An item without the key is matched with none. */
	if (!key.value)
		walk->by = NULL;
	walk->item = item;
	/* A key that may come again comes once here. */
	if (item && list == item && node_is_scalar(list)) {
		walk->in = item;
		return 0;
	}
	if (!item || !list || !node_is_sequence(list))
		return PUT_FORM_NONE;
	uint32_t i = walk->by ? 0 : find_same(list, item);

	r = walk->by ? find_by_key(walk, item, &i) : 0;
	if (r < 0)
		return r;
	/* The item may be made of several sources, or be a copy. */
	if (i == list->seq.count && !walk->by && outcome != LIST_OUTCOME_PARTS &&
		outcome != LIST_OUTCOME_UNIQUE && list->seq.count == walk->in->seq.count)
		i = step->index;
	if (i == list->seq.count)
		return PUT_FORM_NONE;
	add_step(walk, (struct edit_step){.index = i});
	walk->in = item;
	walk->there = list->seq.items[i];
	return 0;
}

/* Returns the index of the target's document that has most of the path; of several such documents,
 * the last. */
static size_t choose_document(const struct put_ground *ground, const struct edit_op *op)
{
	size_t chosen = 0, most = 0;

	for (size_t i = 0; i < ground->put->state.document->count; i++) {
		const struct node *node = ground->put->state.document->roots[i];
		size_t depth = 0;

		while (depth < op->count && (node = entry_of(node, &op->steps[depth])))
			depth++;
		if (depth >= most) {
			chosen = i;
			most = depth;
		}
	}
	return chosen;
}

/*
 * Finds the place of a document that the result does not have: the target may have removed it, and
 * then it is in the target. If the result has no document at all, the target may have a place for
 * it in `ret`: a document without a value, or one without a name.
 */
static int find_new(const struct put_ground *ground, const struct edit_op *op,
	const struct stream *target, struct put_document *ret)
{
	struct stream own;
	bool is_whole = op->kind == EDIT_SET && !op->count;
	int r = stream_make(&ground->put->merge, &op->value, is_whole, ground->put->arena, &own);
	const struct node *name = r == 0 && own.count ? own.names[0] : NULL;
	bool has_place = !ground->result.count &&
			 (!name || ret->index >= target->count || !target->names[ret->index]);

	if (!has_place)
		ret->index = name ? stream_find_named(target, name) : target->count;
	return r;
}

/* Finds the document. `is_named`: even the only one gets its name. */
static int find_document(const struct put_ground *ground, const struct edit_op *op, bool is_named,
	struct put_document *ret)
{
	const struct stream *result = &ground->result;
	const struct document *document = ground->put->state.document;
	struct stream target;

	*ret = (struct put_document){.index = choose_document(ground, op)};
	if (!ground->put->merge.options->strategy->name_documents)
		return 0;
	int r = stream_make(
		&ground->put->merge, document->roots, document->count, ground->put->arena, &target);
	if (r < 0 || op->document >= result->count)
		return r < 0 ? r : find_new(ground, op, &target, ret);
	ret->name = result->names[op->document];
	if (!ret->name) {
		ret->index = result->count > 1 ? op->document : ret->index;
		return 0;
	}
	size_t found = stream_find_named(&target, ret->name);
	if (found < target.count || result->count > 1 || is_named) {
		ret->index = found;
		ret->added = found == target.count ? ret->name : NULL;
	}
	return 0;
}

static int begin(struct put_walk *walk, const struct put_ground *ground, const struct edit_op *op,
	const struct put_document *document)
{
	const struct stream *result = &ground->result;

	*walk = (struct put_walk){
		.ground = ground,
		.in = op->document < result->count ? result->roots[op->document] : NULL,
		.there = document->index < ground->put->state.document->count
				 ? ground->put->state.document->roots[document->index]
				 : NULL,
		.steps = arena_zalloc(ground->put->arena, op->count + 2, sizeof(*walk->steps)),
		.keys = arena_zalloc(ground->put->arena, op->count + 1, sizeof(*walk->keys)),
		.name = document->name,
	};
	return walk->steps && walk->keys ? 0 : -ENOMEM;
}

static int add_pairs(struct arena *arena, struct node *map, const struct node *rest)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < rest->map.count; i++) {
		const struct pair *pair = &rest->map.pairs[i], *found = node_find(map, pair->key);

		/* A map that is there has a part of the key, and item_key_alone() made it. */
		if (found && node_is_map(found->value) && node_is_map(pair->value))
			r = add_pairs(arena, (struct node *)found->value, pair->value);
		else
			r = node_put(arena, map, pair->key, pair->value);
	}
	return r;
}

/*
 * Makes an item that is matched with the result's item, and has the pairs in `rest`; NULL: none.
 * Returns PUT_FORM_NONE if it is a text.
 */
static int make_item(const struct put_walk *walk, const struct node *rest, const struct node **ret)
{
	struct arena *arena = walk->ground->put->arena;
	struct node *made;
	int r = item_key_alone(walk->item, walk->by, arena, &made);

	if (r == 0 && rest)
		r = node_is_map(made) ? add_pairs(arena, made, rest) : PUT_FORM_NONE;
	if (r == 0 && node_is_map(made))
		node_weigh(made);
	*ret = made;
	return r;
}

static bool has_tag(const struct put_ground *ground, const char *tag)
{
	const char *tags = ground->put->merge.options->strategy->tags;

	return tags &&
	       format_has_tags(
		       format_of_tree(ground->put->inputs[ground->put->request->target].format)) &&
	       span_is_in(span_of(tag), tags, ", ");
}

/* Copies the value with the directive. Returns NULL without memory. */
static const struct node *tag_value(
	const struct put_ground *ground, const struct node *value, const char *tag)
{
	struct node *copy = node_copy(ground->put->arena, value);

	if (copy)
		copy->tag = tag;
	return copy;
}

static const struct node *new_empty(const struct put_ground *ground, const char *tag)
{
	struct node *node = node_new_scalar(ground->put->arena, span_of(""), NODE_PLAIN);

	if (node)
		node->tag = tag;
	return node;
}

/* Makes the value that removes the place by a directive. Returns PUT_FORM_NONE if no directive
 * can. */
static int make_removal(const struct put_walk *walk, bool is_document, const struct node **ret)
{
	const struct put_ground *ground = walk->ground;
	const struct node *matched;

	if (!has_tag(ground, "!delete"))
		return PUT_FORM_NONE;
	if (is_document) {
		*ret = walk->name ? tag_value(ground, walk->name, "!delete") : NULL;
		return *ret ? 0 : walk->name ? -ENOMEM : PUT_FORM_NONE;
	}
	if (!walk->item) {
		*ret = new_empty(ground, "!delete");
		return *ret ? 0 : -ENOMEM;
	}
	if (!walk->by)
		return PUT_FORM_NONE;
	int r = make_item(walk, NULL, &matched);
	if (r < 0)
		return r;
	*ret = tag_value(ground, matched, "!delete");
	return *ret ? 0 : -ENOMEM;
}

/* Makes the value that the op puts at its place, with or without a directive. Returns PUT_FORM_NONE
 * if that is impossible. */
static int make_value(const struct put_walk *walk, const struct edit_op *op, bool is_tagged,
	const struct node **ret)
{
	*ret = op->value;
	if (op->kind == EDIT_REMOVE)
		return is_tagged ? make_removal(walk, !op->count, ret) : PUT_FORM_NONE;
	if (!is_tagged)
		return 0;
	if (op->kind != EDIT_SET || op->value->tag || !has_tag(walk->ground, "!replace"))
		return PUT_FORM_NONE;
	*ret = tag_value(walk->ground, op->value, "!replace");
	return *ret ? 0 : -ENOMEM;
}

static int make_rest(const struct put_walk *walk, const struct edit_op *op, size_t at,
	bool is_tagged, const struct node **ret);

/* Makes an item that is matched with the result's item at op->steps[at], and has only the changed
 * values. */
static int make_matched(const struct put_walk *walk, const struct edit_op *op, size_t at,
	bool is_tagged, const struct node **ret)
{
	struct put_walk inner = *walk;

	if (at + 1 < op->count) {
		inner.in = walk->item;
		inner.there = inner.item = NULL;
	}
	int r = make_rest(&inner, op, at + 1, is_tagged, ret);
	if (r != 0 || (op->kind == EDIT_REMOVE && at + 1 == op->count))
		return r;
	if (node_is_sequence(*ret) || node_is_scalar(*ret) != node_is_scalar(walk->item))
		return PUT_FORM_NONE;
	return node_is_map(*ret) ? make_item(walk, *ret, ret) : 0;
}

/* Makes a value that has only what the op changes, for the place before op->steps[at], where the
 * target has nothing. */
static int make_rest(const struct put_walk *walk, const struct edit_op *op, size_t at,
	bool is_tagged, const struct node **ret)
{
	const struct edit_step *step = &op->steps[at];
	struct put_walk inner = *walk;
	int r;

	if (at == op->count)
		return make_value(walk, op, is_tagged, ret);
	if (step->key || (op->kind == EDIT_INSERT && at + 1 == op->count)) {
		if (step->key)
			go_by_key(&inner, step);
		r = make_rest(&inner, op, at + 1, is_tagged, ret);
	} else {
		r = go_by_index(&inner, step);
		inner.in = inner.item;
		if (r == PUT_FORM_NONE)
			r = inner.by ? make_matched(&inner, op, at, is_tagged, ret)
				     : make_rest(&inner, op, at + 1, is_tagged, ret);
	}
	if (r == 0)
		*ret = edit_tree_wrap(step, 1, *ret, walk->ground->put->arena);
	return r || *ret ? r : -ENOMEM;
}

/* Adds an item that is matched with the one at op->steps[at], if no item of the target corresponds
 * to that. */
static int add_item(struct put_walk *walk, const struct edit_op *op, size_t at, bool is_tagged,
	struct edit_op *ret)
{
	uint32_t place = 0;
	int r = make_matched(walk, op, at, is_tagged, &ret->value);

	if (r == 0 && walk->there && node_is_sequence(walk->there))
		r = item_key_place(walk->there, walk->in, op->steps[at].index, walk->by,
			walk->ground->put->arena, &place);
	if (r != 0)
		return r;
	add_step(walk, (struct edit_step){.index = place});
	ret->kind = EDIT_INSERT;
	ret->steps = walk->steps;
	ret->count = walk->count;
	return 0;
}

/* Returns where in the target's list an item must be inserted to stand before the result's item
 * `index`. */
static uint32_t place_of_insertion(const struct put_walk *walk, uint32_t index)
{
	const struct node *list = walk->there, *in = walk->in;
	uint32_t i;

	/* A key that may come again comes once here. */
	if (list && node_is_scalar(list) && index)
		return EDIT_END;
	if (!list || !node_is_sequence(list))
		return 0;
	if (!in || !node_is_sequence(in) || index >= in->seq.count)
		return list->seq.count;
	i = find_same(list, in->seq.items[index]);
	if (i < list->seq.count)
		return i;
	i = index ? find_same(list, in->seq.items[index - 1]) : list->seq.count;
	if (i < list->seq.count)
		return i + 1;
	return list->seq.count == in->seq.count ? index : list->seq.count;
}

static int end_at(
	struct put_walk *walk, const struct edit_op *op, bool is_tagged, struct edit_op *ret)
{
	if (op->kind == EDIT_INSERT)
		add_step(walk, (struct edit_step){.index = place_of_insertion(
							  walk, op->steps[op->count - 1].index)});
	ret->steps = walk->steps;
	ret->count = walk->count;
	ret->leaves_nothing = true;
	if (op->kind == EDIT_REMOVE && !is_tagged)
		return walk->there ? 0 : PUT_FORM_NONE;
	if (op->kind == EDIT_REMOVE)
		ret->kind = EDIT_SET;
	return make_value(walk, op, is_tagged, &ret->value);
}

static int add_document(
	const struct put_ground *ground, const struct node *name, struct edit_op *ret)
{
	const struct edit_tree nothing = {
		.format = ground->put->inputs[ground->put->request->target].format};
	const struct edit_op op = *ret;
	struct problem ignored;
	int r = edit_tree_resolve(&nothing, &op, ground->put->arena, ret, &ignored);

	if (r != 0 || !node_is_map(ret->value))
		return r < 0 ? r : PUT_FORM_NONE;
	ret->value = stream_name(name, ret->value, ground->put->arena);
	return ret->value ? 0 : -ENOMEM;
}

/* The form with the same place in the target, or with an item that matches the one there. */
static int same_place_in(const struct put_ground *ground, const struct put_document *document,
	const struct edit_op *op, bool is_tagged, struct edit_op *ret)
{
	size_t depth = op->count - (op->kind == EDIT_INSERT);
	struct put_walk walk;
	int r;

	*ret = *op;
	ret->document = document->index;
	r = begin(&walk, ground, op, document);
	for (size_t i = 0; r == 0 && i < depth; i++) {
		if (op->steps[i].key) {
			go_by_key(&walk, &op->steps[i]);
			continue;
		}
		r = go_by_index(&walk, &op->steps[i]);
		if (r == PUT_FORM_NONE && walk.by && walk.item)
			return add_item(&walk, op, i, is_tagged, ret);
	}
	return r == 0 ? end_at(&walk, op, is_tagged, ret) : r;
}

static int same_place(const struct put_ground *ground, const struct edit_op *op, bool is_tagged,
	bool is_named, struct edit_op *ret)
{
	struct put_document document;
	int r = find_document(ground, op, is_named, &document);

	if (r == 0)
		r = same_place_in(ground, &document, op, is_tagged, ret);
	return r == 0 && document.added ? add_document(ground, document.added, ret) : r;
}

int put_follow_in(const struct put_ground *ground, const struct edit_op *op, size_t count,
	const struct node *root, const struct node **ret)
{
	const struct put_document nowhere = {.index = SIZE_MAX};
	struct put_walk walk;
	int r = begin(&walk, ground, op, &nowhere);

	walk.there = root;
	for (size_t i = 0; r == 0 && i < count; i++) {
		if (op->steps[i].key)
			go_by_key(&walk, &op->steps[i]);
		else
			r = go_by_index(&walk, &op->steps[i]);
	}
	*ret = r == 0 ? walk.there : NULL;
	return r < 0 ? r : 0;
}

/* Returns whether a source above the target has a part of the value. */
static bool is_from_above(const struct put_ground *ground, const struct node *node)
{
	const struct merge_request *merge = &ground->put->merge;

	if (node_count(node)) {
		for (uint32_t i = 0; i < node_count(node); i++)
			if (is_from_above(ground, *node_entry(node, i)))
				return true;
		return false;
	}
	for (size_t i = merge->count; node->source && i-- > 0;) {
		if (merge->inputs[i].document == ground->put->state.document)
			return false;
		if (strcmp(merge->inputs[i].source.name, node->source->name) == 0)
			return true;
	}
	return false;
}

/*
 * A form that replaces a list on the path as a whole; `count` is the length of the list's path. If
 * the lists of several sources combine, the items of a higher one would be copied into the target:
 * there is no such form then.
 */
static int whole_list(const struct put_ground *ground, const struct edit_op *op, size_t count,
	bool is_tagged, bool is_named, struct edit_op *ret)
{
	struct edit_op whole = *op;

	whole.kind = EDIT_SET;
	whole.count = count;
	whole.keeps_comments = true;
	whole.value = edit_tree_follow(ground->wanted, &whole, count);
	if (!whole.value || is_from_above(ground, whole.value))
		return PUT_FORM_NONE;
	return same_place(ground, &whole, is_tagged, is_named, ret);
}

/* The form that writes a null, which deletes in some strategies. */
static int null_there(const struct put_ground *ground, const struct edit_op *op, bool is_named,
	struct edit_op *ret)
{
	struct edit_op null = *op;

	/* A strategy with directives takes null for a value. */
	if (op->kind != EDIT_REMOVE || ground->put->merge.options->strategy->list_outcome)
		return PUT_FORM_NONE;
	null.kind = EDIT_SET;
	null.value = node_new_scalar(ground->put->arena, span_of("null"), NODE_PLAIN);
	return null.value ? same_place(ground, &null, false, is_named, ret) : -ENOMEM;
}

/* Returns how many steps of the path lead to an item. */
static unsigned count_items(const struct edit_op *op)
{
	unsigned count = 0;

	for (size_t i = 0; i < op->count; i++)
		count += !op->steps[i].key;
	return count;
}

/* Returns the length of the path to a list on the op's path: 0 is the innermost list. */
static size_t list_at(const struct edit_op *op, unsigned number)
{
	size_t count = op->count;

	while (op->steps[--count].key || number-- > 0)
		;
	return count;
}

int put_form(const struct put_ground *ground, const struct edit_op *op, unsigned number,
	struct edit_op *ret)
{
	/* Each form exists a second time, in which the only document gets its name. */
	unsigned forms = 3 + 2 * count_items(op), form = number % forms;
	bool is_named = number >= forms;

	if (number >= 2 * forms || (is_named && (ground->result.count != 1 || !ground->result.by)))
		return PUT_FORM_LAST;
	if (form < 2)
		return same_place(ground, op, form == 1, is_named, ret);
	if (form == forms - 1)
		return null_there(ground, op, is_named, ret);
	/* The smallest copy first. */
	return whole_list(ground, op, list_at(op, (form - 2) / 2), form % 2 == 1, is_named, ret);
}
