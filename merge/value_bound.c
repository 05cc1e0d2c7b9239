#include "value_bound.h"

#include <errno.h>

#include "cleanup.h"
#include "scalar.h"
#include "value_bound_fold.h"
#include "value_lock_enforce.h"
#include "word.h"

#define FORM                                                                                       \
	"'bounds' is a map of places to bounds, such as {permissions.deny: union, mode: "          \
	"{at_most: [off, ask, allow]}}"

/* Maximum of the words of a scale: each value is compared with them. */
#define SCALE_MAX 256

static const char *const names[] = {"union", "intersect", "max", "min", "at_most", "and", "or"};

const char *value_bound_name(const struct value_bound *bound)
{
	return names[bound->kind];
}

static int read_scale(const struct node *map, const struct node **ret, struct problem *problem)
{
	const struct node *scale = node_is_map(map) ? node_get(map, "at_most") : NULL;
	bool is_scale = scale && map->map.count == 1 && node_is_sequence(scale) &&
			scale->seq.count >= 2 && scale->seq.count <= SCALE_MAX;

	for (uint32_t i = 0; is_scale && i < scale->seq.count; i++) {
		const struct node *word = scale->seq.items[i];

		is_scale = node_is_scalar(word) && !scalar_is_null(word);
		for (uint32_t j = 0; is_scale && j < i; j++)
			if (span_equal(scale->seq.items[j]->text, word->text))
				return problem_at(problem, word,
					"'%s' is twice on the scale; remove one", word->text.data);
	}
	*ret = scale;
	return is_scale ? 0
			: problem_at(problem, map,
				  "a scale is {at_most: [off, ask, allow]}: 2 to %d words, the "
				  "strictest first",
				  SCALE_MAX);
}

static int read_bound(const struct pair *pair, struct value_bound *ret, struct problem *problem)
{
	*ret = (struct value_bound){.place = pair->key};
	if (!node_is_scalar(pair->key) || scalar_is_null(pair->key))
		return problem_at(problem, pair->key, FORM);
	if (node_is_map(pair->value)) {
		ret->kind = VALUE_BOUND_AT_MOST;
		return read_scale(pair->value, &ret->scale, problem);
	}
	if (!node_is_scalar(pair->value))
		return problem_at(problem, pair->value, FORM);
	int kind = word_index(VALUE_BOUND_NAMES, pair->value->text);
	if (kind == VALUE_BOUND_AT_MOST)
		return read_scale(pair->value, &ret->scale, problem);
	if (kind < 0)
		return problem_at(problem, pair->value,
			"there is no bound '%s'; the bounds are " VALUE_BOUND_NAMES,
			pair->value->text.data);
	ret->kind = (enum value_bound_kind)kind;
	return 0;
}

/* Refuses bound `n` if it contradicts one before it. */
static int check_others(
	const struct value_bounds *bounds, size_t n, struct arena *arena, struct problem *problem)
{
	const struct value_bound *bound = &bounds->items[n];

	for (size_t i = 0; i < n; i++) {
		const struct value_bound *other = &bounds->items[i];
		bool is_met = false;

		if (other->kind == bound->kind &&
			(!bound->scale || node_equal(bound->scale, other->scale)))
			continue;
		int r = value_lock_places_meet(bound->words, other->words, false, arena, &is_met);
		if (r < 0)
			return r;
		if (is_met)
			return problem_at(problem, bound->place,
				"'%s' is bounded by %s here, and '%s' by %s at %u:%u, though one "
				"value can be at both places; bound it once",
				bound->place->text.data, value_bound_name(bound),
				other->place->text.data, value_bound_name(other),
				(unsigned)other->place->line, (unsigned)other->place->column);
	}
	return 0;
}

static int check_locks(const struct value_bound *bound, const struct value_lock *lock,
	struct arena *arena, struct problem *problem)
{
	for (size_t i = 0; i < lock->word_count; i++) {
		bool is_met = false;

		if (i > 0 && lock->words[i - 1].kind != VALUE_LOCK_END)
			continue;
		int r = value_lock_places_meet(&lock->words[i], bound->words, true, arena, &is_met);
		if (r < 0)
			return r;
		while (lock->words[i].kind != VALUE_LOCK_END)
			i++;
		if (is_met)
			return problem_at(problem, bound->place,
				"'%s' is bounded here, and locked by the layer '%s' at %u:%u; "
				"bound it or lock it",
				bound->place->text.data, lock->layer->text.data,
				(unsigned)lock->words[i].place->line,
				(unsigned)lock->words[i].place->column);
	}
	return 0;
}

static int check_contradictions(const struct value_bounds *bounds, const struct value_locks *locks,
	struct arena *scratch, struct problem *problem)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < bounds->count; i++) {
		r = check_others(bounds, i, scratch, problem);
		for (size_t j = 0; r == 0 && locks && j < locks->count; j++)
			r = check_locks(&bounds->items[i], &locks->items[j], scratch, problem);
	}
	return r;
}

/* Reads the places of all bounds, and gives each bound its own. */
static int read_places(struct value_bounds *bounds, struct arena *arena, struct problem *problem)
{
	struct node *places = node_new_sequence(arena, bounds->map);
	int r = places ? 0 : -ENOMEM;

	for (size_t i = 0; r == 0 && i < bounds->count; i++)
		r = node_push(arena, places, bounds->items[i].place);
	if (r == 0)
		r = value_lock_read_places(places, arena, &bounds->places, problem);
	const struct value_lock_word *word = bounds->places.words;
	for (size_t i = 0; r == 0 && i < bounds->count; i++, word++)
		for (bounds->items[i].words = word; word->kind != VALUE_LOCK_END;)
			word++;
	return r;
}

int value_bounds_read(const struct node *map, const struct value_locks *locks, struct arena *arena,
	struct value_bounds **ret, struct problem *problem)
{
	CLEANUP(arena_freep) struct arena *scratch = NULL;

	if (!node_is_map(map))
		return problem_at(problem, map, FORM);
	struct value_bounds *bounds = arena_zalloc(arena, 1, sizeof(*bounds));
	if (!bounds)
		return -ENOMEM;
	bounds->map = map;
	bounds->items = arena_zalloc(arena, map->map.count + 1, sizeof(*bounds->items));
	int r = bounds->items ? arena_new_like(arena, &scratch) : -ENOMEM;
	for (uint32_t i = 0; r == 0 && i < map->map.count; i++)
		r = read_bound(&map->map.pairs[i], &bounds->items[bounds->count++], problem);
	if (r == 0)
		r = read_places(bounds, arena, problem);
	if (r == 0)
		r = check_contradictions(bounds, locks, scratch, problem);
	if (r == 0)
		*ret = bounds;
	return r;
}

/* The tree of the bounded values: a walk over all sources at once. */

/* The walk at one depth. */
struct value_bound_level {
	uint64_t *set;
	struct value_bound_view *views; /* one for each source */
};

struct value_bound_walk {
	struct merge *merge;
	const struct value_bounds *bounds;
	struct arena *scratch;
	struct origins *origins;          /* of the tree; NULL: off */
	const struct node **own;          /* of each source: the root of its values, or NULL */
	struct value_bound_level *levels; /* one for each depth */
	size_t count;                     /* sources */
};

static int build(struct value_bound_walk *walk, const struct value_lock_step *step, unsigned depth,
	const struct node **ret);

/* Completes a view by the tag in the source. */
static void view_tags(const struct value_bound_walk *walk, struct value_bound_view *view)
{
	const struct strategy *strategy = walk->merge->request->options->strategy;

	if (!view->raw || !strategy->says)
		return;
	enum strategy_says says = strategy->says(view->raw);
	if (says == STRATEGY_SAYS_NOTHING)
		view->own = NULL;
	else if (says == STRATEGY_SAYS_REMOVE)
		view->cut = view->raw;
}

static const struct node *entry_at(const struct node *node, const struct value_lock_step *step)
{
	const struct pair *pair = step->key ? node_find(node, step->key) : NULL;

	if (step->key)
		return pair ? pair->value : NULL;
	return step->index < node->seq.count ? node->seq.items[step->index] : NULL;
}

/* Makes the level below, one step further; `kind` is what the step leads from. */
static int descend(struct value_bound_walk *walk, unsigned depth, enum node_kind kind,
	const struct value_lock_step *step)
{
	const struct value_bound_level *from = &walk->levels[depth];
	struct value_bound_level *to = &walk->levels[depth + 1];
	size_t size = value_lock_set_size(&walk->bounds->places);

	if (!to->set)
		to->set = arena_zalloc(walk->scratch, size, sizeof(*to->set));
	if (!to->views)
		to->views = arena_zalloc(walk->scratch, walk->count, sizeof(*to->views));
	if (!to->set || !to->views)
		return -ENOMEM;
	value_lock_set_step(&walk->bounds->places, from->set, step, to->set);
	for (size_t i = 0; i < walk->count; i++) {
		const struct value_bound_view *up = &from->views[i];
		struct value_bound_view *view = &to->views[i];

		*view = (struct value_bound_view){.cut = up->cut};
		if (up->own && up->own->kind == kind)
			view->own = entry_at(up->own, step);
		else if (up->own)
			view->cut = up->own;
		if (up->raw && up->raw->kind == kind)
			view->raw = entry_at(up->raw, step);
		view_tags(walk, view);
	}
	return 0;
}

/* Returns what the lowest source has of the kind, or at index `i` of its list; NULL: nothing. */
static const struct node *lowest(
	const struct value_bound_walk *walk, unsigned depth, enum node_kind kind, uint32_t i)
{
	const struct node *found = NULL;

	for (size_t j = 0; !found && j < walk->count; j++) {
		const struct node *own = walk->levels[depth].views[j].own;

		if (!own || own->kind != kind)
			continue;
		found = i == UINT32_MAX ? own : i < own->seq.count ? own->seq.items[i] : NULL;
	}
	return found;
}

/* The entries of a map or list of the tree, as they are found. */
struct value_bound_entries {
	struct node *keys; /* of a map: of all sources, with their hashes */
	uint32_t count;
	struct node *node; /* what is made; NULL: nothing yet */
};

static int find_entries(const struct value_bound_walk *walk, unsigned depth, enum node_kind kind,
	struct value_bound_entries *ret)
{
	*ret = (struct value_bound_entries){.keys = node_new_map(walk->scratch, NULL)};
	if (!ret->keys)
		return -ENOMEM;
	int r = 0;
	for (size_t i = 0; i < walk->count; i++) {
		const struct node *own = walk->levels[depth].views[i].own;

		if (!own || own->kind != kind)
			continue;
		for (uint32_t j = 0; r == 0 && kind == NODE_MAP && j < own->map.count; j++)
			r = node_put_hashed(walk->scratch, ret->keys, &own->map.pairs[j]);
		if (kind == NODE_SEQUENCE && own->seq.count > ret->count)
			ret->count = own->seq.count;
	}
	if (kind == NODE_MAP)
		ret->count = ret->keys->map.count;
	return r;
}

/* Adds a value. In a list, the items before it come with it, as the lowest source has them. */
static int add_entry(struct value_bound_walk *walk, unsigned depth,
	struct value_bound_entries *entries, uint32_t i, const struct node *value)
{
	struct arena *arena = walk->merge->arena;
	bool is_map = entries->keys->map.count > 0;
	const struct node *like =
		lowest(walk, depth, is_map ? NODE_MAP : NODE_SEQUENCE, UINT32_MAX);
	int r = 0;

	if (!entries->node)
		entries->node = is_map ? node_new_map(arena, like) : node_new_sequence(arena, like);
	if (!entries->node)
		return -ENOMEM;
	if (is_map) {
		const struct pair *pair = &entries->keys->map.pairs[i];
		return node_append(
			arena, entries->node, &(struct pair){pair->key, value, pair->hash});
	}
	while (r == 0 && entries->node->seq.count < i)
		r = node_push(arena, entries->node,
			lowest(walk, depth, NODE_SEQUENCE, entries->node->seq.count));
	return r == 0 ? node_push(arena, entries->node, value) : r;
}

static int build_entries(struct value_bound_walk *walk, const struct value_lock_step *up,
	unsigned depth, enum node_kind kind, const struct node **ret)
{
	struct value_bound_entries entries;
	int r = find_entries(walk, depth, kind, &entries);

	for (uint32_t i = 0; r == 0 && i < entries.count; i++) {
		const struct value_lock_step step = {
			up, kind == NODE_MAP ? entries.keys->map.pairs[i].key : NULL, i};
		const struct node *value = NULL;

		r = descend(walk, depth, kind, &step);
		if (r == 0)
			r = build(walk, &step, depth + 1, &value);
		if (r == 0 && value)
			r = add_entry(walk, depth, &entries, i, value);
	}
	*ret = entries.node;
	return r;
}

static const struct value_bound *find_bound(
	const struct value_bounds *bounds, const struct node *place)
{
	const struct value_bound *bound = bounds->items;

	while (bound->place != place)
		bound++;
	return bound;
}

/* Makes the tree from a spot on; NULL if no source has a bounded value there. */
static int build(struct value_bound_walk *walk, const struct value_lock_step *step, unsigned depth,
	const struct node **ret)
{
	const struct value_bound_level *level = &walk->levels[depth];
	const struct value_lock *places = &walk->bounds->places;
	const struct node *place = value_lock_set_reached(places, level->set);
	int r = 0;

	*ret = NULL;
	if (place)
		return value_bound_fold(
			&(struct value_bound_fold){walk->merge, walk->origins, walk->scratch,
				find_bound(walk->bounds, place), step, level->views, walk->count},
			ret);
	if (value_lock_set_is_empty(places, level->set))
		return 0;
	/* The kind of the lowest source comes first: a higher one may attempt to get rid of it. */
	enum node_kind first = NODE_MAP;
	for (size_t i = walk->count; i-- > 0;)
		if (level->views[i].own && !node_is_scalar(level->views[i].own))
			first = level->views[i].own->kind;
	r = build_entries(walk, step, depth, first, ret);
	if (r == 0 && !*ret)
		r = build_entries(
			walk, step, depth, first == NODE_MAP ? NODE_SEQUENCE : NODE_MAP, ret);
	return r;
}

/*
 * Puts the bounded values of the views at depth 0 into a document of the result. *has_any becomes
 * whether there are any.
 */
static int apply_views(struct value_bound_walk *walk, const struct node **root, bool *has_any)
{
	struct value_lock_enforcement keep = {
		.merge = walk->merge, .lock = &walk->bounds->places, .low_origins = walk->origins};

	for (size_t i = 0; i < walk->count; i++)
		view_tags(walk, &walk->levels[0].views[i]);
	int r = build(walk, NULL, 0, &keep.low);
	*has_any = keep.low != NULL;
	return r == 0 && keep.low ? value_lock_enforce(&keep, root) : r;
}

/* Makes the views of the documents that are merged with `root`, and marks them as known. */
static int view_documents(
	struct value_bound_walk *walk, const struct node *root, size_t n, bool **known)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < walk->count; i++) {
		struct value_bound_view *view = &walk->levels[0].views[i];
		const struct document *document = walk->merge->inputs[i].document;
		size_t count, raw_count = document ? document->count : 0, found;
		const struct node *const *own = node_documents(&walk->own[i], &count);
		const struct node *const *raw =
			document ? (const struct node *const *)document->roots : NULL;

		*view = (struct value_bound_view){0};
		r = value_lock_match_document(
			walk->merge, root, n, own, count, walk->scratch, &found);
		if (r == 0 && found < count && walk->own[i]) {
			view->own = own[found];
			known[i][found] = true;
		}
		if (r == 0)
			r = value_lock_match_document(
				walk->merge, root, n, raw, raw_count, walk->scratch, &found);
		if (r == 0 && found < raw_count)
			view->raw = raw[found];
	}
	return r;
}

/* A document that a higher source removed is there again, whole, if it has bounded values. */
static int restore_documents(struct value_bound_walk *walk, bool **known, struct node *stream)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < walk->count; i++) {
		size_t count;
		const struct node *const *own = node_documents(&walk->own[i], &count);

		for (size_t n = 0; r == 0 && walk->own[i] && n < count; n++) {
			const struct node *root = own[n];
			bool has_any = false;

			if (known[i][n])
				continue;
			r = view_documents(walk, root, n, known);
			known[i][n] = true;
			if (r == 0)
				r = apply_views(walk, &root, &has_any);
			if (r == 0 && has_any)
				r = node_push(walk->merge->arena, stream, root);
		}
	}
	return r;
}

static int apply_documents(struct value_bound_walk *walk, const struct node **root)
{
	size_t count;
	const struct node *const *now = node_documents(root, &count);
	struct node *stream = node_new_sequence(walk->merge->arena, NULL);
	bool **known = arena_zalloc(walk->scratch, walk->count, sizeof(*known));
	int r = stream && known ? 0 : -ENOMEM;

	for (size_t i = 0; r == 0 && i < walk->count; i++) {
		size_t own_count;

		(void)node_documents(&walk->own[i], &own_count);
		known[i] = arena_zalloc(walk->scratch, own_count, sizeof(**known));
		r = known[i] ? 0 : -ENOMEM;
	}
	for (size_t i = 0; r == 0 && *root && i < count; i++) {
		const struct node *item = now[i];
		bool has_any;

		r = view_documents(walk, item, i, known);
		if (r == 0)
			r = apply_views(walk, &item, &has_any);
		if (r == 0)
			r = node_push(walk->merge->arena, stream, item);
	}
	if (r == 0)
		r = restore_documents(walk, known, stream);
	if (r != 0)
		return r;
	stream->style = NODE_STREAM;
	*root = stream->seq.count > 1 ? stream : stream->seq.count ? stream->seq.items[0] : NULL;
	return 0;
}

/* Merges each source alone. *has_several becomes whether a file has several documents. */
static int read_sources(struct value_bound_walk *walk, const struct node *result, bool *has_several)
{
	const struct merge *merge = walk->merge;
	struct problem ignored;
	int r = 0;

	*has_several = node_is_stream(result);
	for (size_t i = 0; r == 0 && i < walk->count; i++) {
		const struct document *document = merge->inputs[i].document;

		if (walk->count == 1)
			walk->own[i] = result;
		else
			r = value_lock_merge_part(merge, &merge->inputs[i], 1, merge->asked, NULL,
				&ignored, &walk->own[i]);
		/* A source that needs the others to be merged counts as it is written. */
		if (r == PROBLEM) {
			r = 0;
			walk->own[i] = document && document->count ? document->roots[0] : NULL;
		}
		*has_several |= node_is_stream(walk->own[i]) || (document && document->count > 1);
		if (r == 0)
			r = value_lock_check_size(walk->merge, walk->own[i]);
	}
	return r;
}

static int begin(struct value_bound_walk *walk)
{
	const struct merge *merge = walk->merge;
	size_t depths = merge->request->limits.depth + 2;

	walk->origins = merge->origins ? origins_new(merge->arena) : NULL;
	walk->own = arena_zalloc(walk->scratch, walk->count, sizeof(*walk->own));
	walk->levels = arena_zalloc(walk->scratch, depths, sizeof(*walk->levels));
	if (!walk->own || !walk->levels || (merge->origins && !walk->origins))
		return -ENOMEM;
	struct value_bound_level *first = walk->levels;
	size_t size = value_lock_set_size(&walk->bounds->places);
	first->set = arena_zalloc(walk->scratch, size, sizeof(*first->set));
	first->views = arena_zalloc(walk->scratch, walk->count, sizeof(*first->views));
	if (!first->set || !first->views)
		return -ENOMEM;
	value_lock_set_begin(&walk->bounds->places, first->set);
	return 0;
}

int value_bounds_apply(struct merge *merge, const struct node **root)
{
	CLEANUP(arena_freep) struct arena *scratch = NULL;
	bool has_several, has_any;

	int r = arena_new_like(merge->arena, &scratch);
	if (r < 0)
		return r;
	struct value_bound_walk walk = {.merge = merge,
		.bounds = merge->request->options->bounds,
		.scratch = scratch,
		.count = merge->count};
	r = begin(&walk);
	if (r == 0)
		r = value_lock_check_size(merge, *root);
	if (r == 0)
		r = read_sources(&walk, *root, &has_several);
	if (r != 0)
		return r;
	has_several = has_several && merge->request->options->strategy->match_document;
	for (size_t i = 0; !has_several && i < walk.count; i++) {
		const struct document *document = merge->inputs[i].document;

		walk.levels[0].views[i] = (struct value_bound_view){
			.own = walk.own[i],
			.raw = document && document->count ? document->roots[0] : NULL,
		};
	}
	r = has_several ? apply_documents(&walk, root) : apply_views(&walk, root, &has_any);
	return r == 0 ? origins_check(walk.origins) : r;
}
