#include "explained_value.h"

#include <errno.h>

#include "cleanup.h"
#include "key_match.h"
#include "scalar.h"
#include "strategy.h"

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

/*
 * Completes a KEY that begins with a part of the name of a document that is gone. Returns 0 with
 * *ret, which is `text` if there is none; PROBLEM if several fit; or -ENOMEM.
 */
static int complete_gone(const struct explanation *explanation, const char *text,
	struct arena *arena, const char **ret, struct problem *problem)
{
	struct stream gone = {.by = explanation->stream.by};
	CLEANUP(key_text_fini) struct key_text full = {0};
	struct explained_document *items;
	struct stream_place place;

	*ret = text;
	if (!gone.by || stream_find(&explanation->stream, text, 0, arena, &place, problem) !=
				STREAM_UNKNOWN)
		return 0;
	int r = explained_documents_gone(explanation, arena, &items, &gone.count);
	const struct node **names = arena_zalloc(arena, gone.count + 1, sizeof(*names));
	if (r < 0 || !names)
		return -ENOMEM;
	for (size_t i = 0; i < gone.count; i++)
		names[i] = items[i].name;
	gone.roots = gone.names = names;
	r = stream_find(&gone, text, 0, arena, &place, problem);
	if (r != 0)
		return r == PROBLEM || r < 0 ? r : 0;
	stream_put_name(names[place.document], &full);
	key_text_put_text(&full, span_of(text + place.end));
	*ret = full.has_failed ? NULL : arena_copy(arena, key_text_span(&full));
	return *ret ? 0 : -ENOMEM;
}

int explained_value_key(const struct explanation *explanation, const char *text,
	struct arena *arena, struct key *ret, struct problem *problem)
{
	size_t count = list_sources(explanation, NULL);
	const struct node **roots = arena_zalloc(arena, count + 1, sizeof(*roots));
	const struct key_ground ground = {.stream = explanation->stream,
		.roots = roots,
		.count = count,
		.format = explanation->request->to};

	if (!roots)
		return -ENOMEM;
	list_sources(explanation, roots);
	int r = complete_gone(explanation, text, arena, &text, problem);
	if (r == 0)
		r = key_match(text, &ground, arena, ret, problem);
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
		if (!lost.value)
			continue;
		/* The array grows: each of a file's many documents may have replaced a map. */
		r = arena_push(explained->arena, explained->also, explained->also_count,
			explained->also_capacity, lost);
		explained->in = explained->at.value;
		explained->in_len = key_text_span(&explained->key).len;
		explained->lost = step->value;
		explained->lost_depth = depth;
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

/* Completes the key of the value that has no parts[depth] by the parts that it had. */
static void complete_key(struct explained *explained, const struct key *key, size_t depth)
{
	struct key_step step = {.value = explained->lost};

	for (size_t i = explained->lost_depth; i < key->count; i++) {
		key_find(step.value, &key->parts[i], &step);
		if (i >= depth)
			put_step(&explained->key, &step);
	}
}

/* Searches the entries removed from the value that has no parts[depth]. */
static int find_gone(struct explained *explained, const struct key *key, size_t depth)
{
	const struct origin *origin = explained->at.origin;
	const struct node *in = explained->at.value;

	for (const struct origin_removed *at = origin ? origin->removed : NULL; at; at = at->next) {
		if (!is_asked_for(key, depth, in, at))
			continue;
		explained->removed = at;
		explained->in = in;
		explained->at.value = NULL;
		return 0;
	}
	if (explained->also_count == 0)
		return EXPLAINED_ABSENT;
	explained->at.value = NULL;
	complete_key(explained, key, depth);
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

static void begin(
	struct explained *explained, const struct explanation *explanation, size_t document)
{
	explained->also_count = 0;
	explained->removed = NULL;
	explained->at = (struct explained_value){.key = &explained->key, .document = document};
	key_text_cut(&explained->key, 0);
	stream_put(&explanation->stream, document, &explained->key);
}

static int look(struct explained *explained, const struct explanation *explanation,
	const struct key *key, size_t document, size_t *depth)
{
	begin(explained, explanation, document);
	return find_in(explained, explanation->result->origins, key,
		explanation->stream.roots[document], depth);
}

/* Refuses a KEY that both documents had. */
static int refuse_both(const struct explanation *explanation, const struct key *key, size_t one,
	size_t other, struct problem *problem)
{
	CLEANUP(key_text_fini) struct key_text first = {0};
	CLEANUP(key_text_fini) struct key_text second = {0};

	stream_put(&explanation->stream, one, &first);
	stream_put(&explanation->stream, other, &second);
	return problem_set(problem, NULL, 0, 0,
		"several documents had '%s'; name one before the KEY, such as %.*s or %.*s",
		key->text, (int)key_text_span(&first).len, key_text_span(&first).data,
		(int)key_text_span(&second).len, key_text_span(&second).data);
}

/* Looks into all documents, as the KEY names none. */
static int look_everywhere(struct explained *explained, const struct explanation *explanation,
	const struct key *key, size_t *depth, struct problem *problem)
{
	size_t count = explanation->stream.count, deepest = 0, nearest = 0, found = count;

	for (size_t i = 0; i < count; i++) {
		int r = look(explained, explanation, key, i, depth);

		if (r < 0)
			return r;
		if (r == 0 && found < count)
			return refuse_both(explanation, key, found, i, problem);
		if (r == 0)
			found = i;
		if (*depth > deepest) {
			deepest = *depth;
			nearest = i;
		}
	}
	/* If none has it, the message is about the one that has the longest part of the KEY. */
	return count ? look(explained, explanation, key, found < count ? found : nearest, depth)
		     : EXPLAINED_ABSENT;
}

static bool has_value(const struct origin_removed *removed, const struct key *key)
{
	const struct origin_step *step = NULL;

	while ((step = origin_removed_next(removed, step)))
		if (step->fate != ORIGIN_REMOVED && key_follow(key, 0, step->value))
			return true;
	return false;
}

/* Searches the document among those that are gone. */
static int find_document(
	struct explained *explained, const struct explanation *explanation, const struct key *key)
{
	struct explained_document *gone;
	size_t count;
	int r = explained_documents_gone(explanation, explained->arena, &gone, &count);

	explained->at = (struct explained_value){.key = &explained->key, .document = key->document};
	for (size_t i = 0; r == 0 && i < count; i++) {
		const struct node *name = gone[i].name, *named = key->named;
		bool is_it = name == named || (name && named && node_equal(name, named));
		if (!is_it || !has_value(&gone[i].removed, key))
			continue;
		stream_put_name(key->named, &explained->key);
		explained->removed = &gone[i].removed;
		return 0;
	}
	return r < 0 ? r : EXPLAINED_ABSENT;
}

int explained_value_find(const struct explanation *explanation, const struct key *key,
	struct explained *ret, size_t *depth, struct problem *problem)
{
	*ret = (struct explained){0};
	*depth = 0;
	int r = arena_new(&ret->arena);
	if (r < 0)
		return r;
	if (!explanation->stream.count)
		r = find_document(ret, explanation, key);
	else if (key->document == KEY_ANY_DOCUMENT)
		r = look_everywhere(ret, explanation, key, depth, problem);
	else if (key->document < explanation->stream.count)
		r = look(ret, explanation, key, key->document, depth);
	else
		r = key->named ? find_document(ret, explanation, key) : EXPLAINED_ABSENT;
	return r == EXPLAINED_ABSENT || !ret->key.has_failed ? r : -ENOMEM;
}

void explained_value_put_removed(
	const struct origin_removed *removed, const struct node *in, struct key_text *key)
{
	if (removed->key && node_is_sequence(in))
		key_text_put_item(key, removed->key, removed->first->value);
	else if (removed->key)
		key_text_put(key, removed->key);
}

/* The documents of all sources by their names. */
struct document_search {
	const struct explanation *explanation;
	struct arena *arena;
	struct node *seen; /* name to its index in `items` (`line` of the value) */
	struct explained_document *items;
	uint32_t count;
	uint32_t capacity;
};

/* Returns the item of that name, which may be new; NULL: no memory. */
static struct explained_document *item_of(struct document_search *search, const struct node *name)
{
	const struct pair *pair = node_find(search->seen, name);

	if (pair)
		return &search->items[pair->value->line];
	if (arena_grow(search->arena, search->items, search->count, search->capacity) < 0)
		return NULL;
	/* The line of a made node is free for the index. */
	struct node *index = node_new_scalar(search->arena, span_of(""), NODE_PLAIN);
	if (!index || node_put(search->arena, search->seen, name, index) < 0)
		return NULL;
	index->line = search->count;
	search->items[search->count] = (struct explained_document){.name = name};
	return &search->items[search->count++];
}

static int add_document(
	struct document_search *search, const struct node *root, const struct node *name)
{
	struct explained_document *item = item_of(search, name);
	struct origin_step *step = arena_zalloc(search->arena, 1, sizeof(*step));

	if (!item || !step)
		return -ENOMEM;
	step->value = root;
	step->fate = ORIGIN_LOST;
	if (item->removed.last)
		item->removed.last->next = step;
	else
		item->removed.first = step;
	item->removed.last = step;
	item->removed.count++;
	return 0;
}

/* Stands for the name that the only document of a file does not have. */
static const struct node unnamed = {.kind = NODE_SCALAR};

static int add_source(struct document_search *search, const struct document *document)
{
	const struct stream *stream = &search->explanation->stream;
	struct stream own;
	int r = stream_make(search->explanation->request, document->roots, document->count,
		search->arena, &own);

	for (size_t i = 0; r == 0 && i < own.count; i++) {
		const struct node *name = own.names ? own.names[i] : NULL;

		if (stream->by ? name && stream_find_named(stream, name) == stream->count
			       : own.count == 1 && !scalar_is_empty(own.roots[i]))
			r = add_document(search, own.roots[i], name ? name : &unnamed);
	}
	return r;
}

int explained_documents_gone(const struct explanation *explanation, struct arena *arena,
	struct explained_document **ret, size_t *count)
{
	const struct merge_request *request = explanation->request;
	struct document_search search = {
		.explanation = explanation, .arena = arena, .seen = node_new_map(arena, NULL)};
	const struct strategy *strategy = request->options->strategy;
	bool may_lack = explanation->stream.by || (!explanation->stream.count && strategy->says);
	int r = search.seen ? 0 : -ENOMEM;

	*count = 0;
	for (size_t i = 0; r == 0 && may_lack && i < request->count; i++)
		if (request->inputs[i].document)
			r = add_source(&search, request->inputs[i].document);
	/* The highest source that has the document has removed it. */
	for (uint32_t i = 0; r == 0 && i < search.count; i++) {
		struct explained_document *item = &search.items[i];
		struct origin_step *last = item->removed.last;

		if (item->removed.count < 2)
			continue;
		if (item->name == &unnamed) {
			if (strategy->says(last->value) != STRATEGY_SAYS_REMOVE)
				continue;
			item->name = NULL;
		}
		last->fate = ORIGIN_REMOVED;
		last->why =
			(struct origin_why){.rule = "the document is deleted", .by = last->value};
		search.items[(*count)++] = *item;
	}
	*ret = search.items;
	return r;
}

void explained_value_fini(struct explained *explained)
{
	key_text_fini(&explained->key);
	arena_free(explained->arena);
}
