#include "origin.h"

#include <errno.h>

#include "origin_bound.h"

/*
 * Removals from one map that are searched: a hostile source may remove all entries of a large one.
 */
#define RESTORE_MAX 256

/*
 * Values that all aliases together are written out to: each source may have as many as its limit.
 */
#define UNSHARED_MAX (2u << 20)

/* The distance of two nodes is at least 2^NODE_BITS bytes. */
#define PAGE_BITS 12
#define NODE_BITS 5
#define PAGE_SLOTS (1u << (PAGE_BITS - NODE_BITS))

/* Slots of the first table; a power of two. */
#define SLOTS_MIN 256

struct origin_slot {
	struct origin origin;   /* must be first; its size is part of the library's interface */
	const struct node *own; /* the source's node that the value is a copy of; NULL: itself */
};

struct origins {
	struct arena *arena;
	struct origin_slot *slots; /* by the address of `value`; NULL: free */
	size_t size;               /* a power of two, at most half full; 0: no table yet */
	size_t count;
	struct origin_piece *first_piece;
	struct origin_piece *last_piece;
	uint64_t unshared; /* values that aliases were written out to, so far */
	bool has_failed;   /* an allocation failed */
};

/* Steps of one value that are searched one by one. */
#define STEPS_FEW 8

/* The places where the steps of one value were read, found by hash. */
struct origin_places {
	const struct node **slots;
	size_t size; /* a power of two, at most half full */
	size_t count;
};

/* A run of steps; the members are those of struct origin. */
struct origin_run {
	struct origin_step *first;
	struct origin_step *last;
	struct origin_step *part;
	struct origin_places *places;
	uint32_t count;
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

/* Returns the slot of `value`, or the free one where it belongs. */
static struct origin_slot *find_slot(
	const struct origin_slot *slots, size_t size, const struct node *value)
{
	/*
	 * Pages are hashed; nodes in a page are neighbours in the table: trees are walked in order.
	 */
	uint64_t address = (uintptr_t)value;
	uint64_t page = (address >> PAGE_BITS) * 0x9e3779b97f4a7c15u >> 32;
	size_t i = (size_t)(page * PAGE_SLOTS + (address >> NODE_BITS) % PAGE_SLOTS) & (size - 1);

	while (slots[i].origin.value && slots[i].origin.value != value)
		i = (i + 1) & (size - 1);
	return (struct origin_slot *)&slots[i];
}

static void grow(struct origins *origins)
{
	size_t size = origins->size ? 4 * origins->size : SLOTS_MIN;
	struct origin_slot *slots = get_memory(origins, size, sizeof(*slots));

	if (!slots)
		return;
	for (size_t i = 0; i < origins->size; i++)
		if (origins->slots[i].origin.value)
			*find_slot(slots, size, origins->slots[i].origin.value) = origins->slots[i];
	origins->slots = slots;
	origins->size = size;
}

const struct origin *origin_of(const struct origins *origins, const struct node *value)
{
	if (!origins || origins->size == 0)
		return NULL;
	const struct origin *found = &find_slot(origins->slots, origins->size, value)->origin;
	return found->value ? found : NULL;
}

/*
 * Returns the entry of `value`, or makes one. Returns NULL when there is no memory. Valid until the
 * next entry is made.
 */
static struct origin *make(struct origins *origins, const struct node *value)
{
	if (2 * (origins->count + 1) > origins->size)
		grow(origins);
	if (origins->has_failed)
		return NULL;
	struct origin *origin = &find_slot(origins->slots, origins->size, value)->origin;
	if (!origin->value) {
		origin->value = value;
		origins->count++;
	}
	return origin;
}

static const struct origin_step *next_step(
	const struct origin_run *steps, const struct origin_step *step)
{
	if (!step)
		return steps->first;
	return step == steps->last ? NULL : step->next;
}

static bool is_same_place(const struct node *a, const struct node *b)
{
	return a == b || (a->source == b->source && a->line == b->line && a->column == b->column);
}

static const struct node **find_place(const struct origin_places *places, const struct node *node)
{
	uint64_t place = (uint64_t)node->line << 32 | node->column;
	uint64_t hash = ((uint64_t)(uintptr_t)node->source ^ place) * 0x9e3779b97f4a7c15u;
	size_t i = (size_t)(hash ^ hash >> 32) & (places->size - 1);

	while (places->slots[i] && !is_same_place(places->slots[i], node))
		i = (i + 1) & (places->size - 1);
	return &places->slots[i];
}

static void grow_places(struct origins *origins, struct origin_places *places)
{
	struct origin_places larger = {.size = places->size ? 4 * places->size : 8 * STEPS_FEW};

	larger.slots = get_memory(origins, larger.size, sizeof(*larger.slots));
	if (!larger.slots)
		return;
	for (size_t i = 0; i < places->size; i++)
		if (places->slots[i])
			*find_place(&larger, places->slots[i]) = places->slots[i];
	larger.count = places->count;
	*places = larger;
}

static void add_place(
	struct origins *origins, struct origin_places *places, const struct node *node)
{
	if (2 * (places->count + 1) > places->size)
		grow_places(origins, places);
	if (origins->has_failed)
		return;
	const struct node **slot = find_place(places, node);
	places->count += !*slot;
	*slot = node;
}

/* Returns whether a contributor among the steps was read at the same place as `node`. */
static bool has_place(struct origins *origins, struct origin_run *steps, const struct node *node)
{
	if (!steps->places && steps->count > STEPS_FEW) {
		steps->places = get_memory(origins, 1, sizeof(*steps->places));
		for (const struct origin_step *each = NULL;
			steps->places && (each = next_step(steps, each));)
			add_place(origins, steps->places, each->value);
	}
	if (origins->has_failed)
		return true;
	if (steps->places)
		return *find_place(steps->places, node);
	for (const struct origin_step *each = NULL; (each = next_step(steps, each));)
		if (is_same_place(each->value, node))
			return true;
	return false;
}

static void append_step(struct origins *origins, struct origin_run *steps, struct origin_step step)
{
	struct origin_step *added = get_memory(origins, 1, sizeof(*added));

	if (!added)
		return;
	*added = step;
	added->next = NULL;
	/* If other steps follow the run, another value began with the same steps: copy the run. */
	if (steps->last && steps->last->next) {
		const struct origin_run old = *steps;

		*steps = (struct origin_run){.places = old.places};
		for (const struct origin_step *each = NULL; (each = next_step(&old, each));)
			append_step(origins, steps, *each);
	}
	if (steps->last)
		steps->last->next = added;
	else
		steps->first = added;
	steps->last = added;
	steps->count++;
	if (step.fate == ORIGIN_PART && !steps->part)
		steps->part = added;
	if (steps->places)
		add_place(origins, steps->places, step.value);
}

/* Puts a step in front of `part`, one of the run's steps. */
static void insert_step(struct origins *origins, struct origin_run *steps, struct origin_step *part,
	struct origin_step step)
{
	struct origin_step *moved = get_memory(origins, 1, sizeof(*moved));

	if (!moved)
		return;
	*moved = *part;
	*part = step;
	part->next = moved;
	if (steps->last == part)
		steps->last = moved;
	steps->count++;
	if (steps->places)
		add_place(origins, steps->places, step.value);
}

static void append_steps(
	struct origins *origins, struct origin_run *steps, const struct origin_run *more)
{
	for (const struct origin_step *each = NULL; (each = next_step(more, each));)
		append_step(origins, steps, *each);
}

static struct origin_run steps_of(const struct origins *origins, const struct node *value)
{
	const struct origin *origin = origin_of(origins, value);

	if (!origin)
		return (struct origin_run){0};
	return (struct origin_run){
		origin->first, origin->last, origin->part, origin->places, origin->count};
}

static void set_steps(
	struct origins *origins, const struct node *value, const struct origin_run *steps)
{
	struct origin *origin = steps->first ? make(origins, value) : NULL;

	if (!origin)
		return;
	origin->first = steps->first;
	origin->last = steps->last;
	origin->part = steps->part;
	origin->places = steps->places;
	origin->count = steps->count;
}

/* Stands in origin_slot.own for a value that the merge made. */
static const struct node of_merge;

/* Returns the value as its source has it, without what the merge has put into it since. */
static const struct node *as_read(const struct origin *origin, const struct node *value)
{
	const struct origin_slot *slot = (const struct origin_slot *)origin;

	return slot && slot->own && slot->own != &of_merge ? slot->own : value;
}

/*
 * Takes the steps of a value that leaves the tree, and adds the value itself, which came before
 * its parts. A value that was made of nothing has no place, and is not added.
 */
static struct origin_run take_steps(struct origins *origins, const struct node *lost,
	enum origin_fate fate, struct origin_why why)
{
	struct origin *origin = (struct origin *)origin_of(origins, lost);
	const struct origin_run known = steps_of(origins, lost);
	struct origin_run steps = known;

	/* Another value may use the steps, which change here. To copy many could take too long. */
	if (known.part && known.count <= ORIGIN_BOUND) {
		steps = (struct origin_run){.places = known.places};
		append_steps(origins, &steps, &known);
	}
	struct origin_step *part = steps.part;
	/* A part of `lost` is lost with it. */
	while (fate == ORIGIN_LOST && steps.part) {
		if (steps.part->fate == ORIGIN_PART) {
			steps.part->fate = ORIGIN_LOST;
			steps.part->why = why;
		}
		steps.part = steps.part == steps.last ? NULL : steps.part->next;
	}
	if (origin)
		origin->places = NULL;
	const struct origin_step own = {.value = as_read(origin, lost), .why = why, .fate = fate};
	if (lost->source && part)
		insert_step(origins, &steps, part, own);
	else if (lost->source)
		append_step(origins, &steps, own);
	return steps;
}

/* Puts the steps of the replaced value in front of the steps of `value`. */
static void put_before(struct origins *origins, const struct node *value, struct origin_run *steps)
{
	const struct origin_run own = steps_of(origins, value);

	append_steps(origins, steps, &own);
	set_steps(origins, value, steps);
}

void origin_replace(struct origins *origins, const struct node *value, const struct node *lost,
	struct origin_why why)
{
	if (!origins || !lost || lost == value)
		return;
	struct origin_run steps = take_steps(origins, lost, ORIGIN_LOST, why);
	put_before(origins, value, &steps);
}

void origin_take_over(struct origins *origins, const struct node *value, const struct node *before,
	enum origin_fate fate, struct origin_why why)
{
	if (!origins || before == value)
		return;
	struct origin_run steps = take_steps(origins, before, fate, why);
	put_before(origins, value, &steps);

	const struct origin *known = origin_of(origins, before);
	struct origin_removed *removed = known ? known->removed : NULL;
	struct origin *origin = removed ? make(origins, value) : NULL;
	if (!origin)
		return;
	struct origin_removed **end = &origin->removed;
	while (*end)
		end = &(*end)->next;
	*end = removed;
}

/* Adds `step` as a contributor of `value`; `value` has it as a part of another value. */
static void note_step(struct origins *origins, const struct node *value, struct origin_run *steps,
	struct origin_step step)
{
	if (!is_same_place(step.value, value) && !has_place(origins, steps, step.value))
		append_step(origins, steps, step);
}

void origin_note(struct origins *origins, const struct node *value, const struct node *other,
	enum origin_fate fate, struct origin_why why)
{
	if (!origins || !value || !other || value == other)
		return;
	struct origin_run steps = steps_of(origins, value);
	const struct origin_run more = steps_of(origins, other);
	const struct origin_step own = {
		.value = as_read(origin_of(origins, other), other), .why = why, .fate = fate};

	for (const struct origin_step *each = NULL; (each = next_step(&more, each));) {
		struct origin_step step = *each;

		if (each == more.part && other->source)
			note_step(origins, value, &steps, own);
		if (fate == ORIGIN_LOST && step.fate == ORIGIN_PART) {
			step.fate = fate;
			step.why = why;
		}
		note_step(origins, value, &steps, step);
	}
	if (other->source && !more.part)
		note_step(origins, value, &steps, own);
	set_steps(origins, value, &steps);
}

void origin_move(struct origins *origins, const struct node *from, const struct node *to)
{
	if (!origins || from == to)
		return;
	struct origin_slot *slot = (struct origin_slot *)origin_of(origins, from);
	struct origin_slot *known = slot ? slot : (struct origin_slot *)origin_of(origins, to);
	struct origin_slot moved = known ? *known : (struct origin_slot){0};
	if (!slot || !moved.own)
		moved.own = from;
	if (!moved.own->source || !is_same_place(moved.own, to))
		moved.own = &of_merge;
	moved.origin.value = to;
	if (slot)
		slot->origin.places = NULL;
	slot = (struct origin_slot *)make(origins, to);
	if (slot)
		*slot = moved;
}

void origin_remove(struct origins *origins, const struct node *from, const struct node *key,
	const struct node *lost, struct origin_why why)
{
	if (!origins || !lost)
		return;
	struct origin_removed *removed = get_memory(origins, 1, sizeof(*removed));
	struct origin_run steps = take_steps(origins, lost, ORIGIN_LOST, why);
	struct origin *origin = make(origins, from);

	if (!removed || !origin)
		return;
	if (why.by)
		append_step(origins, &steps,
			(struct origin_step){.value = why.by, .why = why, .fate = ORIGIN_REMOVED});
	*removed = (struct origin_removed){
		origin->removed, key, steps.first, steps.last, steps.count, steps.places};
	origin->removed = removed;
}

/* Returns the link to the removal of `key`, or NULL if it is not recorded. */
static struct origin_removed **find_removed(
	struct origins *origins, const struct node *in, const struct node *key)
{
	struct origin *origin = origins ? (struct origin *)origin_of(origins, in) : NULL;

	if (!origin)
		return NULL;
	struct origin_removed **link = &origin->removed;
	for (unsigned i = 0; *link && !node_equal((*link)->key, key); i++) {
		if (i == RESTORE_MAX)
			return NULL;
		link = &(*link)->next;
	}
	return *link ? link : NULL;
}

void origin_restore(struct origins *origins, const struct node *in, const struct node *key,
	const struct node *value)
{
	struct origin_removed **link = find_removed(origins, in, key);

	if (!link)
		return;
	struct origin_run steps = {.first = (*link)->first,
		.last = (*link)->last,
		.places = (*link)->places,
		.count = (*link)->count};
	*link = (*link)->next;
	put_before(origins, value, &steps);
}

void origin_forget(struct origins *origins, const struct node *in, const struct node *key)
{
	struct origin_removed **link = find_removed(origins, in, key);

	if (link)
		*link = (*link)->next;
}

void origin_import(struct origins *origins, const struct origins *others, const struct node *value,
	const struct node *copy)
{
	const struct origin *known = origins ? origin_of(others, value) : NULL;
	struct origin *origin = known ? make(origins, copy) : NULL;

	if (!origin)
		return;
	*origin = *known;
	origin->value = copy;
	origin->places = NULL;
}

void origin_text(struct origins *origins, size_t offset, size_t len, const struct source *source)
{
	origin_text_at(origins, offset, len, source, 1);
}

void origin_text_at(struct origins *origins, size_t offset, size_t len, const struct source *source,
	uint32_t line)
{
	struct origin_piece *piece =
		origins && len > 0 ? get_memory(origins, 1, sizeof(*piece)) : NULL;

	if (!piece)
		return;
	*piece =
		(struct origin_piece){.offset = offset, .len = len, .source = source, .line = line};
	if (origins->last_piece)
		origins->last_piece->next = piece;
	else
		origins->first_piece = piece;
	origins->last_piece = piece;
}

const struct origin_step *origin_next(const struct origin *origin, const struct origin_step *step)
{
	const struct origin_run steps = {.first = origin->first, .last = origin->last};

	return next_step(&steps, step);
}

const struct origin_step *origin_removed_next(
	const struct origin_removed *removed, const struct origin_step *step)
{
	const struct origin_run steps = {.first = removed->first, .last = removed->last};

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
	for (uint32_t i = 0; i < node_count(node); i++) {
		*node_entry(copy, i) = copy_tree(arena, *node_entry(node, i));
		if (!*node_entry(copy, i))
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
	for (size_t i = 0; i < document->count; i++)
		origins->unshared += document->roots[i]->weight;
	if (origins->unshared > UNSHARED_MAX)
		return -EFBIG;
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
