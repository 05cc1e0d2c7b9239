#include "value_lock.h"

#include <errno.h>
#include <limits.h>

#include "strategy.h"
#include "value_bound.h"
#include "value_lock_enforce.h"

/* A lock has an effect only if an input above its layer is merged in. A bound checks any input. */
bool value_locks_bind(const struct merge_request *request)
{
	const struct value_locks *locks = request->options->locks;

	if (request->options->bounds)
		return true;
	for (size_t i = 0; locks && i < locks->count; i++)
		for (size_t j = 0; j < request->count; j++)
			if (request->inputs[j].source.rank > locks->items[i].rank)
				return true;
	return false;
}

/* An environment that finds only files of the layers up to one. */
struct lower {
	struct merge_environment callbacks;
	const struct merge *merge;
	unsigned rank;
};

static int take_lower(const struct merge_input *inputs, size_t count, unsigned rank,
	struct arena *arena, const struct merge_input **ret, size_t *ret_count)
{
	struct merge_input *lower = arena_zalloc(arena, count + 1, sizeof(*lower));

	if (!lower)
		return -ENOMEM;
	*ret_count = 0;
	for (size_t i = 0; i < count; i++)
		if (inputs[i].source.rank <= rank)
			lower[(*ret_count)++] = inputs[i];
	*ret = lower;
	return 0;
}

static int find_lower(void *context, const char *directory, const char *name,
	const struct merge_input **ret, size_t *count, struct problem *problem)
{
	const struct lower *lower = context;
	const struct merge *merge = lower->merge;
	/* The file that the whole merge found. If only higher layers have that, a new source. */
	const struct merge_environment *asked[] = {merge->asked, merge->request->environment};
	size_t below[] = {0, lower->rank + 1};
	int r = 0;

	*count = 0;
	for (size_t i = 0; r == 0 && *count == 0 && i < 2; i++) {
		const struct merge_input *all;
		size_t all_count = below[i];

		r = asked[i]->find(asked[i]->context, directory, name, &all, &all_count, problem);
		if (r == 0)
			r = take_lower(all, all_count, lower->rank, merge->arena, ret, count);
	}
	return r == 0 && *count == 0 ? MERGE_ABSENT : r;
}

int value_lock_merge_part(const struct merge *merge, const struct merge_input *inputs, size_t count,
	const struct merge_environment *environment, struct origins *origins,
	struct problem *problem, const struct node **ret)
{
	struct merge_request request = *merge->request;
	struct merge part = *merge;
	struct merge_output output = {0};

	request.inputs = part.inputs = inputs;
	request.count = part.count = count;
	request.wants_tree = true;
	request.warn = NULL;
	request.environment = environment;
	part.request = &request;
	part.origins = origins;
	part.problem = problem;
	int r = merge->request->options->strategy->merge(&part, &output);
	*ret = output.root;
	return r == 0 ? origins_check(origins) : r;
}

int value_lock_match_document(const struct merge *merge, const struct node *root, size_t n,
	const struct node *const *roots, size_t count, struct arena *scratch, size_t *ret)
{
	const struct merge_request *asked = merge->request;
	struct merge_request request = *asked;
	const struct node *named;

	request.inputs = merge->inputs;
	*ret = count;
	if (count == 0 || !roots[0])
		return 0;
	return asked->options->strategy->match_document(
		&request, root, n, roots, count, scratch, ret, &named);
}

/* Merges the layers up to the lock's, by the same rule. *ret is NULL for nothing. */
static int merge_lower(
	struct merge *merge, const struct value_lock *lock, struct value_lock_enforcement *keep)
{
	const struct merge_input *inputs;
	struct lower lower = {
		.callbacks = {.find = find_lower, .context = &lower},
		.merge = merge,
		.rank = lock->rank,
	};
	size_t count;

	int r = take_lower(merge->inputs, merge->count, lock->rank, merge->arena, &inputs, &count);
	if (r < 0 || count == 0)
		return r;
	keep->low_origins = merge->origins ? origins_new(merge->arena) : NULL;
	if (merge->origins && !keep->low_origins)
		return -ENOMEM;
	r = value_lock_merge_part(merge, inputs, count, merge->asked ? &lower.callbacks : NULL,
		keep->low_origins, merge->problem, &keep->low);
	if (r != PROBLEM)
		return r;
	struct problem own = *merge->problem;

	return problem_set(merge->problem, own.source, own.line, own.column,
		"the values that the layer '%s' locks are unknown, because the layers up to it do "
		"not merge: %s",
		lock->layer->text.data, own.message);
}

static bool is_deeper(const struct node *node, unsigned depth)
{
	bool is_found = !node_is_scalar(node) && depth == 0;

	for (uint32_t i = 0; !is_found && i < node_count(node); i++)
		is_found = is_deeper(*node_entry(node, i), depth - 1);
	return is_found;
}

/* A comparison could take very long, or overflow the stack. */
int value_lock_check_size(struct merge *merge, const struct node *root)
{
	const struct limits *limits = &merge->request->limits;
	const char *name = merge->inputs[merge->count - 1].source.name;

	if (root && root->weight > limits->nodes)
		return problem_set(merge->problem, name, 0, 0,
			"the merged file has more than %u values; raise the limit 'nodes'",
			(unsigned)limits->nodes);
	if (root && is_deeper(root, limits->depth))
		return problem_set(merge->problem, name, 0, 0,
			"the merged file has more than %u maps and lists in each other; raise the "
			"limit 'depth'",
			limits->depth);
	return 0;
}

/*
 * Returns whether a source of the result, including files that the strategy found, is above the
 * lock's layer.
 */
static bool has_above(const struct merge_result *result, const struct value_lock *lock)
{
	for (uint32_t i = 0; i < result->source_count; i++)
		if (result->sources[i]->rank > lock->rank)
			return true;
	return false;
}

static int keep_lock(struct merge *merge, const struct value_lock *lock, const struct node **root)
{
	struct value_lock_enforcement keep = {.merge = merge, .lock = lock};

	if (!has_above(merge->result, lock))
		return 0;
	int r = value_lock_check_size(merge, *root);
	if (r == 0)
		r = merge_lower(merge, lock, &keep);
	if (r == 0)
		r = value_lock_check_size(merge, keep.low);
	return r == 0 ? value_lock_enforce(&keep, root) : r;
}

static const struct value_lock *next_lower(const struct value_locks *locks, unsigned rank)
{
	const struct value_lock *found = NULL;

	for (size_t i = 0; i < locks->count; i++)
		if (locks->items[i].rank < rank && (!found || locks->items[i].rank > found->rank))
			found = &locks->items[i];
	return found;
}

int value_locks_merge(struct merge *merge, struct merge_output *ret, bool *is_changed)
{
	const struct strategy *strategy = merge->request->options->strategy;
	const struct value_locks *locks = merge->request->options->locks;
	struct merge_request request = *merge->request;
	struct merge whole = *merge;

	/* If something is locked or bounded, the bytes of an only source must not be the result. */
	request.wants_tree |= value_locks_bind(merge->request);
	whole.request = &request;
	int r = strategy->merge(&whole, ret);
	const struct node *made = ret->root;

	/* The lowest lock comes last, so that it wins. */
	const struct value_lock *lock = locks ? next_lower(locks, UINT_MAX) : NULL;
	for (; r == 0 && lock && !ret->text.data; lock = next_lower(locks, lock->rank))
		r = keep_lock(&whole, lock, &ret->root);
	if (r == 0 && merge->request->options->bounds && !ret->text.data)
		r = value_bounds_apply(&whole, &ret->root);
	*is_changed = ret->root != made;
	return r;
}
