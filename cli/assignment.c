#include "assignment.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "cleanup.h"
#include "edit/edit_tree.h"
#include "key_match.h"
#include "put.h"
#include "scalar.h"

int assignments_add(struct assignments *assignments, const char *key, const char *value,
	struct problem *problem)
{
	CLEANUP(freep) char *fetched = NULL;
	bool is_literal = assignments->kind == TYPED_STRING;
	int r = assignments->arena ? 0 : arena_new(&assignments->arena);

	if (r < 0)
		return r;
	if (array_grow(assignments->items, assignments->count, assignments->capacity) < 0)
		return -ENOMEM;
	if (value && !is_literal) {
		bool is_input = strcmp(value, "-") == 0;

		if (is_input && assignments->input_key)
			return problem_set(problem, NULL, 0, 0,
				"the VALUE of '%s' is '-', and standard input has the VALUE of "
				"'%s'; give one of them as @FILE",
				key, assignments->input_key);
		if (is_input)
			assignments->input_key = key;
		r = typed_value_fetch(value, &fetched, problem);
		if (r != 0)
			return r;
		value = fetched;
	}
	struct assignment *assignment = &assignments->items[assignments->count];
	*assignment = (struct assignment){.text = key};
	if (value)
		assignment->typed = arena_copy(assignments->arena, span_of(value));
	if (value && !assignment->typed)
		return -ENOMEM;
	assignments->count++;
	return 0;
}

const char *assignment_equals(const char *text)
{
	char quote = '\0';
	bool is_in_brackets = false;

	for (; *text; text++) {
		if (quote) {
			if (*text == '\\' && quote == '"' && text[1])
				text++;
			else if (*text == quote)
				quote = '\0';
		} else if (*text == '"' || *text == '\'') {
			quote = *text;
		} else if (*text == '[' || *text == ']') {
			is_in_brackets = *text == '[';
		} else if (*text == '=' && !is_in_brackets) {
			return text;
		}
	}
	return NULL;
}

void assignments_fini(struct assignments *assignments)
{
	typed_documents_fini(&assignments->documents);
	free(assignments->items);
	arena_free(assignments->arena);
}

struct assignment_walk {
	const struct assignment *assignment;
	const struct node *in; /* the value to which the steps lead; NULL: none */
	struct edit_step *steps;
	size_t count;
	struct arena *arena;
	struct problem *problem;
};

static bool read_index(const struct key_part *part, uint32_t *ret)
{
	uint64_t index = 0;

	if (part->is_quoted || part->value.data || !part->name.len)
		return false;
	*ret = EDIT_END;
	if (span_is(part->name, "+"))
		return true;
	for (size_t n = 0; n < part->name.len; n++) {
		char c = part->name.data[n];

		if (c < '0' || c > '9' || index >= EDIT_END)
			return false;
		index = 10 * index + (uint64_t)(c - '0');
	}
	*ret = index < EDIT_END ? (uint32_t)index : EDIT_END - 1;
	return true;
}

/* Makes a key or value of a part: `80` is a number, "80" a text. NULL: no memory. */
static const struct node *make_key(const struct assignment_walk *walk, const struct key_part *part)
{
	const char *text = arena_copy(walk->arena, part->name);
	struct node *node = text ? node_new_scalar(walk->arena, (struct span){text, part->name.len},
					   part->is_quoted ? NODE_DOUBLE : NODE_PLAIN)
				 : NULL;

	/* Quotes a text that would be null without quotes. */
	if (node && !part->is_quoted && scalar_type(node) == SCALAR_NULL)
		node->style = NODE_DOUBLE;
	return node;
}

static size_t follow_key(struct assignment_walk *walk)
{
	const struct key *key = &walk->assignment->key;
	size_t i = 0;

	for (; i < key->count; i++) {
		struct key_step found;

		if (!walk->in || !key_find(walk->in, &key->parts[i], &found))
			break;
		walk->steps[walk->count++] =
			(struct edit_step){.key = found.key, .index = found.index};
		walk->in = found.value;
	}
	return i;
}

static int put_behind(const struct assignment_walk *walk, const struct node *rest, struct node *map)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < rest->map.count; i++)
		r = node_put(walk->arena, map, rest->map.pairs[i].key, rest->map.pairs[i].value);
	return r;
}

/* Adds a condition to the new item. The values that are set must not differ from it. */
static int add_condition(const struct assignment_walk *walk, const struct key_part *condition,
	const struct key_part *part, const struct node *rest, struct node *item)
{
	const struct key *key = &walk->assignment->key;
	const struct key_part value = {.name = condition->value};
	const struct node *name = make_key(walk, condition), *match = make_key(walk, &value);
	struct key_step own;

	if (!name || !match)
		return -ENOMEM;
	if (key_find(rest, &(struct key_part){.name = condition->name}, &own) &&
		!(node_is_scalar(own.value) && span_equal(own.value->text, condition->value)))
		return problem_set(walk->problem, NULL, 0, 0,
			"'%.*s' would be a new item, and its '%.*s' can't be another value at "
			"once; leave that out",
			(int)part->end, key->text, (int)condition->name.len, condition->name.data);
	return node_put(walk->arena, item, name, match);
}

/* Makes {name: web} with the values that are set in it. */
static int make_matched(const struct assignment_walk *walk, const struct key_part *part,
	const struct node *rest, const struct node **ret)
{
	const struct key *key = &walk->assignment->key;
	struct key_part condition;
	int r = 0;

	if (!node_is_map(rest))
		return problem_set(walk->problem, NULL, 0, 0,
			"'%.*s' would be a new item; set a value in it, as in %.*s.port=80",
			(int)part->end, key->text, (int)part->end, key->text);
	struct node *item = node_new_map(walk->arena, rest);
	if (!item)
		return -ENOMEM;
	for (size_t at = 0; r == 0 && key_next_condition(part, &at, &condition);)
		r = add_condition(walk, &condition, part, rest, item);
	*ret = item;
	return r == 0 ? put_behind(walk, rest, item) : r;
}

/* Puts `value` into a new map or list, as its only entry, by the part's form. */
static int make_around(const struct assignment_walk *walk, size_t i, const struct node *value,
	const struct node **ret)
{
	const struct key *key = &walk->assignment->key;
	const struct key_part *part = &key->parts[i];
	uint32_t index;
	bool is_item = key->parts[i].is_bracket && (part->value.data || read_index(part, &index));
	const struct node *name = make_key(walk, part);
	struct node *in =
		is_item ? node_new_sequence(walk->arena, NULL) : node_new_map(walk->arena, NULL);
	int r = in && name ? 0 : -ENOMEM;

	if (r == 0 && part->value.data)
		r = make_matched(walk, part, value, &value);
	if (r == 0)
		r = is_item ? node_push(walk->arena, in, value)
			    : node_put(walk->arena, in, name, value);
	*ret = in;
	return r;
}

static int make_value(const struct assignment_walk *walk, size_t first, const struct node **ret)
{
	int r = 0;

	*ret = walk->assignment->value;
	for (size_t i = walk->assignment->key.count; r == 0 && i-- > first;)
		r = make_around(walk, i, *ret, ret);
	return r;
}

/* Takes a new item for parts[i]; its value contains the parts behind. */
static int take_item(struct assignment_walk *walk, size_t i, const struct node **ret)
{
	const struct key_part *part = &walk->assignment->key.parts[i];
	int r;

	walk->steps[walk->count++] = (struct edit_step){.index = EDIT_END};
	r = make_value(walk, i + 1, ret);
	return r == 0 && part->value.data ? make_matched(walk, part, *ret, ret) : r;
}

/* Takes an existing value for the whole KEY: an item that [name=web] names keeps its name. */
static int take_old(const struct assignment_walk *walk, const struct node **ret)
{
	const struct key *key = &walk->assignment->key;
	const struct key_part *last = key->count ? &key->parts[key->count - 1] : NULL;
	const struct node *value = walk->assignment->value;
	struct key_part condition;
	struct key_step name, own;
	int r = 0;

	*ret = value;
	if (!last || !last->value.data || !node_is_map(value))
		return 0;
	struct node *item = node_new_map(walk->arena, value);
	if (!item)
		return -ENOMEM;
	for (size_t at = 0; r == 0 && key_next_condition(last, &at, &condition);) {
		const struct key_part part = {.name = condition.name};
		if (key_find(walk->in, &part, &name) && !key_find(value, &part, &own))
			r = node_put(walk->arena, item, name.key, name.value);
	}
	if (item->map.count)
		*ret = item;
	return r == 0 ? put_behind(walk, value, item) : r;
}

/* Takes the parts from `i` on, which do not exist yet. */
static int take_new(struct assignment_walk *walk, size_t i, const struct node **ret)
{
	const struct key *key = &walk->assignment->key;

	for (; i < key->count; i++, walk->in = NULL) {
		const struct key_part *part = &key->parts[i];
		bool is_list = walk->in && node_is_sequence(walk->in);
		bool is_map = walk->in && node_is_map(walk->in);
		uint32_t index;
		bool is_index = (is_list || key->parts[i].is_bracket) && read_index(part, &index);

		if (is_map && (part->value.data || is_index))
			return problem_at(walk->problem, walk->in,
				"'%.*s' selects an item of a list, and this is a map; write a key "
				"behind a dot, or in quotes",
				(int)part->end, key->text);
		if (part->value.data || (is_index && index == EDIT_END))
			return take_item(walk, i, ret);
		if (is_list && !is_index)
			return problem_at(walk->problem, walk->in,
				"'%.*s' names no item of this list; count them from [0], add one "
				"with [+], or name one by its value as in [name=web]",
				(int)part->end, key->text);
		const struct node *name = make_key(walk, part);
		if (!name)
			return -ENOMEM;
		walk->steps[walk->count++] = is_index ? (struct edit_step){.index = index}
						      : (struct edit_step){.key = name};
	}
	*ret = walk->assignment->value;
	return 0;
}

/* Reads the VALUE for the place that the walk has reached; NULL: remove the KEY. */
static int read_value(struct assignments *assignments, size_t i, struct assignment *ret,
	const struct node *old, const struct read_options *options, struct problem *problem)
{
	struct assignment *given = &assignments->items[i];
	const struct typed_value value = {
		.key = given->text,
		.text = span_of(given->typed ? given->typed : ""),
		.kind = assignments->kind,
		.options = options,
		.old = old,
	};

	return given->typed ? typed_value_read(&value, assignments->arena, &assignments->documents,
				      &ret->value, &given->note, problem)
			    : 0;
}

/* Decides about the other values of a key that may repeat, if there must be only one. */
static enum edit_again find_again(const struct assignment_walk *walk, const struct format *format)
{
	const struct node *section = walk->count > 1 ? walk->steps[0].key : NULL;
	const struct node *key = walk->count > 1 ? walk->steps[1].key : NULL;
	const struct node *value = walk->assignment->value;
	bool is_item = walk->count == 3 && !walk->steps[2].key;

	if (!format || !format->repeats || !section || !key || !node_is_scalar(section) ||
		!node_is_scalar(key))
		return EDIT_AGAIN_NO;
	if (is_item)
		return EDIT_AGAIN_RESET;
	if (!value || !node_is_scalar(value) || walk->count != 2)
		return EDIT_AGAIN_NO;
	return format_counts_all(format, section->text, key->text) ? EDIT_AGAIN_RESET
								   : EDIT_AGAIN_LAST;
}

static int plan(struct assignment_walk *walk, size_t done, struct edit_op *ret)
{
	const struct key *key = &walk->assignment->key;
	const struct node *value = walk->assignment->value;
	int r = 0;

	if (!value && (done < key->count || !walk->in))
		return problem_at(walk->problem, walk->in,
			"there is no '%.*s' to be removed; correct the KEY",
			walk->in ? (int)key->parts[done].end : (int)strlen(key->text), key->text);
	if (value)
		r = done == key->count ? take_old(walk, &value) : take_new(walk, done, &value);
	/* The last step may be the place of a new item. */
	bool is_insert = walk->count && walk->steps[walk->count - 1].index == EDIT_END;
	*ret = (struct edit_op){
		.document = key->document,
		.kind = !value      ? EDIT_REMOVE
			: is_insert ? EDIT_INSERT
				    : EDIT_SET,
		.steps = walk->steps,
		.count = walk->count,
		.value = value,
	};
	return r;
}

/*
 * Orders two removals so that the second one still finds its place: of a list's items the later one
 * comes first, and an entry of a value before the value.
 */
static int compare_removals(const void *a, const void *b)
{
	const struct edit_op *one = a, *other = b;
	size_t i = 0;

	if (one->document != other->document)
		return one->document > other->document ? -1 : 1;
	for (; i < one->count && i < other->count; i++) {
		const struct edit_step *x = &one->steps[i], *y = &other->steps[i];

		if (x->index != y->index)
			return x->index > y->index ? -1 : 1;
		if (x->key != y->key)
			return x->key < y->key ? -1 : 1;
	}
	return (one->count < other->count) - (one->count > other->count);
}

static void order_removals(struct edit_op *ops, size_t *count)
{
	size_t kept = 0;

	qsort(ops, *count, sizeof(*ops), compare_removals);
	for (size_t i = 0; i < *count; i++)
		if (i == 0 || compare_removals(&ops[i], &ops[i - 1]) != 0)
			ops[kept++] = ops[i];
	*count = kept;
}

/* Makes the op, which sets a value in a new document, one that sets the document with its name. */
static int add_document(const struct assignment_walk *walk, struct edit_op *op)
{
	const struct key *key = &walk->assignment->key;
	const struct edit_tree nothing = {0};
	const struct edit_op inner = *op;
	int r = edit_tree_resolve(&nothing, &inner, walk->arena, op, walk->problem);

	if (r != 0)
		return r;
	if (!node_is_map(op->value))
		return problem_set(walk->problem, NULL, 0, 0,
			"'%.*s' would be a new document; set a value in it, as in %.*s.port=80",
			(int)key->start, key->text, (int)key->start, key->text);
	op->value = stream_name(key->named, op->value, walk->arena);
	if (!op->value)
		return -ENOMEM;
	if (stream_has_name(op->value, key->named))
		return 0;
	return problem_set(walk->problem, NULL, 0, 0,
		"'%.*s' would be a new document, and its name can't have another value at once; "
		"leave that out",
		(int)key->start, key->text);
}

/* Applies the edit to the documents, in which the next assignment finds its place. */
static int go_on(struct stream *stream, const struct node **names, const struct edit_op *op,
	const struct node *named, const struct read_options *options, struct arena *arena,
	struct problem *problem)
{
	struct edit_tree tree = {stream->roots, stream->count, options->format};
	struct edit_op resolved;
	int r = edit_tree_resolve(&tree, op, arena, &resolved, problem);

	if (r == 0)
		r = edit_tree_apply(&tree, &resolved, arena, &tree);
	if (r == 0 && tree.count > stream->count)
		names[stream->count] = named;
	stream->roots = tree.roots;
	stream->count = tree.count;
	return r;
}

static int plan_one(struct assignments *assignments, size_t i, const struct stream *stream,
	const struct read_options *options, struct arena *arena, struct edit_op *ret,
	const struct node **named, struct problem *problem)
{
	const struct key_ground ground = {
		.stream = *stream,
		.format = options->format,
		.wants_new = assignments->items[i].typed,
	};
	struct assignment assignment = {.text = assignments->items[i].text};
	struct assignment_walk walk = {
		.assignment = &assignment,
		.arena = arena,
		.problem = problem,
	};
	int r = key_match(assignment.text, &ground, arena, &assignment.key, problem);

	/* A problem with a column is about the KEY itself: nothing that shows has such a key. */
	if (r < 0 || r == PROBLEM)
		return r == PROBLEM && !problem->column ? PUT_UNCLEAR : r;
	*named = assignment.key.named;
	if (assignment.key.document == KEY_ANY_DOCUMENT && stream->count < 2)
		assignment.key.document = 0;
	if (assignment.key.document < stream->count)
		walk.in = stream->roots[assignment.key.document];
	walk.steps = arena_zalloc(arena, assignment.key.count + 1, sizeof(struct edit_step));
	if (!walk.steps)
		return -ENOMEM;
	size_t done = follow_key(&walk);
	const struct node *old = done == assignment.key.count ? walk.in : NULL;
	r = read_value(assignments, i, &assignment, old, options, problem);
	if (r == 0)
		r = plan(&walk, done, ret);
	if (r == 0 && *named)
		r = add_document(&walk, ret);
	if (r == 0)
		ret->again = find_again(&walk, options->format);
	return r;
}

/* Of several assignments, names the one to which a problem without a place belongs. */
static void name_key(
	const struct assignments *assignments, size_t i, int r, struct problem *problem)
{
	if (r != PROBLEM || problem->source[0] || assignments->count < 2)
		return;
	const struct problem plain = *problem;
	problem_reword(problem, &plain, "%s: %s", assignments->items[i].text, plain.message);
}

int assignments_plan(void *context, const struct stream *present,
	const struct read_options *options, struct arena *arena, struct edit_op **ops,
	size_t *count, struct problem *problem)
{
	struct assignments *assignments = context;
	size_t most = present->count + assignments->count;
	const struct node **names = arena_zalloc(arena, most + 1, sizeof(*names)), *named;
	struct stream stream = *present;
	bool is_removal = false;
	int r = 0;

	*count = 0;
	*ops = arena_zalloc(arena, assignments->count + 1, sizeof(**ops));
	if (!*ops || !names)
		return -ENOMEM;
	for (size_t i = 0; present->names && i < present->count; i++)
		names[i] = present->names[i];
	stream.names = names;
	for (size_t i = 0; r == 0 && i < assignments->count; i++) {
		is_removal = !assignments->items[i].typed;
		r = plan_one(assignments, i, &stream, options, arena, &(*ops)[i], &named, problem);
		if (r == 0 && !is_removal) {
			r = go_on(&stream, names, &(*ops)[i], named, options, arena, problem);
			name_key(assignments, i, r, problem);
		}
		++*count;
	}
	if (is_removal)
		order_removals(*ops, count);
	return r;
}
