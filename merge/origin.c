#include "origin.h"

#include <errno.h>

/* Of what was removed from one map, so many are looked at: a hostile source may remove all it has. */
#define RESTORE_MAX 256

/* Slots of the first table; a power of two. */
#define SLOTS_MIN 256

struct origins {
	struct arena *arena;
	struct origin *slots; /* by the address of `value`; NULL: free */
	size_t size;          /* a power of two, at most half full; 0: no table yet */
	size_t count;
	struct origin_piece *first_piece;
	struct origin_piece *last_piece;
	bool has_failed; /* for lack of memory */
};

/* A run of steps, as in struct origin. */
struct steps {
	struct origin_step *first;
	struct origin_step *last;
};

struct origins *origins_new(struct arena *arena)
{
	struct origins *origins = arena_zalloc(arena, 1, sizeof(*origins));

	if (origins)
		origins->arena = arena;
	return origins;
}

int origins_check(const struct origins *origins)
{
	return origins && origins->has_failed ? -ENOMEM : 0;
}

static void *get_memory(struct origins *origins, size_t count, size_t size)
{
	void *memory = arena_zalloc(origins->arena, count, size);

	if (!memory)
		origins->has_failed = true;
	return memory;
}

/* The slot of `value`, or the one that is free for it. */
static struct origin *find_slot(
	const struct origin *slots, size_t size, const struct node *value)
{
	/* Fibonacci hashing: nodes lie at equal distances. */
	uint64_t hash = (uint64_t)(uintptr_t)value * 0x9e3779b97f4a7c15u;
	size_t i = (size_t)(hash >> 32) & (size - 1);

	while (slots[i].value && slots[i].value != value)
		i = (i + 1) & (size - 1);
	return (struct origin *)&slots[i];
}

static void grow(struct origins *origins)
{
	size_t size = origins->size ? 4 * origins->size : SLOTS_MIN;
	struct origin *slots = get_memory(origins, size, sizeof(*slots));

	if (!slots)
		return;
	for (size_t i = 0; i < origins->size; i++)
		if (origins->slots[i].value)
			*find_slot(slots, size, origins->slots[i].value) = origins->slots[i];
	origins->slots = slots;
	origins->size = size;
}

const struct origin *origin_of(const struct origins *origins, const struct node *value)
{
	if (!origins || origins->size == 0)
		return NULL;
	const struct origin *found = find_slot(origins->slots, origins->size, value);
	return found->value ? found : NULL;
}

/* What is known of `value`, or a new entry. NULL: no memory. Good until the next one is made. */
static struct origin *make(struct origins *origins, const struct node *value)
{
	if (2 * (origins->count + 1) > origins->size)
		grow(origins);
	if (origins->has_failed)
		return NULL;
	struct origin *origin = find_slot(origins->slots, origins->size, value);
	if (!origin->value) {
		origin->value = value;
		origins->count++;
	}
	return origin;
}

static const struct origin_step *next_step(
	const struct steps *steps, const struct origin_step *step)
{
	if (!step)
		return steps->first;
	return step == steps->last ? NULL : step->next;
}

static void append_step(struct origins *origins, struct steps *steps, struct origin_step step)
{
	struct origin_step *added = get_memory(origins, 1, sizeof(*added));

	if (!added)
		return;
	*added = step;
	added->next = NULL;
	/* What goes on behind a run belongs to another value that began with the same steps. */
	if (steps->last && steps->last->next) {
		const struct steps old = *steps;

		*steps = (struct steps){NULL, NULL};
		for (const struct origin_step *each = NULL; (each = next_step(&old, each));)
			append_step(origins, steps, *each);
	}
	if (steps->last)
		steps->last->next = added;
	else
		steps->first = added;
	steps->last = added;
}

static void append_steps(struct origins *origins, struct steps *steps, const struct steps *more)
{
	if (!more->first)
		return;
	if (!steps->first) {
		*steps = *more;
		return;
	}
	for (const struct origin_step *each = NULL; (each = next_step(more, each));)
		append_step(origins, steps, *each);
}

static struct steps steps_of(const struct origins *origins, const struct node *value)
{
	const struct origin *origin = origin_of(origins, value);

	return origin ? (struct steps){origin->first, origin->last} : (struct steps){NULL, NULL};
}

/* `value` itself, behind what is known of it. What was made of nothing has no place to tell. */
static void append_value(struct origins *origins, struct steps *steps, const struct node *value,
	enum origin_fate fate, struct origin_why why)
{
	const struct steps before = steps_of(origins, value);

	append_steps(origins, steps, &before);
	if (value->source)
		append_step(origins, steps,
			(struct origin_step){.value = value, .why = why, .fate = fate});
}

static void set_steps(struct origins *origins, const struct node *value, const struct steps *steps)
{
	struct origin *origin = make(origins, value);

	if (!origin)
		return;
	origin->first = steps->first;
	origin->last = steps->last;
}

void origin_replace(struct origins *origins, const struct node *value, const struct node *lost,
	struct origin_why why)
{
	if (!origins || !lost || lost == value)
		return;
	struct steps steps = {NULL, NULL};
	const struct steps own = steps_of(origins, value);

	append_value(origins, &steps, lost, ORIGIN_LOST, why);
	append_steps(origins, &steps, &own);
	if (steps.first)
		set_steps(origins, value, &steps);
}

void origin_note(struct origins *origins, const struct node *value, const struct node *other,
	enum origin_fate fate, struct origin_why why)
{
	if (!origins || !value || !other || value == other)
		return;
	struct steps steps = steps_of(origins, value);

	append_value(origins, &steps, other, fate, why);
	if (steps.first)
		set_steps(origins, value, &steps);
}

void origin_move(struct origins *origins, const struct node *from, const struct node *to)
{
	const struct origin *origin = origins ? origin_of(origins, from) : NULL;

	if (!origin || from == to)
		return;
	const struct origin known = *origin;
	struct origin *moved = make(origins, to);
	if (!moved)
		return;
	moved->first = known.first;
	moved->last = known.last;
	moved->removed = known.removed;
}

void origin_remove(struct origins *origins, const struct node *from, const struct node *key,
	const struct node *lost, struct origin_why why)
{
	if (!origins || !lost)
		return;
	struct origin_removed *removed = get_memory(origins, 1, sizeof(*removed));
	struct origin *origin = make(origins, from);
	struct steps steps = {NULL, NULL};

	if (!removed || !origin)
		return;
	append_value(origins, &steps, lost, ORIGIN_LOST, why);
	if (why.by)
		append_step(origins, &steps,
			(struct origin_step){
				.value = why.by, .why = why, .fate = ORIGIN_REMOVED});
	*removed = (struct origin_removed){origin->removed, key, steps.first, steps.last};
	origin->removed = removed;
}

void origin_restore(struct origins *origins, const struct node *in, const struct node *key,
	const struct node *value)
{
	const struct origin *origin = origins ? origin_of(origins, in) : NULL;

	if (!origin)
		return;
	struct origin_removed **link = &((struct origin *)origin)->removed;
	for (unsigned i = 0; *link && !node_equal((*link)->key, key); i++) {
		if (i == RESTORE_MAX)
			return;
		link = &(*link)->next;
	}
	if (!*link)
		return;
	const struct steps steps = {(*link)->first, (*link)->last};
	*link = (*link)->next;
	set_steps(origins, value, &steps);
}

void origin_text(struct origins *origins, size_t offset, size_t len, const struct source *source)
{
	struct origin_piece *piece =
		origins && len > 0 ? get_memory(origins, 1, sizeof(*piece)) : NULL;

	if (!piece)
		return;
	*piece = (struct origin_piece){.offset = offset, .len = len, .source = source};
	if (origins->last_piece)
		origins->last_piece->next = piece;
	else
		origins->first_piece = piece;
	origins->last_piece = piece;
}

const struct origin_step *origin_next(const struct origin *origin, const struct origin_step *step)
{
	const struct steps steps = {origin->first, origin->last};

	return next_step(&steps, step);
}

const struct origin_step *origin_removed_next(
	const struct origin_removed *removed, const struct origin_step *step)
{
	const struct steps steps = {removed->first, removed->last};

	return next_step(&steps, step);
}

const struct origin_piece *origin_pieces(const struct origins *origins)
{
	return origins ? origins->first_piece : NULL;
}

static const struct node *copy_tree(struct arena *arena, const struct node *node)
{
	struct node *copy = node_copy(arena, node);

	if (!copy || node_is_scalar(node))
		return copy;
	for (uint32_t i = 0; node_is_sequence(node) && i < node->seq.count; i++) {
		copy->seq.items[i] = copy_tree(arena, node->seq.items[i]);
		if (!copy->seq.items[i])
			return NULL;
	}
	for (uint32_t i = 0; node_is_map(node) && i < node->map.count; i++) {
		struct pair *pair = &copy->map.pairs[i];

		pair->value = copy_tree(arena, pair->value);
		if (!pair->value)
			return NULL;
	}
	return copy;
}

int origins_unshare(
	struct origins *origins, const struct document *document, const struct document **ret)
{
	*ret = document;
	if (!origins || !document->has_aliases)
		return 0;
	struct document *copy = get_memory(origins, 1, sizeof(*copy));
	if (!copy)
		return -ENOMEM;
	*copy = *document;
	copy->arena = NULL;
	copy->roots = get_memory(origins, document->count + 1, sizeof(*copy->roots));
	for (size_t i = 0; copy->roots && i < document->count; i++) {
		copy->roots[i] = copy_tree(origins->arena, document->roots[i]);
		if (!copy->roots[i])
			return -ENOMEM;
	}
	if (!copy->roots)
		return -ENOMEM;
	*ret = copy;
	return 0;
}
