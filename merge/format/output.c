#include "output.h"

#include <errno.h>
#include <stdlib.h>

#include "scalar.h"

/* The least size of a buffer, in bytes, even if the guess was 0. */
#define OUTPUT_MIN 256

int writer_too_deep(const struct writer *writer, const struct node *node)
{
	return problem_at(writer->problem, node,
		"the result has more than %u maps and lists in each other; raise the limit 'depth'",
		writer->depth);
}

static bool has_only_strings(const struct node *map)
{
	for (uint32_t i = 0; i < map->map.count; i++)
		if (!scalar_is_string(map->map.pairs[i].key))
			return false;
	return true;
}

int text_key_check(const struct writer *writer, const struct node *map, const char *format,
	enum text_key_kind kind)
{
	struct node *names;

	if (has_only_strings(map))
		return 0;
	names = node_new_map(writer->arena, NULL);
	if (!names || node_reserve(writer->arena, names, map->map.count) < 0)
		return -ENOMEM;
	for (uint32_t i = 0; i < map->map.count; i++) {
		const struct node *key = map->map.pairs[i].key;
		const struct pair *found;
		struct node *name;
		struct span text;

		if (kind == TEXT_KEY_AS_WRITTEN && !node_is_scalar(key))
			return problem_at(writer->problem, key,
				"a key in %s is a text, and this one is %s; write a text", format,
				node_kind_name(key));
		text = key->text;
		if (kind != TEXT_KEY_AS_WRITTEN) {
			int r = node_is_scalar(key) ? scalar_json(key, writer->arena, &text)
						    : -ERANGE;

			if (r == -ERANGE)
				continue;
			if (r < 0)
				return r;
		}
		name = node_new_scalar(writer->arena, text, NODE_DOUBLE);
		if (!name)
			return -ENOMEM;
		found = node_find(names, name);
		if (found && !node_equal(key, found->value))
			return problem_at(writer->problem, key,
				"two keys of the map are the same text in %s; rename one", format);
		if (node_put(writer->arena, names, name, key) < 0)
			return -ENOMEM;
	}
	return 0;
}

bool output_grow(struct output *output, size_t more)
{
	size_t capacity = output->capacity ? output->capacity : output->guess;
	char *data;

	if (output->failure)
		return false;
	if (more > output->max || output->len > output->max - more) {
		output->failure = -E2BIG;
		return false;
	}
	if (capacity < OUTPUT_MIN)
		capacity = OUTPUT_MIN;
	while (capacity - output->len < more)
		capacity *= 2;
	data = realloc(output->data, capacity);
	if (!data) {
		output->failure = -ENOMEM;
		return false;
	}
	output->data = data;
	output->capacity = capacity;
	return true;
}

void output_fini(struct output *output)
{
	free(output->data);
}

int output_finish(
	struct output *output, struct arena *arena, struct span *ret, struct problem *problem)
{
	size_t len = output->len;
	char *text;
	int r;

	/* The buffer may be larger than the limit. */
	if (!output->failure && len > output->max)
		output->failure = -E2BIG;
	if (output->failure == -E2BIG)
		return problem_set(problem, NULL, 0, 0,
			"the result is larger than %zu bytes; raise the limit 'result'",
			output->max);
	if (output->failure)
		return output->failure;

	text = realloc(output->data, len + 1);
	if (!text)
		return -ENOMEM;
	output->data = text;
	output->capacity = len + 1;
	text[len] = '\0';
	r = arena_adopt(arena, text, len + 1);
	if (r < 0)
		return r;
	*output = (struct output){.max = output->max};
	*ret = (struct span){text, len};
	return 0;
}
