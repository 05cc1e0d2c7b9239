#include "note.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "array.h"
#include "builder.h"

/* An extent and the one key that its `keys` lead to. */
struct noted {
	struct extent extent;
	const struct node *key;
};

void notes_fini(struct notes *notes)
{
	free(notes->open);
	free(notes->roots);
}

static struct open_extent *innermost(struct notes *notes)
{
	return notes->depth ? &notes->open[notes->depth - 1] : NULL;
}

static void append(struct extent *into, struct extent *entry)
{
	if (into->last)
		into->last->next = entry;
	else
		into->first = entry;
	into->last = entry;
}

static struct noted *new_noted(const struct builder *builder, const struct noted_node *note)
{
	struct noted *noted = arena_zalloc(builder->document->arena, 1, sizeof(*noted));

	if (!noted)
		return NULL;
	noted->extent.node = note->node;
	noted->extent.is_alias = note->is_alias;
	noted->extent.has_anchor = note->has_anchor;
	noted->extent.value = note->range;
	noted->extent.member = (struct range){note->member_begin, note->range.end};
	return noted;
}

/* Completes the pair whose key was noted before. */
static void take_key(struct open_extent *map, struct noted *noted)
{
	noted->key = map->key;
	noted->extent.keys = &noted->key;
	noted->extent.key_count = 1;
	noted->extent.key = map->key_range;
	noted->extent.member.begin = map->member_begin;
	noted->extent.is_merge_key = builder_is_merge_key(map->key);
	map->has_key = false;
}

/* Adds the extent of a pair's value, an item or a root. */
static int add_value(struct builder *builder, const struct noted_node *note, struct extent **ret)
{
	struct open_extent *open = innermost(&builder->notes);
	struct noted *noted = new_noted(builder, note);

	if (!noted)
		return -ENOMEM;
	*ret = &noted->extent;
	if (!open)
		return array_push(builder->notes.roots, builder->notes.count,
			builder->notes.capacity, &noted->extent);
	if (node_is_map(open->extent->node))
		take_key(open, noted);
	append(open->extent, &noted->extent);
	return 0;
}

static void set_key(struct notes *notes, const struct extent *key)
{
	struct open_extent *map = innermost(notes);

	map->has_key = true;
	map->key = key->node;
	map->key_range = key->value;
	map->member_begin = key->member.begin;
}

int note_add(struct builder *builder, const struct noted_node *note)
{
	struct extent *unused;

	if (note_wants_key(&builder->notes)) {
		set_key(&builder->notes, &(struct extent){.node = note->node,
						 .value = note->range,
						 .member.begin = note->member_begin});
		return 0;
	}
	return add_value(builder, note, &unused);
}

static int push(struct notes *notes, struct extent *extent, bool is_key)
{
	return array_push(notes->open, notes->depth, notes->open_capacity,
		(struct open_extent){.extent = extent, .is_key = is_key});
}

int note_open(struct builder *builder, const struct noted_node *note)
{
	struct extent *extent;
	int r;

	if (note_wants_key(&builder->notes)) {
		struct noted *key = new_noted(builder, note);

		return key ? push(&builder->notes, &key->extent, true) : -ENOMEM;
	}
	r = add_value(builder, note, &extent);
	return r ? r : push(&builder->notes, extent, false);
}

void note_close(struct builder *builder, size_t end)
{
	struct notes *notes = &builder->notes;
	struct open_extent open;
	struct extent *extent;

	assert(notes->depth > 0);
	open = notes->open[--notes->depth];
	extent = open.extent;
	if (end != NOTE_LAST_ENTRY)
		extent->value.end = end;
	else
		extent->value.end = extent->last ? extent->last->member.end : extent->value.begin;
	extent->member.end = extent->value.end;
	if (open.is_key)
		set_key(notes, extent);
}

int notes_finish(struct notes *notes, struct document *document)
{
	assert(notes->count == document->count);
	document->extents = arena_zalloc(document->arena, notes->count, sizeof(struct extent *));
	if (!document->extents)
		return -ENOMEM;
	memcpy(document->extents, notes->roots, notes->count * sizeof(struct extent *));
	return 0;
}
