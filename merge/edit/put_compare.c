#include <errno.h>

#include "edit_tree.h"
#include "put.h"

/* Greatest number of cells in the table that compares two lists; larger lists are replaced as a
 * whole. */
#define TABLE_MAX (1u << 22)

struct put_comparison {
	struct arena *arena;
	struct edit_op *ops;
	uint32_t count;
	uint32_t capacity;
	struct edit_step *steps; /* the path to the values that are compared */
	uint32_t depth;
	uint32_t step_capacity;
	size_t document; /* of `present` */
};

static int push_step(struct put_comparison *comparison, struct edit_step step)
{
	return arena_push(comparison->arena, comparison->steps, comparison->depth,
		comparison->step_capacity, step);
}

static int add(struct put_comparison *comparison, enum edit_kind kind, const struct node *value)
{
	size_t size = comparison->depth * sizeof(struct edit_step);
	struct edit_step *steps = arena_alloc(comparison->arena, size + 1);

	if (!steps)
		return -ENOMEM;
	if (size)
		memcpy(steps, comparison->steps, size);
	return arena_push(comparison->arena, comparison->ops, comparison->count,
		comparison->capacity,
		(struct edit_op){.kind = kind,
			.document = comparison->document,
			.steps = steps,
			.count = comparison->depth,
			.value = value});
}

static int add_at(struct put_comparison *comparison, struct edit_step step, enum edit_kind kind,
	const struct node *value)
{
	int r = push_step(comparison, step);

	if (r == 0)
		r = add(comparison, kind, value);
	comparison->depth--;
	return r;
}

static int compare(
	struct put_comparison *comparison, const struct node *present, const struct node *wanted);

static int compare_at(struct put_comparison *comparison, struct edit_step step,
	const struct node *present, const struct node *wanted)
{
	int r = push_step(comparison, step);

	if (r == 0)
		r = compare(comparison, present, wanted);
	comparison->depth--;
	return r;
}

static int compare_maps(
	struct put_comparison *comparison, const struct node *present, const struct node *wanted)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < wanted->map.count; i++) {
		const struct pair *pair = &wanted->map.pairs[i];
		const struct pair *old = node_find_hashed(present, pair->key, pair->hash);
		struct edit_step step = {.key = old ? old->key : pair->key};

		r = old ? compare_at(comparison, step, old->value, pair->value)
			: add_at(comparison, step, EDIT_SET, pair->value);
	}
	for (uint32_t i = 0; r == 0 && i < present->map.count; i++) {
		const struct pair *pair = &present->map.pairs[i];

		if (!node_find_hashed(wanted, pair->key, pair->hash))
			r = add_at(comparison, (struct edit_step){.key = pair->key}, EDIT_REMOVE,
				NULL);
	}
	return r;
}

/* The part in which two lists differ. */
struct put_stretch {
	const struct node *present;
	const struct node *wanted;
	uint32_t first; /* its first index, in both lists */
	uint32_t old;   /* number of items */
	uint32_t new;
};

static bool is_same_item(const struct put_stretch *stretch, uint32_t i, uint32_t j)
{
	return edit_same(stretch->present->seq.items[stretch->first + i],
		stretch->wanted->seq.items[stretch->first + j], false);
}

/*
 * Makes the classical table of the longest common subsequence: [i * (new + 1) + j] is how many
 * items the first `i` and the first `j` have in common, in order. Returns NULL without memory.
 */
static uint32_t *make_table(const struct put_stretch *stretch, struct arena *arena)
{
	size_t width = stretch->new + 1;
	uint32_t *table = arena_zalloc(arena, (stretch->old + 1) * width, sizeof(*table));

	for (uint32_t i = 1; table && i <= stretch->old; i++)
		for (uint32_t j = 1; j <= stretch->new; j++) {
			uint32_t up = table[(i - 1) * width + j], left = table[i * width + j - 1];

			if (is_same_item(stretch, i - 1, j - 1))
				table[i * width + j] = table[(i - 1) * width + j - 1] + 1;
			else
				table[i * width + j] = up > left ? up : left;
		}
	return table;
}

/*
 * Replaces the items [old_first, old_end) by [new_first, new_end); they have no item in common. It
 * proceeds from the end, so that no index changes before it is used.
 */
static int replace_items(struct put_comparison *comparison, const struct put_stretch *stretch,
	const uint32_t old[2], const uint32_t new[2])
{
	const struct node *const *wanted = stretch->wanted->seq.items + stretch->first;
	uint32_t old_count = old[1] - old[0], new_count = new[1] - new[0];
	uint32_t both = old_count < new_count ? old_count : new_count;
	int r = 0;

	for (uint32_t i = old_count; r == 0 && i > both; i--)
		r = add_at(comparison, (struct edit_step){.index = stretch->first + old[0] + i - 1},
			EDIT_REMOVE, NULL);
	for (uint32_t i = new_count; r == 0 && i > both; i--)
		r = add_at(comparison, (struct edit_step){.index = stretch->first + old[0] + both},
			EDIT_INSERT, wanted[new[0] + i - 1]);
	for (uint32_t i = both; r == 0 && i-- > 0;) {
		uint32_t index = stretch->first + old[0] + i;

		r = compare_at(comparison, (struct edit_step){.index = index},
			stretch->present->seq.items[index], wanted[new[0] + i]);
	}
	return r;
}

static int compare_lists(
	struct put_comparison *comparison, const struct node *present, const struct node *wanted)
{
	const struct edit_stretch found = edit_find_stretch(present, wanted);
	const struct put_stretch stretch = {
		.present = present,
		.wanted = wanted,
		.first = found.first,
		.old = found.old_end - found.first,
		.new = found.new_end - found.first,
	};
	size_t width = stretch.new + 1;
	uint32_t old[2] = {stretch.old, stretch.old}, new[2] = {stretch.new, stretch.new};
	int r = 0;

	if ((uint64_t)(stretch.old + 1) * width > TABLE_MAX)
		return add(comparison, EDIT_SET, wanted);
	const uint32_t *table = make_table(&stretch, comparison->arena);
	if (!table)
		return -ENOMEM;
	while (r == 0 && (old[0] || new[0])) {
		uint32_t here = table[old[0] * width + new[0]];

		if (old[0] && table[(old[0] - 1) * width + new[0]] == here) {
			old[0]--;
		} else if (new[0] && table[old[0] * width + new[0] - 1] == here) {
			new[0]--;
		} else {
			r = replace_items(comparison, &stretch, old, new);
			old[0] = old[1] = old[0] - 1;
			new[0] = new[1] = new[0] - 1;
		}
	}
	return r == 0 ? replace_items(comparison, &stretch, old, new) : r;
}

static int compare(
	struct put_comparison *comparison, const struct node *present, const struct node *wanted)
{
	if (edit_same(present, wanted, false))
		return 0;
	if (present->kind != wanted->kind || node_is_scalar(wanted))
		return add(comparison, EDIT_SET, wanted);
	return node_is_map(wanted) ? compare_maps(comparison, present, wanted)
				   : compare_lists(comparison, present, wanted);
}

static int compare_roots(
	struct put_comparison *comparison, const struct node *present, const struct node *wanted)
{
	int r = 0;

	if (present && wanted)
		r = compare(comparison, present, wanted);
	else if (wanted)
		r = add(comparison, EDIT_SET, wanted);
	else if (present && node_is_map(present))
		for (uint32_t i = 0; r == 0 && i < present->map.count; i++)
			r = add_at(comparison, (struct edit_step){.key = present->map.pairs[i].key},
				EDIT_REMOVE, NULL);
	else if (present)
		r = add(comparison, EDIT_REMOVE, NULL);
	return r;
}

/* Returns the index of the document in `in` that `stream` has at `i`; in->count: there is none. */
static size_t find_document(const struct stream *stream, size_t i, const struct stream *in)
{
	const struct node *name = stream->names ? stream->names[i] : NULL;

	if (name)
		return stream_find_named(in, name);
	return i < in->count && !(in->names && in->names[i]) ? i : in->count;
}

/* Compares files of which one has several documents at least. */
static int compare_documents(struct put_comparison *comparison, const struct stream *present,
	const struct stream *wanted)
{
	size_t more = present->count;
	int r = 0;

	for (size_t i = 0; r == 0 && i < wanted->count; i++) {
		comparison->document = find_document(wanted, i, present);
		if (comparison->document < present->count)
			r = compare(
				comparison, present->roots[comparison->document], wanted->roots[i]);
	}
	for (size_t i = 0; r == 0 && i < wanted->count; i++) {
		if (find_document(wanted, i, present) < present->count)
			continue;
		comparison->document = more++;
		r = add(comparison, EDIT_SET, wanted->roots[i]);
	}
	/* The last goes first, so that no index changes before it is used. */
	for (size_t i = present->count; r == 0 && i-- > 0;) {
		comparison->document = i;
		if (find_document(present, i, wanted) == wanted->count)
			r = add(comparison, EDIT_REMOVE, NULL);
	}
	return r;
}

int put_compare(const struct stream *present, const struct stream *wanted, struct arena *arena,
	struct edit_op **ret, size_t *count)
{
	struct put_comparison comparison = {.arena = arena};
	bool is_stream = present->count > 1 || (present->count && wanted->count > 1);
	int r = is_stream ? compare_documents(&comparison, present, wanted)
			  : compare_roots(&comparison, present->count ? present->roots[0] : NULL,
				    wanted->count ? wanted->roots[0] : NULL);

	*ret = comparison.ops;
	*count = comparison.count;
	return r;
}
