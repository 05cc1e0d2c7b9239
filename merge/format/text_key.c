#include "text_key.h"

#include <errno.h>

#include "scalar.h"

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
				"a key in %s is a text, and this one is %s", format,
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
