#include "option_use.h"

#include <errno.h>
#include <stdlib.h>

#include "array.h"
#include "cleanup.h"
#include "strategy.h"
#include "value_bound.h"
#include "value_lock_place.h"

bool option_uses_have(const struct option_uses *uses, const struct node *node)
{
	for (size_t i = 0; i < uses->count; i++)
		if (uses->items[i] == node)
			return true;
	return false;
}

int option_uses_add(struct option_uses *uses, const struct node *node)
{
	if (!node || option_uses_have(uses, node))
		return 0;
	return array_push(uses->items, uses->count, uses->capacity, node);
}

void option_uses_fini(struct option_uses *uses)
{
	free(uses->items);
	*uses = (struct option_uses){0};
}

static int note_lock(struct option_uses *uses, const struct value_lock *lock,
	const struct node *node, const struct value_lock_step *up, const uint64_t *set);

static int note_step(struct option_uses *uses, const struct value_lock *lock,
	const struct node *value, const struct value_lock_step *step, const uint64_t *from)
{
	CLEANUP(freep) uint64_t *set = calloc(value_lock_set_size(lock), sizeof(*set));

	if (!set)
		return -ENOMEM;
	value_lock_set_step(lock, from, step, set);
	return value_lock_set_is_empty(lock, set) ? 0 : note_lock(uses, lock, value, step, set);
}

/* Adds the places of the lock that are in `node`; `set` is the set there. */
static int note_lock(struct option_uses *uses, const struct value_lock *lock,
	const struct node *node, const struct value_lock_step *up, const uint64_t *set)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < lock->word_count; i++)
		if (lock->words[i].kind == VALUE_LOCK_END && (set[i / 64] >> i % 64 & 1))
			r = option_uses_add(uses, lock->words[i].place);
	for (uint32_t i = 0; r == 0 && i < node_count(node); i++) {
		const struct value_lock_step step = {.up = up,
			.key = node_is_map(node) ? node->map.pairs[i].key : NULL,
			.index = i};
		r = note_step(uses, lock, *node_entry(node, i), &step, set);
	}
	return r;
}

/* Returns the places of lock `i`; after the locks, those of the bounds; and then NULL. */
static const struct value_lock *places_at(const struct options *options, size_t i)
{
	size_t count = options->locks ? options->locks->count : 0;

	if (i < count)
		return &options->locks->items[i];
	return i == count && options->bounds ? &options->bounds->places : NULL;
}

static int note_places(
	struct option_uses *uses, const struct options *options, const struct node *root)
{
	const struct value_lock *lock;
	int r = 0;

	for (size_t i = 0; r == 0 && (lock = places_at(options, i)); i++) {
		CLEANUP(freep) uint64_t *set = calloc(value_lock_set_size(lock), sizeof(*set));

		if (!set)
			return -ENOMEM;
		value_lock_set_begin(lock, set);
		r = note_lock(uses, lock, root, NULL, set);
	}
	return r;
}

int option_uses_note(struct option_uses *uses, const struct merge_request *request, size_t input,
	const struct document *document)
{
	const struct options *options = request->options;
	int r = 0;

	for (size_t i = 0; r == 0 && i < document->count; i++)
		r = note_places(uses, options, document->roots[i]);
	if (r == 0 && options->map && options->strategy->note_uses)
		r = options->strategy->note_uses(request, input, document, uses);
	return r;
}

int option_uses_note_result(struct option_uses *uses, const struct merge_request *request,
	const struct merge_result *result)
{
	size_t count;
	const struct node *const *roots = node_documents(&result->root, &count);
	int r = 0;

	for (size_t i = 0; r == 0 && result->root && i < count; i++)
		r = note_places(uses, request->options, roots[i]);
	return r;
}

int option_uses_report_idle(const struct option_uses *uses, const struct options *options,
	int (*report)(void *context, const struct problem *problem), void *context)
{
	const struct value_lock *lock;
	struct problem problem;
	int r = 0;

	if (options->map && options->strategy->report_idle)
		r = options->strategy->report_idle(options, uses, report, context);
	for (size_t i = 0; r == 0 && (lock = places_at(options, i)); i++)
		for (size_t j = 0; r == 0 && j < lock->word_count; j++) {
			const struct value_lock_word *word = &lock->words[j];

			if (word->kind != VALUE_LOCK_END || option_uses_have(uses, word->place))
				continue;
			problem_at(&problem, word->place,
				"the %s of '%s' has no effect yet: no file has a value there; "
				"correct the place if another one is meant",
				lock->layer ? "lock" : "bound", word->place->text.data);
			r = report(context, &problem);
		}
	return r;
}
