#include "edit_value.h"

#include <errno.h>
#include <string.h>

#include "edit_tree.h"

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

int edit_value_convert(struct edit_op *op, const enum node_schema *yaml,
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
