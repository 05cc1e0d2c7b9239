#include "array.h"
#include "pillar_value.h"

#include <errno.h>
#include <stdlib.h>

void pillar_values_fini(struct pillar_values *values)
{
	free(values->open);
}

int pillar_open(
	struct pillar_values *values, const struct node **value, uint32_t more, struct node **ret)
{
	struct node *copy;
	int r;

	if (!((*value)->mark & PILLAR_OPEN)) {
		copy = node_is_sequence(*value) ? pillar_list_new(values->arena, *value, more)
						: node_copy(values->arena, *value);
		if (!copy)
			return -ENOMEM;
		copy->mark = PILLAR_OPEN;
		r = array_push(values->open, values->open_count, values->open_capacity, copy);
		if (r)
			return r;
		origin_move(values->origins, *value, copy);
		*value = copy;
	}

	/* Not const: we made it, and no other code has it before it is sealed. */
	*ret = (struct node *)*value;
	return 0;
}

int pillar_open_new(
	struct pillar_values *values, const struct node *like, uint8_t mark, struct node **ret)
{
	struct node *node = node_is_map(like) ? node_new_map(values->arena, like)
					      : pillar_list_new(values->arena, like, 0);

	if (!node)
		return -ENOMEM;
	if (node_is_sequence(node))
		node->seq.count = 0;
	node->weight = 1;
	node->mark = PILLAR_OPEN | mark;
	*ret = node;
	return array_push(values->open, values->open_count, values->open_capacity, node);
}

void pillar_seal(struct pillar_values *values, size_t since)
{
	while (values->open_count > since)
		values->open[--values->open_count]->mark = 0;
}
