#include "explained_value.h"

#include <errno.h>

#include "cleanup.h"
#include "key_match.h"

/* The state of a walk over all values. */
struct explained_walk {
	const struct origins *origins;
	int (*each)(void *context, const struct explained_value *value);
	void *context;
	struct explained_value at;
};

static void put_step(struct key_text *text, const struct key_step *step)
{
	if (step->key)
		key_text_put(text, step->key);
	else
		key_text_put_index(text, step->index);
}

static int walk_from(
	struct explained_walk *walk, const struct node *value, const struct explained_place *place);

static int walk_into(
	struct explained_walk *walk, const struct key_step *step, const struct explained_place *up)
{
	const struct explained_place place = {up, *step};
	size_t len = walk->at.key->len;

	put_step(walk->at.key, step);
	int r = walk_from(walk, step->value, &place);
	key_text_cut(walk->at.key, len);
	return r;
}

static int walk_from(
	struct explained_walk *walk, const struct node *value, const struct explained_place *place)
{
	walk->at.value = value;
	walk->at.origin = origin_of(walk->origins, value);
	walk->at.place = place;
	int r = walk->each(walk->context, &walk->at);

	for (uint32_t i = 0; r == 0 && i < node_count(value); i++) {
		const struct node *key = node_is_map(value) ? value->map.pairs[i].key : NULL;

		r = walk_into(
			walk, &(struct key_step){*node_entry(value, i), key, key ? 0 : i}, place);
	}
	return r;
}

int explained_value_each(const struct origins *origins, const struct explained_value *from,
	int (*each)(void *context, const struct explained_value *value), void *context)
{
	struct explained_walk walk = {origins, each, context, *from};

	return walk_from(&walk, from->value, from->place);
}

size_t explained_value_roots(const struct explanation *explanation, const struct node *const **ret)
{
	const struct merge_result *result = explanation->result;

	if (result && result->root) {
		*ret = &result->root;
		return 1;
	}
	*ret = result && result->verbatim ? result->verbatim->roots : NULL;
	return *ret ? result->verbatim->count : 0;
}

/*
 * Lists the trees of all sources, highest first: those of the request and those that the merge
 * read. Returns their number; with `ret` NULL it only counts them.
 */
static size_t list_sources(const struct explanation *explanation, const struct node **ret)
{
	const struct merge_request *request = explanation->request;
	const struct merge_result *result = explanation->result;
	size_t own = result ? result->owned_count : 0, count = 0;

	for (size_t i = own + request->count; i-- > 0;) {
		const struct document *document =
			i < own ? result->owned[i] : request->inputs[i - own].document;

		for (size_t n = 0; document && n < document->count; n++, count++)
			if (ret)
				ret[count] = document->roots[n];
	}
	return count;
}

int explained_value_key(const struct explanation *explanation, const char *text,
	struct arena *arena, struct key *ret, struct problem *problem)
{
	const struct node *const *shown;
	size_t count = explained_value_roots(explanation, &shown);
	size_t more = list_sources(explanation, NULL);
	const struct node **roots = arena_zalloc(arena, count + more + 1, sizeof(*roots));
	const struct key_ground ground = {
		.roots = roots, .count = count + more, .format = explanation->request->to};

	if (!roots)
		return -ENOMEM;
	if (count)
		memcpy(roots, shown, count * sizeof(*roots));
	list_sources(explanation, roots + count);
	int r = key_match(text, &ground, arena, ret, problem);
	return r == KEY_NEW ? 0 : r;
}

static int go_down(struct explained *explained, const struct key_step *step)
{
	struct explained_place *place = arena_alloc(explained->arena, sizeof(*place));

	if (!place)
		return -ENOMEM;
	*place = (struct explained_place){explained->at.place, *step};
	explained->at.place = place;
	put_step(&explained->key, step);
	return 0;
}

/* The array grows: each of a file's many documents may have replaced a map. */
static int add_lost(struct explained *explained, struct origin_step step)
{
	if (explained->also_count == explained->also_capacity) {
		struct origin_step *also = arena_grow(explained->arena, explained->also,
			explained->also_count, &explained->also_capacity, sizeof(*also));

		if (!also)
			return -ENOMEM;
		explained->also = also;
	}
	explained->also[explained->also_count++] = step;
	return 0;
}

/* Adds the values at `key` in those maps and lists that lost against the one at `depth`. */
static int note_lost_around(struct explained *explained, const struct key *key, size_t depth,
	const struct origin *origin)
{
	int r = 0;

	if (!origin)
		return 0;
	for (const struct origin_step *step = NULL; r == 0 && (step = origin_next(origin, step));) {
		struct origin_step lost = *step;

		if (step->fate != ORIGIN_LOST)
			continue;
		lost.value = key_follow(key, depth, step->value);
		if (lost.value)
			r = add_lost(explained, lost);
	}
	return r;
}

/* Returns whether the removed entry is the one that the KEY names, or contained it. */
static bool is_asked_for(const struct key *key, size_t depth, const struct node *in,
	const struct origin_removed *removed)
{
	const struct node *lost = NULL;
	bool has_it = false;

	for (const struct origin_step *step = NULL; (step = origin_removed_next(removed, step));) {
		if (step->fate == ORIGIN_REMOVED)
			continue;
		lost = step->value;
		has_it |= key_follow(key, depth + 1, lost) != NULL;
	}
	return has_it && key_names(&key->parts[depth], removed->key, lost, node_is_sequence(in));
}

/* Searches the entries removed from the value that has no parts[depth]. */
static int find_gone(struct explained *explained, const struct key *key, size_t depth)
{
	const struct origin *origin = explained->at.origin;
	const struct node *in = explained->at.value;

	explained->in = in;
	for (const struct origin_removed *at = origin ? origin->removed : NULL; at; at = at->next) {
		if (!is_asked_for(key, depth, in, at))
			continue;
		explained->removed = at;
		explained->at.value = NULL;
		return 0;
	}
	if (explained->also_count == 0)
		return EXPLAINED_ABSENT;
	explained->at.value = NULL;
	return 0;
}

static int find_in(struct explained *explained, const struct origins *origins,
	const struct key *key, const struct node *root, size_t *depth)
{
	struct key_step step = {.value = root};
	int r = 0;

	for (*depth = 0;; (*depth)++) {
		explained->at.value = step.value;
		explained->at.origin = origin_of(origins, step.value);
		if (*depth == key->count)
			return 0;
		r = note_lost_around(explained, key, *depth, explained->at.origin);
		if (r < 0)
			return r;
		if (!key_find(step.value, &key->parts[*depth], &step))
			return find_gone(explained, key, *depth);
		r = go_down(explained, &step);
		if (r < 0)
			return r;
	}
}

static void begin(struct explained *explained, size_t document)
{
	explained->also_count = 0;
	explained->at = (struct explained_value){.key = &explained->key, .document = document};
	key_text_cut(&explained->key, 0);
}

int explained_value_find(const struct explanation *explanation, const struct key *key,
	struct explained *ret, size_t *depth)
{
	const struct node *const *roots;
	size_t count = explained_value_roots(explanation, &roots);
	size_t deepest = 0, nearest = 0;

	*ret = (struct explained){0};
	int r = arena_new(&ret->arena);
	if (r < 0)
		return r;
	r = EXPLAINED_ABSENT;
	for (size_t i = 0; i < count && r == EXPLAINED_ABSENT; i++) {
		begin(ret, i);
		r = find_in(ret, explanation->result->origins, key, roots[i], depth);
		if (*depth > deepest) {
			deepest = *depth;
			nearest = i;
		}
	}
	/* The message is about the document that has the longest part of the KEY. */
	if (r == EXPLAINED_ABSENT && count > 0) {
		begin(ret, nearest);
		r = find_in(ret, explanation->result->origins, key, roots[nearest], depth);
	}
	return r == EXPLAINED_ABSENT || !ret->key.has_failed ? r : -ENOMEM;
}

void explained_value_fini(struct explained *explained)
{
	key_text_fini(&explained->key);
	arena_free(explained->arena);
}
