#include "value_lock_enforce.h"

#include <errno.h>
#include <stdio.h>

#include "cleanup.h"
#include "scalar.h"
#include "strategy.h"

/* A spot of the walk: the path from the root, and the part of the lock that it has matched. */
struct value_lock_walk {
	const struct value_lock_step *step; /* NULL: the root */
	uint64_t *set; /* (value_lock_place.h); those of deeper spots lie behind it, one each */
	/* The place of the lock that covers the spot, as written; NULL: none so far. */
	const struct node *place;
};

static int settle(struct value_lock_enforcement *keep, const struct value_lock_walk *spot,
	const struct node *low, const struct node *now, const struct node **ret);

/* Returns the spot one step further. Its set is valid until the next spot of that depth. */
static struct value_lock_walk go(const struct value_lock_enforcement *keep,
	const struct value_lock_walk *spot, const struct value_lock_step *step)
{
	struct value_lock_walk next = {
		step, spot->set + value_lock_set_size(keep->lock), spot->place};

	if (next.place)
		return next;
	value_lock_set_step(keep->lock, spot->set, step, next.set);
	next.place = value_lock_set_reached(keep->lock, next.set);
	return next;
}

/* Returns the step from the spot to entry `i` of the value there. */
static struct value_lock_step step_to(
	const struct value_lock_walk *spot, const struct node *in, uint32_t i)
{
	const struct node *key = node_is_map(in) ? in->map.pairs[i].key : NULL;

	return (struct value_lock_step){spot->step, key, i};
}

static bool is_bound(const struct value_lock_enforcement *keep)
{
	return !keep->lock->layer;
}

static bool is_free(const struct value_lock_enforcement *keep, const struct value_lock_walk *spot)
{
	return !spot->place && value_lock_set_is_empty(keep->lock, spot->set);
}

/*
 * Returns whether the values are equal and have the same types at all depths: a program may tell 1
 * from 1.0.
 */
static bool is_same(const struct node *a, const struct node *b)
{
	if (a == b)
		return true;
	if (a->kind != b->kind)
		return false;
	if (node_is_scalar(a))
		return scalar_type(a) == scalar_type(b) && node_equal(a, b);
	return node_tags_equal(a, b) && node_has_same(a, b, is_same, true);
}

/* In .env, quotes decide whether a "$" begins a variable. A source may be in another format. */
static bool differs_in_dollars(
	const struct value_lock_enforcement *keep, const struct node *a, const struct node *b)
{
	return keep->merge->request->to == &format_env && node_is_scalar(a) &&
	       scalar_differs_in_dollars(a, b);
}

/* Equal numbers may differ in digits that a double does not have, and a bound is exact. */
static bool has_text_of(const struct node *a, const struct node *b)
{
	return !node_is_scalar(a) || span_equal(a->text, b->text);
}

/* Returns a locked place in `low`, which is at the spot; NULL: there is none. */
static const struct node *find_locked(const struct value_lock_enforcement *keep,
	const struct value_lock_walk *spot, const struct node *low)
{
	const struct node *found = spot->place;

	if (found || is_free(keep, spot))
		return found;
	for (uint32_t i = 0; !found && i < node_count(low); i++) {
		const struct value_lock_step step = step_to(spot, low, i);
		const struct value_lock_walk next = go(keep, spot, &step);

		found = find_locked(keep, &next, *node_entry(low, i));
	}
	return found;
}

/*
 * Gives the value to put back: a copy with its origins, as the original may also stand elsewhere.
 */
static int put_back(
	struct value_lock_enforcement *keep, const struct node *low, const struct node **ret)
{
	struct merge *merge = keep->merge;

	*ret = low;
	if (!merge->origins || !low)
		return 0;
	struct node *copy = node_copy(merge->arena, low);
	if (!copy)
		return -ENOMEM;
	origin_import(merge->origins, keep->low_origins, low, copy);
	for (uint32_t i = 0; i < node_count(low); i++) {
		int r = put_back(keep, *node_entry(low, i), node_entry(copy, i));
		if (r < 0)
			return r;
	}
	*ret = copy;
	return 0;
}

static const struct node *find_above(
	const struct value_lock_enforcement *keep, const struct node *node)
{
	const struct node *found =
		node->source && node->source->rank > keep->lock->rank ? node : NULL;

	for (uint32_t i = 0; !found && i < node_count(node); i++)
		found = find_above(keep, *node_entry(node, i));
	return found;
}

/*
 * Follows the path in `root` and returns how many steps it leads; *ret is its end. It stops at an
 * index, because a source has other indexes.
 */
static unsigned follow(
	const struct value_lock_step *step, const struct node *root, const struct node **ret)
{
	const struct pair *pair;
	unsigned length;

	*ret = root;
	if (!step)
		return 0;
	length = follow(step->up, root, ret);
	if (!step->key || !node_is_map(*ret))
		return length;
	pair = node_find(*ret, step->key);
	if (!pair)
		return length;
	*ret = pair->value;
	return length + 1;
}

/* Returns the place in a source above the lock that comes nearest to the spot, or NULL. */
static const struct node *find_in_sources(
	const struct value_lock_enforcement *keep, const struct value_lock_walk *spot)
{
	const struct merge *merge = keep->merge;
	const struct node *found = NULL, *at;
	unsigned longest = 0;

	for (size_t i = merge->count; i-- > 0;) {
		const struct document *document = merge->inputs[i].document;

		if (merge->inputs[i].source.rank <= keep->lock->rank || !document)
			continue;
		for (size_t j = 0; j < document->count; j++) {
			unsigned length = follow(spot->step, document->roots[j], &at);

			if (!found || length > longest) {
				found = at;
				longest = length;
			}
		}
	}
	return found;
}

static const struct node *find_attempt(const struct value_lock_enforcement *keep,
	const struct value_lock_walk *spot, const struct node *now)
{
	const struct node *found = now ? find_above(keep, now) : NULL;

	return found ? found : find_in_sources(keep, spot);
}

/*
 * Returns the name of the highest input above the lock. If only files that the strategy found are
 * above it, returns the name of the last input.
 */
static const char *highest_name(const struct value_lock_enforcement *keep)
{
	const struct merge *merge = keep->merge;
	const struct source *found = NULL;

	for (size_t i = 0; i < merge->count; i++) {
		const struct source *source = &merge->inputs[i].source;
		if (source->rank > keep->lock->rank && (!found || source->rank >= found->rank))
			found = source;
	}
	return found ? found->name : merge->inputs[merge->count - 1].source.name;
}

void value_lock_describe_kept(const struct node *kept, const char *before, const char *behind,
	char text[VALUE_LOCK_KEPT_BYTES])
{
	if (kept->source)
		snprintf(text, VALUE_LOCK_KEPT_BYTES, "%s %s:%u:%u %s", before,
			source_shown(kept->source), (unsigned)kept->line, (unsigned)kept->column,
			behind);
	else
		snprintf(text, VALUE_LOCK_KEPT_BYTES, "%s a lower layer %s", before, behind);
}

int value_lock_add_refusal(struct merge *merge, struct problem **ret)
{
	struct refusals *refusals = &merge->result->refusals;

	*ret = NULL;
	if (refusals->count == REFUSALS_MAX) {
		refusals->left_out++;
		return 0;
	}
	if (!refusals->items)
		refusals->items =
			arena_zalloc(merge->arena, REFUSALS_MAX, sizeof(*refusals->items));
	if (!refusals->items)
		return -ENOMEM;
	*ret = &refusals->items[refusals->count++];
	return 0;
}

static int note_refusal(struct value_lock_enforcement *keep, const struct value_lock_walk *spot,
	const struct node *low, const struct node *attempt)
{
	const char *layer = keep->lock->layer->text.data;
	const struct node *place = spot->place;
	char name[VALUE_LOCK_NAME_BYTES], kept[VALUE_LOCK_KEPT_BYTES] = "and leaves it unset";
	struct problem *ret;

	int r = value_lock_add_refusal(keep->merge, &ret);
	if (r < 0 || !ret)
		return r;
	value_lock_step_name(spot->step, name, sizeof(name));
	if (low)
		value_lock_describe_kept(low, "as", "has it", kept);
	problem_set(ret, attempt && attempt->source ? attempt->source->name : highest_name(keep),
		attempt ? attempt->line : 0, attempt ? attempt->column : 0,
		"'%s' is not changed: the layer '%s' locks it %s (the lock is at %s:%u:%u); change "
		"it in '%s', or remove it here ('plyfs reset')",
		name, layer, kept, place->source ? place->source->name : "", (unsigned)place->line,
		(unsigned)place->column, layer);
	return 0;
}

static struct origin_why why_of(
	const struct value_lock_enforcement *keep, const struct value_lock_walk *spot)
{
	const char *rule = arena_printf(
		keep->merge->arena, VALUE_LOCK_RULE "%s", keep->lock->layer->text.data);

	return (struct origin_why){rule ? rule : "locked", spot->place};
}

/* Puts `low` back at the spot, and records what a higher layer wanted there. */
static int refuse(struct value_lock_enforcement *keep, const struct value_lock_walk *spot,
	const struct node *low, const struct node *now, const struct node **ret)
{
	if (is_bound(keep))
		return put_back(keep, low, ret);
	bool is_recorded = keep->merge->result->refusals.count < REFUSALS_MAX;
	const struct node *attempt = is_recorded ? find_attempt(keep, spot, now) : NULL;

	int r = note_refusal(keep, spot, low, attempt);
	if (r == 0)
		r = put_back(keep, low, ret);
	if (r < 0 || !keep->merge->origins || !low)
		return r;
	origin_note(keep->merge->origins, *ret, now, ORIGIN_LOST, why_of(keep, spot));
	origin_note(keep->merge->origins, *ret, attempt, ORIGIN_LOST, why_of(keep, spot));
	return 0;
}

/* The entries of the result of two maps or lists; NULL: removed. */
struct entries {
	const struct node **now; /* one for each entry of the present value */
	/* One for each entry of the lower value that the present value lacks. */
	const struct node **low;
	enum { ENTRIES_SAME, ENTRIES_CHANGED, ENTRIES_ADDED /* some of `low` are set */ } what;
};

static int entries_init(struct value_lock_enforcement *keep, const struct node *low,
	const struct node *now, struct entries *ret)
{
	*ret = (struct entries){
		.now = arena_zalloc(keep->scratch, node_count(now) + 1, sizeof(*ret->now)),
		.low = arena_zalloc(
			keep->scratch, low ? node_count(low) + 1 : 1, sizeof(*ret->low)),
	};
	return ret->now && ret->low ? 0 : -ENOMEM;
}

/* Returns the entry of `in` with the key or index of entry `i` of `like`; NULL: there is none. */
static const struct node *find_same(const struct node *in, const struct node *like, uint32_t i)
{
	const struct pair *pair = node_is_map(like) ? &like->map.pairs[i] : NULL;

	if (pair)
		pair = in ? node_find_hashed(in, pair->key, pair->hash) : NULL;
	else if (in && i < in->seq.count)
		return in->seq.items[i];
	return pair ? pair->value : NULL;
}

static int settle_entries(struct value_lock_enforcement *keep, const struct value_lock_walk *spot,
	const struct node *low, const struct node *now, struct entries *entries)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < node_count(now); i++) {
		const struct node *value = *node_entry(now, i);
		const struct value_lock_step step = step_to(spot, now, i);
		const struct value_lock_walk next = go(keep, spot, &step);

		r = settle(keep, &next, find_same(low, now, i), value, &entries->now[i]);
		if (entries->now[i] != value)
			entries->what = ENTRIES_CHANGED;
	}
	for (uint32_t i = 0; low && r == 0 && i < node_count(low); i++) {
		const struct value_lock_step step = step_to(spot, low, i);

		if (find_same(now, low, i))
			continue;
		const struct value_lock_walk next = go(keep, spot, &step);
		r = settle(keep, &next, *node_entry(low, i), NULL, &entries->low[i]);
		if (entries->low[i])
			entries->what = ENTRIES_ADDED;
	}
	return r;
}

static int put_pair(struct value_lock_enforcement *keep, struct node *map, const struct pair *pair,
	const struct node *value)
{
	return node_append(keep->merge->arena, map, &(struct pair){pair->key, value, pair->hash});
}

/*
 * Puts the entries with the keys of the lower map, in their order; they come first if one was put
 * back.
 */
static int put_lower(struct value_lock_enforcement *keep, const struct node *low,
	const struct node *now, const struct entries *entries, struct node *map)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < low->map.count; i++) {
		const struct pair *pair = &low->map.pairs[i];
		const struct pair *other = node_find_hashed(now, pair->key, pair->hash);
		const struct node *value =
			other ? entries->now[other - now->map.pairs] : entries->low[i];

		if (value)
			r = put_pair(keep, map, other ? other : pair, value);
	}
	return r;
}

/* Records in the origins of `in`, at the spot, that a lock at `step` removed `lost` from it. */
static void note_gone(const struct value_lock_enforcement *keep, const struct value_lock_walk *spot,
	struct node *in, struct value_lock_step step, const struct node *key,
	const struct node *lost)
{
	const struct value_lock_walk gone = go(keep, spot, &step);

	if (keep->merge->origins)
		origin_remove(keep->merge->origins, in, key, lost, why_of(keep, &gone));
}

static int build_map(struct value_lock_enforcement *keep, const struct value_lock_walk *spot,
	const struct node *low, const struct node *now, const struct entries *entries,
	const struct node **ret)
{
	struct arena *arena = keep->merge->arena;
	struct node *map = node_new_map(arena, now);
	int r = map ? 0 : -ENOMEM;

	if (r < 0)
		return r;
	origin_move(keep->merge->origins, now, map);
	if (entries->what == ENTRIES_ADDED)
		r = put_lower(keep, low, now, entries, map);
	for (uint32_t i = 0; r == 0 && i < now->map.count; i++) {
		const struct pair *pair = &now->map.pairs[i];
		bool is_put = entries->what == ENTRIES_ADDED &&
			      node_find_hashed(low, pair->key, pair->hash);

		if (entries->now[i] && !is_put)
			r = put_pair(keep, map, pair, entries->now[i]);
		else if (!entries->now[i])
			note_gone(keep, spot, map, step_to(spot, now, i), pair->key, pair->value);
	}
	/* A key that a higher layer had removed is there again. */
	for (uint32_t i = 0; r == 0 && entries->what == ENTRIES_ADDED && i < low->map.count; i++)
		if (entries->low[i])
			origin_forget(keep->merge->origins, map, low->map.pairs[i].key);
	*ret = map;
	return r;
}

/* Records that the items of `now` from `first` on, where a lock wants none, are not in `list`. The
 * key of each is its index. */
static int note_cut(struct value_lock_enforcement *keep, const struct value_lock_walk *spot,
	struct node *list, const struct node *now, uint32_t first)
{
	struct arena *arena = keep->merge->arena;

	for (uint32_t i = now->seq.count; i-- > first;) {
		const char *index = arena_printf(arena, "%u", (unsigned)i);
		struct node *key =
			index ? node_new_scalar(arena, span_of(index), NODE_PLAIN) : NULL;

		if (!key)
			return -ENOMEM;
		key->schema = NODE_TEXT;
		note_gone(keep, spot, list, step_to(spot, now, first), key, now->seq.items[i]);
	}
	return 0;
}

static int build_list(struct value_lock_enforcement *keep, const struct value_lock_walk *spot,
	const struct node *low, const struct node *now, const struct entries *entries,
	const struct node **ret)
{
	struct arena *arena = keep->merge->arena;
	struct node *list = node_new_sequence(arena, now);
	uint32_t last = 0, count = 0;
	int r = list ? 0 : -ENOMEM;

	if (r < 0)
		return r;
	origin_move(keep->merge->origins, now, list);
	/* If an item must not be there, no item can follow it. */
	for (; r == 0 && count < now->seq.count && entries->now[count]; count++)
		r = node_push(arena, list, entries->now[count]);
	if (r == 0 && keep->merge->origins)
		r = note_cut(keep, spot, list, now, count);
	for (uint32_t i = now->seq.count; low && i < low->seq.count; i++)
		if (entries->low[i])
			last = i + 1;
	/* An item gets its index only if all items before it are there. */
	for (uint32_t i = now->seq.count; r == 0 && i < last; i++) {
		const struct node *item = entries->low[i];

		if (!item)
			r = put_back(keep, low->seq.items[i], &item);
		if (r == 0)
			r = node_push(arena, list, item);
	}
	*ret = list;
	return r;
}

/*
 * Returns whether to compare the entries of two values of one kind. A locked list is compared as a
 * whole.
 */
static bool are_alike(
	const struct value_lock_walk *spot, const struct node *low, const struct node *now)
{
	if (!low || !now || low->kind != now->kind || node_is_scalar(now))
		return false;
	return !spot->place || (node_is_map(now) && node_tags_equal(low, now));
}

static int settle_collection(struct value_lock_enforcement *keep,
	const struct value_lock_walk *spot, const struct node *low, const struct node *now,
	const struct node **ret)
{
	struct entries entries;
	int r = entries_init(keep, low, now, &entries);
	if (r == 0)
		r = settle_entries(keep, spot, low, now, &entries);
	if (r != 0 || entries.what == ENTRIES_SAME)
		return r;
	return node_is_map(now) ? build_map(keep, spot, low, now, &entries, ret)
				: build_list(keep, spot, low, now, &entries, ret);
}

/* Decides the value at the spot: `low` is the lower value and `now` the merged one. */
static int settle(struct value_lock_enforcement *keep, const struct value_lock_walk *spot,
	const struct node *low, const struct node *now, const struct node **ret)
{
	struct value_lock_walk held = *spot;

	*ret = now;
	if (is_free(keep, spot) || low == now || (is_bound(keep) && !low))
		return 0;
	if (are_alike(spot, low, now))
		return settle_collection(keep, spot, low, now, ret);
	if (spot->place && low && now && is_same(low, now) && !differs_in_dollars(keep, low, now) &&
		(!is_bound(keep) || has_text_of(low, now))) {
		if (is_bound(keep))
			origin_import(keep->merge->origins, keep->low_origins, low, now);
		return 0;
	}
	if (low)
		held.place = find_locked(keep, spot, low);
	if (held.place)
		return refuse(keep, &held, low, now, ret);
	return now && !node_is_scalar(now) ? settle_collection(keep, spot, NULL, now, ret) : 0;
}

/* The documents of both results: a lock's place counts in each. */

/* Finds the document of the lower layers that is merged with document `n`; NULL: none. */
static int find_lower_document(struct value_lock_enforcement *keep, const struct node *now,
	size_t n, bool *known, const struct node **ret)
{
	size_t count, found;
	const struct node *const *low = node_documents(&keep->low, &count);
	int r = value_lock_match_document(keep->merge, now, n, low, count, keep->scratch, &found);

	*ret = r == 0 && found < count ? low[found] : NULL;
	if (*ret)
		known[found] = true;
	return r;
}

static int settle_documents(struct value_lock_enforcement *keep, const struct value_lock_walk *spot,
	const struct node **root)
{
	struct arena *arena = keep->merge->arena;
	size_t count, low_count;
	const struct node *const *now = node_documents(root, &count);
	const struct node *const *low = node_documents(&keep->low, &low_count), *found;
	struct node *stream = node_new_sequence(arena, NULL);
	bool *known = arena_zalloc(keep->scratch, low_count, sizeof(*known));
	int r = stream && known ? 0 : -ENOMEM;

	for (size_t i = 0; r == 0 && *root && i < count; i++) {
		const struct node *item;

		r = find_lower_document(keep, now[i], i, known, &found);
		if (r == 0)
			r = settle(keep, spot, found, now[i], &item);
		if (r == 0 && item)
			r = node_push(arena, stream, item);
	}
	for (size_t i = 0; r == 0 && keep->low && i < low_count; i++) {
		const struct node *item = NULL;

		if (!known[i])
			r = settle(keep, spot, low[i], NULL, &item);
		if (r == 0 && item)
			r = node_push(arena, stream, item);
	}
	if (r != 0)
		return r;
	stream->style = NODE_STREAM;
	*root = stream->seq.count > 1 ? stream : stream->seq.count ? stream->seq.items[0] : NULL;
	return 0;
}

int value_lock_enforce(struct value_lock_enforcement *keep, const struct node **root)
{
	CLEANUP(arena_freep) struct arena *scratch = NULL;
	struct value_lock_walk spot = {0};

	int r = arena_new_like(keep->merge->arena, &scratch);
	if (r < 0)
		return r;
	keep->scratch = scratch;
	/* The trees have passed value_lock_check_size(). */
	size_t depths = keep->merge->request->limits.depth + 2;
	spot.set =
		arena_zalloc(scratch, depths * value_lock_set_size(keep->lock), sizeof(*spot.set));
	if (!spot.set)
		return -ENOMEM;
	value_lock_set_begin(keep->lock, spot.set);
	spot.place = value_lock_set_reached(keep->lock, spot.set);
	if (node_is_stream(keep->low) || node_is_stream(*root))
		return settle_documents(keep, &spot, root);
	return settle(keep, &spot, keep->low, *root, root);
}
