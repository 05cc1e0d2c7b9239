#include "extent_note.h"

#include <errno.h>

struct extent *extent_note_begin(struct builder *builder, const struct node *root)
{
	struct document *document = builder->document;
	struct extent *extent = arena_zalloc(document->arena, 1, sizeof(*extent));

	document->extents = arena_alloc(document->arena, sizeof(struct extent *));
	if (!extent || !document->extents)
		return NULL;
	extent->node = root;
	document->extents[0] = extent;
	return extent;
}

struct extent *extent_note_add(struct builder *builder, struct extent *in)
{
	struct extent *extent = arena_zalloc(builder->document->arena, 1, sizeof(*extent));

	if (!extent)
		return NULL;
	if (in->last)
		in->last->next = extent;
	else
		in->first = extent;
	in->last = extent;
	return extent;
}

int extent_note_set_keys(struct builder *builder, struct extent *extent,
	const struct node *const *keys, uint32_t count)
{
	const struct node **copy = arena_alloc(builder->document->arena, count * sizeof(*copy));

	if (!copy)
		return -ENOMEM;
	memcpy(copy, keys, count * sizeof(*copy));
	extent->keys = copy;
	extent->key_count = count;
	return 0;
}

void extent_note_close(struct extent *extent)
{
	if (!extent->first)
		return;
	extent->value = (struct range){extent->first->member.begin, extent->last->member.end};
	extent->member.end = extent->value.end;
	if (!extent->key_count)
		extent->member.begin = extent->value.begin;
}
