/*
 * cfengine: CFEngine's mergedata().
 *
 *      args: [defaults, "site[web]", '{ "host": host }']
 *               │            │               └─ inline JSON, see cfengine.h
 *               │            └─ a value in a container
 *               └─ a container: the inputs of a layer, merged with each other if they are many
 *
 * A value of a source is passed through unchanged. A value in an argument gets the place of the
 * argument. Anything else is an error, reported at the argument.
 */
#include <errno.h>
#include <stdio.h>

#include "cfengine.h"
#include "scalar.h"
#include "strategy.h"

/* Bytes of the list of containers in a message. */
#define NAMES_MAX 200

struct cfengine_run {
	struct merge *merge;
	struct arena *arena;
	struct problem *problem;
	const struct source *source; /* of the arguments */
};

/* Merges an input into the sum. An empty one adds nothing. */
static int add_input(
	struct cfengine_run *run, struct cfengine_sum *sum, const struct merge_input *input)
{
	const struct node *root;
	int r = merge_only_root(run->merge, input->document, &root);

	if (r != 0 || !root)
		return r;
	if (node_is_scalar(root))
		return problem_at(run->problem, root,
			"mergedata: the source is not mergeable as it is not a container, but %s; "
			"make it an object or an array",
			scalar_type_name(scalar_type(root)));
	return cfengine_sum_add(sum, run->arena, root);
}

/* Lists the layers' names, "a, b, c", as far as they fit. */
static void list_names(const struct cfengine_run *run, char names[NAMES_MAX])
{
	size_t used = 0;

	names[0] = '\0';
	for (size_t i = 0; i < run->merge->count; i++) {
		const char *name = run->merge->inputs[i].source.layer;
		int length;

		if (i > 0 && strcmp(name, run->merge->inputs[i - 1].source.layer) == 0)
			continue;
		length = snprintf(
			names + used, NAMES_MAX - used, "%s%s", used > 0 ? ", " : "", name);
		if (length < 0 || (size_t)length >= NAMES_MAX - used)
			return;
		used += (size_t)length;
	}
}

static int unknown_container(
	struct cfengine_run *run, const struct node *argument, struct span name, bool is_known)
{
	char names[NAMES_MAX];

	if (is_known)
		return problem_at(run->problem, argument,
			"mergedata: argument '%s' does not resolve to a container: '%.*s' is empty",
			argument->text.data, (int)name.len, name.data);
	list_names(run, names);
	return problem_at(run->problem, argument,
		"mergedata: argument '%s' does not resolve to a container: there is no '%.*s'; "
		"there are: %s",
		argument->text.data, (int)name.len, name.data, names);
}

static bool is_container_name(void *context, struct span name)
{
	const struct cfengine_run *run = context;

	for (size_t i = 0; i < run->merge->count; i++)
		if (span_is(name, run->merge->inputs[i].source.layer))
			return true;
	return false;
}

/* Returns the only root of the layer's sources; NULL if there are none, or several. */
static const struct node *only_root(const struct cfengine_run *run, struct span name)
{
	const struct node *root = NULL;

	for (size_t i = 0; i < run->merge->count; i++) {
		const struct merge_input *input = &run->merge->inputs[i];

		if (!span_is(name, input->source.layer) || input->document->count == 0)
			continue;
		if (root || input->document->count > 1)
			return NULL;
		root = input->document->roots[0];
	}
	return root && !scalar_is_empty(root) ? root : NULL;
}

/* Merges all sources of the layer `name`. */
static int find_container(struct cfengine_run *run, const struct node *argument, struct span name,
	const struct node **ret)
{
	const struct node *root = only_root(run, name);
	struct cfengine_sum sum = {.origins = run->merge->origins};

	if (root) {
		*ret = root;
		return 0;
	}
	for (size_t i = 0; i < run->merge->count; i++) {
		const struct merge_input *input = &run->merge->inputs[i];
		int r;

		if (!span_is(name, input->source.layer))
			continue;
		r = add_input(run, &sum, input);
		if (r != 0)
			return r;
	}
	if (!sum.value)
		return unknown_container(run, argument, name, is_container_name(run, name));
	return cfengine_sum_end(&sum, run->arena, ret);
}

/* Finds a key in a map. *ret is NULL if it is not there. Returns 0 or -ENOMEM. */
static int map_at(
	struct arena *arena, const struct node *map, struct span key, const struct node **ret)
{
	struct node string = {.kind = NODE_SCALAR, .style = NODE_DOUBLE, .text = key};
	const struct pair *pair = node_find(map, &string);

	*ret = pair ? pair->value : NULL;
	for (uint32_t i = map->map.count; !*ret && i-- > 0;) {
		const struct node *other;
		int r = cfengine_string_key(arena, map->map.pairs[i].key, &other);

		if (r < 0)
			return r;
		if (other != map->map.pairs[i].key && span_equal(other->text, key))
			*ret = map->map.pairs[i].value;
	}
	return 0;
}

static const struct node *array_at(const struct node *array, struct span digits)
{
	uint64_t offset = 0;

	for (size_t i = 0; i < digits.len; i++) {
		if (digits.data[i] < '0' || digits.data[i] > '9' || offset > UINT32_MAX)
			return NULL;
		offset = offset * 10 + (uint64_t)(digits.data[i] - '0');
	}
	return digits.len && offset < array->seq.count ? array->seq.items[offset] : NULL;
}

/*
 * Returns the bytes of the index in brackets at the beginning of `text`, with nested brackets; 0:
 * unbalanced.
 */
static size_t index_length(struct span text)
{
	size_t depth = 0;

	for (size_t i = 0; i < text.len; i++) {
		depth += text.data[i] == '[';
		if (text.data[i] == ']' && --depth == 0)
			return i + 1;
	}
	return 0;
}

/* Follows "[key][0]" into *value. Text after the last bracket is ignored, as in CFEngine. */
static int extract(struct cfengine_run *run, const struct node *argument, struct span path,
	const struct node **value)
{
	while (path.len > 0 && path.data[0] == '[') {
		size_t length = index_length(path);
		struct span index = {path.data + 1, length - 2};
		const struct node *found = NULL;
		int r = 0;

		if (!length)
			return problem_at(run->problem, argument,
				"mergedata: index brackets do not balance in '%s'",
				argument->text.data);
		if (node_is_map(*value))
			r = map_at(run->arena, *value, index, &found);
		else if (!node_is_scalar(*value))
			found = array_at(*value, index);
		if (r < 0)
			return r;
		if (!found)
			return problem_at(run->problem, argument,
				"mergedata: argument '%s' does not resolve to a container: it has "
				"no [%.*s]",
				argument->text.data, (int)index.len, index.data);
		*value = found;
		path.data += length;
		path.len -= length;
	}
	return 0;
}

/* Finds NAME, NAME[key][0]… */
static int find_value(
	void *context, const struct node *argument, struct span name, const struct node **ret)
{
	struct cfengine_run *run = context;
	const char *bracket = memchr(name.data, '[', name.len);
	struct span path = {NULL, 0};
	const struct node *value;
	int r;

	if (bracket) {
		path = (struct span){bracket, (size_t)(span_end(name) - bracket)};
		name.len -= path.len;
	}
	r = find_container(run, argument, name, &value);
	if (r == 0)
		r = extract(run, argument, path, &value);
	if (r == 0)
		*ret = value;
	return r;
}

/* Returns the name without surrounding spaces and without CFEngine's @(…). */
static struct span bare_name(struct span text)
{
	static const char spaces[] = {' ', '\t', '\r', '\n'};

	while (text.len > 0 && memchr(spaces, text.data[0], sizeof(spaces))) {
		text.data++;
		text.len--;
	}
	while (text.len > 0 && memchr(spaces, text.data[text.len - 1], sizeof(spaces)))
		text.len--;
	if (text.len > 3 && memcmp(text.data, "@(", 2) == 0 && text.data[text.len - 1] == ')')
		return (struct span){text.data + 2, text.len - 3};
	return text;
}

static bool is_primitive(struct span text)
{
	struct node plain = {.kind = NODE_SCALAR, .schema = NODE_JSON, .text = text};

	if (text.len == 0)
		return false;
	return text.data[0] == '"' || scalar_type(&plain) != SCALAR_STRING;
}

static int not_mergeable(
	const struct cfengine_run *run, const struct node *argument, const char *what)
{
	return problem_at(run->problem, argument,
		"mergedata: '%s' is not mergeable as it is not a container, but %s",
		argument->text.data, what);
}

static int evaluate_text(
	struct cfengine_run *run, const struct node *argument, const struct node **ret)
{
	struct span name = bare_name(argument->text);
	struct cfengine_json json = {
		.arena = run->arena,
		.argument = argument,
		.source = run->source,
		.depth = run->merge->request->limits.depth,
		.problem = run->problem,
		.find = find_value,
		.is_name = is_container_name,
		.context = run,
	};
	int r;

	if (cfengine_json_is(argument->text))
		return cfengine_json_read(&json, ret);
	if (span_is(name, "true") || span_is(name, "false") || span_is(name, "null") ||
		(is_primitive(name) && !is_container_name(run, name)))
		return not_mergeable(run, argument, "a primitive");

	r = find_value(run, argument, name, ret);
	if (r != 0 || !node_is_scalar(*ret))
		return r;
	return not_mergeable(run, argument, scalar_type_name(scalar_type(*ret)));
}

/* Copies a scalar of the options: they may be freed before the result. */
static int copy_scalar(
	const struct cfengine_run *run, const struct node *scalar, const struct node **ret)
{
	struct node *copy = node_copy(run->arena, scalar);

	if (!copy)
		return -ENOMEM;
	copy->source = run->source;
	copy->text.data = arena_copy(run->arena, scalar->text);
	if (scalar->tag)
		copy->tag = arena_copy(run->arena, span_of(scalar->tag));
	if (!copy->text.data || (scalar->tag && !copy->tag))
		return -ENOMEM;
	*ret = copy;
	return 0;
}

static int evaluate_tree(
	struct cfengine_run *run, const struct node *node, const struct node **ret);

static int evaluate_list(struct cfengine_run *run, const struct node *list, struct node *copy)
{
	for (uint32_t i = 0; i < list->seq.count; i++) {
		const struct node *item;
		int r = evaluate_tree(run, list->seq.items[i], &item);

		if (r == 0)
			r = node_push(run->arena, copy, item);
		if (r != 0)
			return r;
	}
	return 0;
}

static int evaluate_map(struct cfengine_run *run, const struct node *map, struct node *copy)
{
	for (uint32_t i = 0; i < map->map.count; i++) {
		const struct pair *pair = &map->map.pairs[i];
		const struct node *key, *value;
		int r;

		if (!node_is_scalar(pair->key))
			return problem_at(run->problem, pair->key,
				"mergedata: an array or object is not allowed as l-value");
		r = evaluate_tree(run, pair->value, &value);
		if (r == 0)
			r = copy_scalar(run, pair->key, &key);
		if (r == 0)
			r = node_put(run->arena, copy, key, value);
		if (r != 0)
			return r;
	}
	return 0;
}

/*
 * Evaluates inline JSON that is written as YAML: a plain string is a name, a quoted one is a
 * string.
 */
static int evaluate_tree(struct cfengine_run *run, const struct node *node, const struct node **ret)
{
	struct node *copy;
	int r;

	if (node_is_scalar(node)) {
		if (node->style == NODE_PLAIN && scalar_type(node) == SCALAR_STRING)
			return find_value(run, node, node->text, ret);
		return copy_scalar(run, node, ret);
	}
	copy = node_is_map(node) ? node_new_map(run->arena, node)
				 : node_new_sequence(run->arena, node);
	if (!copy)
		return -ENOMEM;
	copy->source = run->source;
	copy->tag = NULL;
	r = node_is_map(node) ? evaluate_map(run, node, copy) : evaluate_list(run, node, copy);
	if (r == 0)
		*ret = copy;
	return r;
}

static int add_arguments(
	struct cfengine_run *run, const struct node *args, struct cfengine_sum *sum)
{
	int r = args->source ? source_copy(run->arena, args->source, &run->source) : 0;

	for (uint32_t i = 0; r == 0 && i < args->seq.count; i++) {
		const struct node *argument = args->seq.items[i], *value;

		r = node_is_scalar(argument) ? evaluate_text(run, argument, &value)
					     : evaluate_tree(run, argument, &value);
		if (r == 0)
			r = cfengine_sum_add(sum, run->arena, value);
	}
	return r;
}

static int merge_cfengine(struct merge *merge, struct merge_output *ret)
{
	const struct node *args = options_get(merge->request->options, "args"), *root = NULL;
	struct cfengine_run run = {merge, merge->arena, merge->problem, NULL};
	struct cfengine_sum sum = {.origins = merge->origins};
	int r = 0;

	if (args)
		r = add_arguments(&run, args, &sum);
	for (size_t i = 0; !args && r == 0 && i < merge->count; i++)
		r = add_input(&run, &sum, &merge->inputs[i]);
	if (r == 0 && sum.value)
		r = cfengine_sum_end(&sum, merge->arena, &root);
	if (r == 0)
		*ret = (struct merge_output){.root = root};
	return r;
}

static int check(const struct options *options, struct problem *problem)
{
	const struct node *args = options_get(options, "args");

	if (!args)
		return 0;
	if (!node_is_sequence(args))
		return problem_at(problem, args,
			"mergedata: 'args' is a list of names and inline JSON, and this is %s",
			node_kind_name(args));
	if (args->seq.count == 0)
		return problem_at(problem, args,
			"mergedata: it needs at least one argument; without 'args' all layers are "
			"merged");
	return 0;
}

static const struct option_spec cfengine_options[] = {
	{"args", OPTION_VALUE, "", NULL,
		"the arguments: layers' names, NAME[key], or inline JSON with names in it; all "
		"layers in order by default"},
	{0},
};

const struct strategy strategy_cfengine = {
	.name = "cfengine",
	.summary = "CFEngine's mergedata(): lists are concatenated; if two maps have the same key, "
		   "the later value counts",
	.options = cfengine_options,
	.trees = STRATEGY_TREES_READ,
	.check = check,
	.merge = merge_cfengine,
};
