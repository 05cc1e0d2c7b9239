#include "past.h"

#include <stdlib.h>

#define SIZE_FIRST 256

/* The place of a path, or the free one where it would be. */
static struct past_item *place_of(const struct past *past, uint64_t path)
{
	size_t at = (size_t)(path ^ path >> 32) & (past->size - 1);

	while (past->items[at].path && past->items[at].path != path)
		at = (at + 1) & (past->size - 1);
	return &past->items[at];
}

static void grow(struct past *past)
{
	struct past larger = {.size = past->size ? past->size * 2 : SIZE_FIRST};

	if (past->count >= PAST_MAX) {
		past_fini(past);
		larger.size = SIZE_FIRST;
	}
	larger.items = calloc(larger.size, sizeof(*larger.items));
	if (!larger.items)
		return;
	for (size_t i = 0; i < past->size; i++)
		if (past->items[i].path)
			*place_of(&larger, past->items[i].path) = past->items[i];
	larger.count = past->count;
	free(past->items);
	*past = larger;
}

void past_note(struct past *past, const struct past_item *item)
{
	if (past->count * 2 >= past->size)
		grow(past);
	/* One place must stay free, or a search would not end. */
	if (past->count + 1 >= past->size)
		return;
	struct past_item *place = place_of(past, item->path);
	past->count += !place->path;
	*place = *item;
}

const struct past_item *past_of(const struct past *past, uint64_t path)
{
	if (!past->size)
		return NULL;
	const struct past_item *item = place_of(past, path);
	return item->path ? item : NULL;
}

void past_fini(struct past *past)
{
	free(past->items);
	*past = (struct past){0};
}
