#include "json_pointer.h"

#include <errno.h>

#include "scalar.h"

size_t json_pointer_unescape(char *text, size_t len)
{
	size_t used = 0;

	for (size_t i = 0; i < len; i++) {
		char next = text[i] == '~' && i + 1 < len ? text[i + 1] : '\0';
		bool is_escape = next == '0' || next == '1';

		text[used++] = !is_escape ? text[i] : next == '1' ? '/' : '~';
		i += is_escape;
	}
	return used;
}

static int check_text(
	const struct node *node, const char *name, struct problem *problem, size_t *ret_count)
{
	struct span text = node->text;
	size_t count = 0;

	for (size_t i = 0; i < text.len; i++) {
		count += text.data[i] == '/';
		if (text.data[i] != '~')
			continue;
		if (i + 1 == text.len || (text.data[i + 1] != '0' && text.data[i + 1] != '1'))
			return problem_at(problem, node,
				"'%s' has an invalid escape in '%s'; write ~0 for ~ and ~1 for /",
				name, text.data);
	}
	if (text.len > 0 && text.data[0] != '/')
		return problem_at(
			problem, node, "'%s' must start with /, and this is '%s'", name, text.data);
	*ret_count = count;
	return 0;
}

int json_pointer_read(const struct node *node, const char *name, struct arena *arena,
	struct problem *problem, struct json_pointer *ret)
{
	size_t count = 0;

	if (!scalar_is_string(node))
		return problem_at(problem, node, "'%s' is a JSON pointer, a string", name);
	int r = check_text(node, name, problem, &count);
	if (r != 0)
		return r;

	char *copy = arena_copy(arena, node->text);
	struct span *parts = arena_zalloc(arena, count, sizeof(*parts));
	if (!copy || !parts)
		return -ENOMEM;
	char *at = copy + 1;
	for (size_t i = 0; i < count; i++) {
		size_t left = (size_t)(copy + node->text.len - at);
		char *end = left > 0 ? memchr(at, '/', left) : NULL;
		size_t len = end ? (size_t)(end - at) : left;
		parts[i] = (struct span){at, json_pointer_unescape(at, len)};
		at += len + 1;
	}
	*ret = (struct json_pointer){.node = node, .parts = parts, .count = count};
	return 0;
}

bool json_pointer_begin_equal(
	const struct json_pointer *a, const struct json_pointer *b, size_t count)
{
	if (a->count < count || b->count < count)
		return false;
	for (size_t i = 0; i < count; i++)
		if (!span_equal(a->parts[i], b->parts[i]))
			return false;
	return true;
}

struct node json_pointer_key(struct span part)
{
	return (struct node){.kind = NODE_SCALAR,
		.style = NODE_DOUBLE,
		.schema = NODE_JSON,
		.weight = 1,
		.text = part};
}

const struct pair *json_pointer_find(const struct node *map, struct span part)
{
	struct node key = json_pointer_key(part);

	return node_find(map, &key);
}

int json_pointer_index(const struct json_pointer *pointer, struct span part,
	struct problem *problem, uint32_t *ret)
{
	uint64_t index = 0;
	size_t i;

	/* Leading zeros are accepted, as in jsonpointer. */
	for (i = 0; i < part.len && part.data[i] >= '0' && part.data[i] <= '9'; i++)
		index = index > UINT32_MAX ? index : index * 10 + (uint64_t)(part.data[i] - '0');
	if (part.len == 0 || i < part.len)
		return problem_at(problem, pointer->node, "'%.*s' is not a valid sequence index",
			(int)part.len, part.data);
	*ret = index > UINT32_MAX ? UINT32_MAX : (uint32_t)index;
	return 0;
}

static int step_in_map(const struct json_pointer *pointer, const struct node *map, struct span part,
	struct problem *problem, const struct node **ret)
{
	const struct pair *pair = json_pointer_find(map, part);

	if (!pair)
		return problem_at(problem, pointer->node, "member '%.*s' not found, for '%s'",
			(int)part.len, part.data, pointer->node->text.data);
	*ret = pair->value;
	return 0;
}

int json_pointer_step(const struct json_pointer *pointer, const struct node *node, struct span part,
	struct problem *problem, const struct node **ret)
{
	uint32_t index = 0;

	if (node_is_map(node))
		return step_in_map(pointer, node, part, problem, ret);
	/* jsonpointer would step to a character of a string, which is never intended. */
	if (node_is_scalar(node))
		return problem_at(problem, pointer->node,
			"unable to fully resolve json pointer '%s': '%.*s' is looked for in a "
			"scalar",
			pointer->node->text.data, (int)part.len, part.data);
	int r = json_pointer_index(pointer, part, problem, &index);
	if (r != 0)
		return r;
	if (index >= node->seq.count)
		return problem_at(problem, pointer->node, "index '%.*s' is out of bounds, for '%s'",
			(int)part.len, part.data, pointer->node->text.data);
	*ret = node->seq.items[index];
	return 0;
}

int json_pointer_walk(const struct json_pointer *pointer, size_t count, const struct node *root,
	struct problem *problem, const struct node **ret)
{
	const struct node *node = root;
	int r = 0;

	for (size_t i = 0; r == 0 && i < count; i++)
		r = json_pointer_step(pointer, node, pointer->parts[i], problem, &node);
	if (r == 0)
		*ret = node;
	return r;
}
