#include "json_patch.h"

#include <errno.h>

#include "cleanup.h"
#include "origin_bound.h"

/* node.mark while a document is open, besides MARK_TUPLE. */
enum {
	PATCH_OPEN = 1, /* ours, and may be changed */
	PATCH_DOUBLE,   /* the same, and a list of the values of a repeated key */
	PATCH_CLOSING,  /* on the way from the root to the node being closed */
};

int json_patch_spend(struct json_patch *patch, uint64_t units, const struct node *node)
{
	if (work_spend(patch->work, units))
		return 0;
	return problem_at(patch->problem, node,
		"the patch takes too much work; use fewer operations or a smaller document");
}

/* The copies that were made, by the address of what they are copies of. */
struct copying {
	struct table copies;
	struct arena *scratch;
};

static int copy_tree(struct json_patch *patch, const struct node *node, unsigned depth,
	struct copying *copying, const struct node **ret);

static int copy_items(
	struct json_patch *patch, struct node *copy, unsigned depth, struct copying *copying)
{
	for (uint32_t i = 0; i < copy->seq.count; i++) {
		int r = copy_tree(patch, copy->seq.items[i], depth, copying, &copy->seq.items[i]);
		if (r != 0)
			return r;
	}
	return 0;
}

/* A repeated key gets the list of its values, as jsonpatch reads it. */
static int add_double(struct json_patch *patch, struct node *copy, const struct pair *found,
	const struct node *value)
{
	struct pair *at = &copy->map.pairs[found - copy->map.pairs];
	struct node *list = (struct node *)at->value;
	int r = 0;

	if (list->mark != PATCH_DOUBLE) {
		list = node_new_sequence(patch->arena, value);
		if (!list)
			return -ENOMEM;
		list->mark = PATCH_DOUBLE;
		r = node_push(patch->arena, list, at->value);
		at->value = list;
	}
	return r == 0 ? node_push(patch->arena, list, value) : r;
}

static int copy_pairs(struct json_patch *patch, const struct node *map, struct node *copy,
	unsigned depth, struct copying *copying)
{
	for (uint32_t i = 0; i < map->map.count; i++) {
		struct pair pair = map->map.pairs[i];
		int r = copy_tree(patch, pair.value, depth, copying, &pair.value);
		if (r != 0)
			return r;
		const struct pair *found = node_find_hashed(copy, pair.key, pair.hash);
		r = found ? add_double(patch, copy, found, pair.value)
			  : node_append(patch->arena, copy, &pair);
		if (r != 0)
			return r;
	}
	return 0;
}

/*
 * Records a copy. It replaces `node`, or with JSON_PATCH_COPIES it stands elsewhere, while `node`
 * stays and develops separately.
 */
static void note_copy(struct json_patch *patch, const struct node *node, const struct node *copy)
{
	if (patch->transfer != JSON_PATCH_COPIES)
		origin_move(patch->origins, node, copy);
	/* A value is not its own contributor, so this adds only its steps. */
	else if (origin_bound_is_short(patch->origins, node))
		origin_note(patch->origins, copy, node, ORIGIN_PART, patch->why);
}

/* With origins, a copied scalar stands at two places, and each needs its own node. */
static int copy_scalar(struct json_patch *patch, const struct node *node, const struct node **ret)
{
	*ret = patch->origins ? node_copy(patch->arena, node) : node;
	if (!*ret)
		return -ENOMEM;
	note_copy(patch, node, *ret);
	return 0;
}

/* Copies all lists and maps, each once. Scalars and keys never change. */
static int copy_tree(struct json_patch *patch, const struct node *node, unsigned depth,
	struct copying *copying, const struct node **ret)
{
	if (node_is_scalar(node))
		return copy_scalar(patch, node, ret);
	const struct node *shared = table_get_address(patch->aliased, node);
	if (!shared)
		shared = node;
	struct node *copy = table_get_address(&copying->copies, shared);
	if (copy) {
		*ret = copy;
		return 0;
	}
	if (depth == 0)
		return problem_at(patch->problem, node,
			"the document is nested deeper than %u; raise the limit 'depth'",
			patch->depth);

	bool is_map = node_is_map(node);
	int r = json_patch_spend(patch, 1 + node_count(node), node);
	if (r != 0)
		return r;
	copy = is_map ? node_new_map(patch->arena, node) : node_copy(patch->arena, node);
	if (!copy)
		return -ENOMEM;
	copy->mark = PATCH_OPEN | (node->mark & MARK_TUPLE);
	note_copy(patch, node, copy);
	r = table_put_address(&copying->copies, copying->scratch, shared, copy);
	if (r == 0)
		r = is_map ? copy_pairs(patch, node, copy, depth - 1, copying)
			   : copy_items(patch, copy, depth - 1, copying);
	*ret = copy;
	return r;
}

int json_patch_copy(struct json_patch *patch, const struct node *node, const struct node **ret)
{
	CLEANUP(arena_freep) struct arena *scratch = NULL;
	int r = arena_new_like(patch->arena, &scratch);
	struct copying copying = {.scratch = scratch};

	return r == 0 ? copy_tree(patch, node, patch->depth, &copying, ret) : r;
}

static int close_tree(struct json_patch *patch, const struct node *node, unsigned depth);

static int close_children(struct json_patch *patch, struct node *node, unsigned depth)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < node_count(node); i++)
		r = close_tree(patch, *node_entry(node, i), depth);
	node_weigh(node);
	return r;
}

/* Computes the weights again: they are out of date after changes below. */
static int close_tree(struct json_patch *patch, const struct node *node, unsigned depth)
{
	struct node *open = (struct node *)node;
	uint8_t tuple = node->mark & MARK_TUPLE, mark = node->mark - tuple;

	if (mark == 0 || node_is_scalar(node))
		return 0;
	if (mark == PATCH_CLOSING)
		return problem_at(patch->problem, node,
			"the patch puts an aliased value into itself; write the value out");
	if (depth == 0)
		return problem_at(patch->problem, node,
			"the patched document is nested deeper than %u; raise the limit 'depth'",
			patch->depth);
	open->mark = PATCH_CLOSING | tuple;
	int r = close_children(patch, open, depth - 1);
	open->mark = tuple;
	return r;
}

int json_patch_close(struct json_patch *patch)
{
	return close_tree(patch, patch->root, patch->depth);
}
