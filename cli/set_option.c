#include "set_option.h"

#include <errno.h>
#include <stdlib.h>

#include "document.h"

/* Makes a node of the option's name, whose place is the option itself. */
static const struct node *name_node(
	struct arena *arena, const char *name, const struct source *source)
{
	struct node *node = node_new_scalar(arena, span_of(name), NODE_PLAIN);

	if (node)
		node->source = source;
	return node;
}

/* Parses the value; an empty one is null, as in a YAML file. */
static int read_value(struct set_options *set, const struct source *source, const char *text,
	const struct node **ret, struct problem *problem)
{
	const struct read_options options = {.format = &format_yaml};
	struct document **documents =
		reallocarray(set->documents, set->count + 1, sizeof(struct document *));

	if (!documents)
		return -ENOMEM;
	set->documents = documents;
	int r = document_read(
		source, span_of(text), &options, &set->documents[set->count], problem);
	if (r != 0)
		return r;

	struct document *document = set->documents[set->count++];
	if (document->count > 1)
		return problem_at(problem, document->roots[1], "a value is one document");
	*ret = document->count ? document->roots[0]
			       : node_new_scalar(set->arena, span_of(""), NODE_PLAIN);
	return *ret ? 0 : -ENOMEM;
}

int set_options_add(struct set_options *set, const char *argument, struct problem *problem)
{
	const char *equals = strchr(argument, '=');
	const struct node *value = NULL;
	int r;

	if (!equals || equals == argument)
		return problem_set(problem, set->option, 0, 0, "'%s' is not NAME=VALUE", argument);
	r = set->arena ? 0 : arena_new(&set->arena);
	if (r < 0)
		return r;
	if (!set->map)
		set->map = node_new_map(set->arena, NULL);

	struct span name_span = {argument, (size_t)(equals - argument)};
	char *name = arena_copy(set->arena, name_span);
	struct source *source = arena_zalloc(set->arena, 1, sizeof(*source));
	if (!set->map || !name || !source)
		return -ENOMEM;
	source->name = arena_printf(set->arena, "%s %s", set->option, name);
	source->layer = "";
	const struct node *key = name_node(set->arena, name, source);
	if (!source->name || !key)
		return -ENOMEM;

	r = read_value(set, source, equals + 1, &value, problem);
	return r != 0 ? r : node_put(set->arena, set->map, key, value);
}

void set_options_fini(struct set_options *set)
{
	for (size_t i = 0; i < set->count; i++)
		document_free(set->documents[i]);
	free(set->documents);
	arena_free(set->arena);
}
