#include "note.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "array.h"
#include "builder.h"

void notes_fini(struct notes *notes)
{
	free(notes->open);
	free(notes->roots);
}

static struct open_extent *innermost(struct notes *notes)
{
	return notes->depth ? &notes->open[notes->depth - 1] : NULL;
}

/* Fills a new extent (NULL: there is no memory). */
static struct extent *fill(struct extent *extent, const struct extent *note)
{
	if (!extent)
		return NULL;
	*extent = *note;
	extent->member.end = extent->value.end;
	return extent;
}

static struct extent *new_extent(const struct builder *builder)
{
	return arena_zalloc(builder->document->arena, 1, sizeof(struct extent));
}

/* Completes the pair whose key was noted before. */
static int take_key(struct builder *builder, struct open_extent *map, struct extent *extent)
{
	extent->key = map->key_range;
	extent->member.begin = map->member_begin;
	extent->is_merge_key = builder_is_merge_key(map->key);
	int r = extent_note_set_keys(builder, extent, &map->key, 1);
	map->key = NULL;
	return r;
}

/* Adds the extent of a pair's value, an item or a root. */
static int add_value(struct builder *builder, const struct extent *note, struct extent **ret)
{
	struct open_extent *open = innermost(&builder->notes);
	struct extent *extent =
		fill(open ? extent_note_add(builder, open->extent) : new_extent(builder), note);

	if (!extent)
		return -ENOMEM;
	*ret = extent;
	if (!open)
		return array_push(builder->notes.roots, builder->notes.count,
			builder->notes.capacity, extent);
	return node_is_map(open->extent->node) ? take_key(builder, open, extent) : 0;
}

static void set_key(struct notes *notes, const struct extent *key)
{
	struct open_extent *map = innermost(notes);

	map->key = key->node;
	map->key_range = key->value;
	map->member_begin = key->member.begin;
}

int note_add(struct builder *builder, const struct extent *note)
{
	struct extent *unused;

	if (note_wants_key(&builder->notes)) {
		set_key(&builder->notes, note);
		return 0;
	}
	return add_value(builder, note, &unused);
}

static int push(struct notes *notes, struct extent *extent)
{
	return array_push(notes->open, notes->depth, notes->open_capacity,
		(struct open_extent){.extent = extent});
}

int note_open(struct builder *builder, const struct extent *note)
{
	struct extent *extent;
	int r;

	if (note_wants_key(&builder->notes)) {
		struct extent *key = fill(new_extent(builder), note);

		return key ? push(&builder->notes, key) : -ENOMEM;
	}
	r = add_value(builder, note, &extent);
	return r ? r : push(&builder->notes, extent);
}

void note_close(struct builder *builder, size_t end)
{
	struct notes *notes = &builder->notes;
	const struct open_extent *around;
	struct extent *extent;

	assert(notes->depth > 0);
	extent = notes->open[--notes->depth].extent;
	around = innermost(notes);
	if (end != NOTE_LAST_ENTRY)
		extent->value.end = end;
	else
		extent->value.end = extent->last ? extent->last->member.end : extent->value.begin;
	extent->member.end = extent->value.end;
	/* A key is no entry of the map around it. */
	if (around && around->extent->last != extent)
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

struct range extent_note_range(const struct builder *builder, const char *begin, const char *end)
{
	return (struct range){(size_t)(begin - builder->text), (size_t)(end - builder->text)};
}

struct extent *extent_note_begin(struct builder *builder, const struct node *root)
{
	struct document *document = builder->document;
	struct extent *extent = new_extent(builder);

	document->extents = arena_alloc(document->arena, sizeof(struct extent *));
	if (!extent || !document->extents)
		return NULL;
	extent->node = root;
	document->extents[0] = extent;
	return extent;
}

struct extent *extent_note_add(struct builder *builder, struct extent *in)
{
	struct extent *extent = new_extent(builder);

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
