#include "json_patch.h"

#include <errno.h>

#include "json_pointer.h"
#include "origin_bound.h"
#include "scalar.h"

/*
 * Finds the value that contains the pointer's last part. In an open document all lists and maps are
 * ours.
 */
static int walk_to_last(struct json_patch *patch, const struct json_pointer *pointer,
	struct node **ret, struct span *last)
{
	const struct node *node = NULL;
	size_t count = pointer->count - 1;
	int r = json_pointer_walk(pointer, count, patch->root, patch->problem, &node);

	*last = pointer->parts[count];
	if (r == 0)
		*ret = (struct node *)node;
	return r;
}

static int refuse_tuple(struct json_patch *patch, const struct json_pointer *pointer)
{
	return problem_at(patch->problem, pointer->node,
		"can't change the items of '!!omap' and '!!pairs', which are tuples in cloud-init, "
		"at '%s'; replace the whole list",
		pointer->node->text.data);
}

/* Returns plain style if the text is a string in any schema. */
static enum node_style key_style(struct span text)
{
	struct node key = {.kind = NODE_SCALAR, .style = NODE_PLAIN, .text = text};

	for (size_t i = 0; i < text.len; i++) {
		char c = text.data[i];
		bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
		if (!is_letter && (i == 0 || !strchr("0123456789-.", c) || c == '\0'))
			return NODE_DOUBLE;
	}
	return text.len > 0 && scalar_type(&key) == SCALAR_STRING ? NODE_PLAIN : NODE_DOUBLE;
}

/* Records that the operation contributed to a map or list, or to the place of a value. */
static void note_operation(struct json_patch *patch, const struct node *value)
{
	origin_note(patch->origins, value, patch->why.by, ORIGIN_PART, patch->why);
}

/*
 * Records that `value` replaces `lost`. The steps of a value that is moved to and fro become many.
 */
static void note_replaced(
	struct json_patch *patch, const struct node *value, const struct node *lost)
{
	lost = origin_bound_lost(patch->origins, lost, patch->arena);
	if (origin_bound_is_short(patch->origins, value))
		origin_replace(patch->origins, value, lost, patch->why);
	else
		origin_note(patch->origins, value, lost, ORIGIN_LOST, patch->why);
}

static int add_member(struct json_patch *patch, const struct json_pointer *pointer,
	struct node *map, struct span part, const struct node *value)
{
	const struct pair *found = json_pointer_find(map, part);
	if (found) {
		note_replaced(patch, value, found->value);
		map->map.pairs[found - map->map.pairs].value = value;
		return 0;
	}
	char *text = arena_copy(patch->arena, part);
	struct node *key = node_copy(patch->arena, pointer->node);
	if (!text || !key)
		return -ENOMEM;
	key->text = (struct span){text, part.len};
	key->style = (uint8_t)key_style(key->text);
	key->schema = NODE_YAML_1_1;
	if (origin_bound_is_short(patch->origins, value))
		origin_restore(patch->origins, map, key, value);
	note_operation(patch, map);
	return node_put(patch->arena, map, key, value);
}

static int insert_item(struct json_patch *patch, const struct json_pointer *pointer,
	struct node *list, struct span part, const struct node *value)
{
	uint32_t index = list->seq.count;

	if (!span_is(part, "-")) {
		int r = json_pointer_index(pointer, part, patch->problem, &index);
		if (r != 0)
			return r;
		if (index > list->seq.count)
			return problem_at(patch->problem, pointer->node,
				"can't insert outside of list, at '%s'", pointer->node->text.data);
	}
	uint32_t after = list->seq.count - index;
	int r = json_patch_spend(patch, after / WORK_SHIFT, pointer->node);
	if (r == 0)
		r = node_push(patch->arena, list, value);
	if (r == 0 && after > 0) {
		memmove(&list->seq.items[index + 1], &list->seq.items[index],
			after * sizeof(*list->seq.items));
		list->seq.items[index] = value;
	}
	note_operation(patch, list);
	return r;
}

static int add(
	struct json_patch *patch, const struct json_pointer *pointer, const struct node *value)
{
	struct node *in;
	struct span last;

	if (pointer->count == 0) {
		if (!node_is_map(patch->root))
			return problem_at(patch->problem, pointer->node,
				"the document as a whole is no longer a map, so 'add' can't "
				"replace "
				"it; use 'replace'");
		note_replaced(patch, value, patch->root);
		patch->root = value;
		return 0;
	}
	int r = walk_to_last(patch, pointer, &in, &last);
	if (r != 0)
		return r;
	if (in->mark & MARK_TUPLE)
		return refuse_tuple(patch, pointer);
	if (node_is_sequence(in))
		return insert_item(patch, pointer, in, last, value);
	if (node_is_map(in))
		return add_member(patch, pointer, in, last, value);
	return json_pointer_step(pointer, in, last, patch->problem, &value);
}

static int replace(
	struct json_patch *patch, const struct json_pointer *pointer, const struct node *value)
{
	const struct node *old;
	struct node *in;
	struct span last;
	uint32_t index = 0;

	if (pointer->count == 0) {
		note_replaced(patch, value, patch->root);
		patch->root = value;
		return 0;
	}
	if (span_is(pointer->parts[pointer->count - 1], "-"))
		return problem_at(patch->problem, pointer->node,
			"'path' with '-' can't be applied to 'replace' operation");
	int r = walk_to_last(patch, pointer, &in, &last);
	if (r == 0)
		r = json_pointer_step(pointer, in, last, patch->problem, &old);
	if (r != 0)
		return r;
	if (in->mark & MARK_TUPLE)
		return refuse_tuple(patch, pointer);
	if (node_is_map(in))
		return add_member(patch, pointer, in, last, value);
	r = json_pointer_index(pointer, last, patch->problem, &index);
	if (r == 0) {
		note_replaced(patch, value, in->seq.items[index]);
		in->seq.items[index] = value;
	}
	return r;
}

/*
 * A value can't be taken from the document as a whole. The original searches for the key None
 * instead, so plyfs searches for null.
 */
static int find_null(struct json_patch *patch, const struct json_pointer *pointer, const char *verb,
	const struct pair **ret)
{
	static const struct node null = {
		.kind = NODE_SCALAR, .schema = NODE_JSON, .weight = 1, .text = {"null", 4}};

	*ret = node_is_map(patch->root) ? node_find(patch->root, &null) : NULL;
	if (*ret)
		return 0;
	return problem_at(patch->problem, pointer->node, "can't %s the document as a whole", verb);
}

/* Records that `value` was removed from `in`. `key` was its key; NULL: `index` was its index. */
static int note_removed(struct json_patch *patch, const struct node *in, const struct node *key,
	uint32_t index, const struct node *value)
{
	if (!patch->origins)
		return 0;
	if (!key) {
		const char *text = arena_printf(patch->arena, "%u", (unsigned)index);
		key = text ? node_new_scalar(patch->arena, span_of(text), NODE_PLAIN) : NULL;
		if (!key)
			return -ENOMEM;
	}
	/* A moved value takes its steps along, and leaves only its place. */
	value = patch->transfer == JSON_PATCH_MOVES
			? origin_bound_place(value, patch->arena)
			: origin_bound_lost(patch->origins, value, patch->arena);
	origin_remove(patch->origins, in, key, value, patch->why);
	return 0;
}

static int take_out_null(
	struct json_patch *patch, const struct json_pointer *pointer, const struct node **ret)
{
	const struct pair *pair;

	int r = find_null(patch, pointer, "remove", &pair);
	if (r == 0)
		r = json_patch_spend(patch, patch->root->map.count, pointer->node);
	if (r != 0)
		return r;
	*ret = pair->value;
	r = note_removed(patch, patch->root, pair->key, 0, pair->value);
	/* An open document is ours. */
	if (r == 0)
		node_remove((struct node *)patch->root, pair->key);
	return r;
}

static int take_item(struct json_patch *patch, const struct json_pointer *pointer,
	struct node *list, struct span part)
{
	uint32_t index = 0;

	int r = json_pointer_index(pointer, part, patch->problem, &index);
	if (r == 0)
		r = json_patch_spend(patch, list->seq.count / WORK_SHIFT, pointer->node);
	if (r == 0)
		r = note_removed(patch, list, NULL, index, list->seq.items[index]);
	if (r != 0)
		return r;
	list->seq.count--;
	memmove(&list->seq.items[index], &list->seq.items[index + 1],
		(list->seq.count - index) * sizeof(*list->seq.items));
	return 0;
}

static int take_member(struct json_patch *patch, const struct json_pointer *pointer,
	struct node *map, struct span part)
{
	struct node key = json_pointer_key(part);

	int r = json_patch_spend(patch, map->map.count, pointer->node);
	if (r == 0 && patch->origins) {
		const struct pair *pair = node_find(map, &key);
		r = note_removed(patch, map, pair->key, 0, pair->value);
	}
	if (r == 0)
		node_remove(map, &key);
	return r;
}

static int take_out(
	struct json_patch *patch, const struct json_pointer *pointer, const struct node **ret)
{
	struct node *in;
	struct span last;

	if (pointer->count == 0)
		return take_out_null(patch, pointer, ret);
	int r = walk_to_last(patch, pointer, &in, &last);
	if (r == 0)
		r = json_pointer_step(pointer, in, last, patch->problem, ret);
	if (r != 0)
		return r;
	if (in->mark & MARK_TUPLE)
		return refuse_tuple(patch, pointer);
	return node_is_map(in) ? take_member(patch, pointer, in, last)
			       : take_item(patch, pointer, in, last);
}

static int move(
	struct json_patch *patch, const struct json_pointer *from, const struct json_pointer *to)
{
	const struct node *value;
	const struct pair *pair;
	struct node *in;
	struct span last;

	if (from->count == 0 && to->count == 0)
		return find_null(patch, from, "move", &pair);
	if (from->count == 0)
		return problem_at(patch->problem, from->node, "can't move the document as a whole");
	int r = walk_to_last(patch, from, &in, &last);
	if (r == 0)
		r = json_pointer_step(from, in, last, patch->problem, &value);
	if (r != 0)
		return r;
	if (from->count == to->count && json_pointer_begin_equal(from, to, from->count))
		return 0;
	if (node_is_map(in) && json_pointer_begin_equal(from, to, from->count))
		return problem_at(
			patch->problem, to->node, "cannot move values into their own children");
	patch->transfer = JSON_PATCH_MOVES;
	r = take_out(patch, from, &value);
	patch->transfer = JSON_PATCH_STAYS;
	if (r != 0)
		return r;
	note_operation(patch, value);
	return add(patch, to, value);
}

static int copy(
	struct json_patch *patch, const struct json_pointer *from, const struct json_pointer *to)
{
	const struct node *value;
	const struct pair *pair;

	int r = from->count == 0
			? find_null(patch, from, "copy", &pair)
			: json_pointer_walk(from, from->count, patch->root, patch->problem, &value);
	if (r == 0 && from->count == 0)
		value = pair->value;
	if (r != 0)
		return r;
	patch->transfer = JSON_PATCH_COPIES;
	r = json_patch_copy(patch, value, &value);
	patch->transfer = JSON_PATCH_STAYS;
	if (r != 0)
		return r;
	note_operation(patch, value);
	return add(patch, to, value);
}

static bool is_number(enum scalar_type type)
{
	return type == SCALAR_BOOL || type == SCALAR_INT || type == SCALAR_FLOAT;
}

/* Compares as Python does: true is 1. */
static bool scalars_equal(const struct node *a, const struct node *b)
{
	enum scalar_type type_a = scalar_type(a), type_b = scalar_type(b);

	if (!is_number(type_a) || !is_number(type_b) ||
		(type_a == SCALAR_BOOL) == (type_b == SCALAR_BOOL))
		return scalar_equal(a, b);
	if (type_b == SCALAR_BOOL)
		return scalars_equal(b, a);
	return scalar_number(b) == (scalar_bool(a) ? 1 : 0);
}

/* Compares with `value` from the patch: its depth is bounded, and its keys are strings. */
static bool equal(const struct node *node, const struct node *value)
{
	if (node->kind != value->kind || node->mark & MARK_TUPLE)
		return false;
	if (node_is_scalar(node))
		return scalars_equal(node, value);
	return node_has_same(node, value, equal, false);
}

static int test(
	struct json_patch *patch, const struct json_pointer *pointer, const struct node *value)
{
	const struct node *node;

	int r = json_pointer_walk(pointer, pointer->count, patch->root, patch->problem, &node);
	if (r != 0 || equal(node, value))
		return r;
	if (node_is_scalar(node) && node_is_scalar(value))
		return problem_at(patch->problem, pointer->node,
			"test failed: the value at '%s' is not equal to the tested value",
			pointer->node->text.data);
	return problem_at(patch->problem, pointer->node,
		"test failed: %s at '%s' is not equal to tested value, %s",
		node->mark & MARK_TUPLE ? "an item of '!!omap' or '!!pairs'" : node_kind_name(node),
		pointer->node->text.data, node_kind_name(value));
}

enum verb { ADD, REMOVE, REPLACE, MOVE, COPY, TEST, VERBS };

static const struct {
	const char *name;
	const char *needs; /* a member besides `op` and `path`; NULL: none */
	const char *rule;  /* for origins */
} verbs[VERBS] = {
	[ADD] = {"add", "value", "JSON Patch: add"},
	[REMOVE] = {"remove", NULL, "JSON Patch: remove"},
	[REPLACE] = {"replace", "value", "JSON Patch: replace"},
	[MOVE] = {"move", "from", "JSON Patch: move"},
	[COPY] = {"copy", "from", "JSON Patch: copy"},
	[TEST] = {"test", "value", "JSON Patch: test"},
};

static int read_verb(struct json_patch *patch, const struct node *operation, enum verb *ret)
{
	if (!node_is_map(operation))
		return problem_at(patch->problem, operation,
			"an operation is a map with 'op' and 'path', and this is %s",
			node_kind_name(operation));
	const struct node *op = node_get(operation, "op");
	if (!op)
		return problem_at(
			patch->problem, operation, "operation does not contain 'op' member");
	if (!scalar_is_string(op))
		return problem_at(patch->problem, op, "operation must be a string");

	int verb = 0;
	while (verb < VERBS && !span_is(op->text, verbs[verb].name))
		verb++;
	if (verb == VERBS)
		return problem_at(patch->problem, op,
			"unknown operation '%s'; there are add, remove, replace, move, copy and "
			"test",
			op->text.data);
	*ret = (enum verb)verb;
	return 0;
}

static int apply_one(struct json_patch *patch, const struct node *operation)
{
	const struct node *path, *argument = NULL;
	struct json_pointer to, from;
	enum verb verb = VERBS;

	int r = read_verb(patch, operation, &verb);
	if (r != 0)
		return r;
	patch->why.rule = verbs[verb].rule;
	path = node_get(operation, "path");
	if (!path)
		return problem_at(patch->problem, operation, "operation must have a 'path' member");
	r = json_pointer_read(path, "path", patch->arena, patch->problem, &to);
	if (r != 0)
		return r;
	if (verbs[verb].needs) {
		argument = node_get(operation, verbs[verb].needs);
		if (!argument)
			return problem_at(patch->problem, operation,
				"the operation does not contain a '%s' member", verbs[verb].needs);
	}
	if (verb == MOVE || verb == COPY) {
		r = json_pointer_read(argument, "from", patch->arena, patch->problem, &from);
		if (r != 0)
			return r;
	}

	switch (verb) {
	case ADD:
		return add(patch, &to, argument);
	case REMOVE:
		return take_out(patch, &to, &argument);
	case REPLACE:
		return replace(patch, &to, argument);
	case MOVE:
		return move(patch, &from, &to);
	case COPY:
		return copy(patch, &from, &to);
	case TEST:
		return test(patch, &to, argument);
	case VERBS:
		break;
	}
	return 0;
}

int json_patch_apply(struct json_patch *patch, const struct node *operations)
{
	if (!node_is_sequence(operations))
		return problem_at(patch->problem, operations,
			"a JSON Patch is a list of operations, and this is %s",
			node_kind_name(operations));

	/* Later operations may change what earlier ones inserted, so the patch is copied, once. */
	const struct node *given = operations;
	int r = json_patch_copy(patch, given, &operations);
	for (uint32_t i = 0; r == 0 && i < operations->seq.count; i++) {
		patch->why.by = given->seq.items[i];
		r = apply_one(patch, operations->seq.items[i]);
	}
	return r;
}
