#include "stream.h"

#include <errno.h>

#include "key.h"
#include "merge.h"
#include "scalar.h"
#include "spelling.h"
#include "strategy.h"

/* Makes the index of the names, and drops those that several documents have. */
static int make_index(
	const struct node **names, size_t count, struct arena *arena, const struct node **ret)
{
	struct node *index = node_new_map(arena, NULL);
	bool *is_double = arena_zalloc(arena, count + 1, sizeof(*is_double));
	int r = index && is_double ? 0 : -ENOMEM;

	for (size_t i = 0; r == 0 && i < count; i++) {
		const struct pair *pair = names[i] ? node_find(index, names[i]) : NULL;
		struct node *place;

		if (!names[i])
			continue;
		if (pair) {
			is_double[pair->value->line] = is_double[i] = true;
			continue;
		}
		place = node_new_scalar(arena, span_of(""), NODE_PLAIN);
		r = place ? node_put(arena, index, names[i], place) : -ENOMEM;
		if (r == 0)
			place->line = (uint32_t)i;
	}
	for (size_t i = 0; r == 0 && i < count; i++)
		if (is_double[i])
			names[i] = NULL;
	*ret = index;
	return r;
}

int stream_make(const struct merge_request *request, const struct node *const *roots, size_t count,
	struct arena *arena, struct stream *ret)
{
	const struct strategy *strategy = request->options->strategy;
	const struct node **names;

	*ret = (struct stream){.roots = roots, .count = count};
	if (!strategy->name_documents)
		return 0;
	names = arena_zalloc(arena, count + 1, sizeof(*names));
	int r = names ? strategy->name_documents(request, roots, count, arena, names, &ret->by)
		      : -ENOMEM;
	if (r == 0)
		r = make_index(names, count, arena, &ret->index);
	ret->names = names;
	return r;
}

int stream_of(const struct merge_request *request, const struct node *const *root,
	struct arena *arena, struct stream *ret)
{
	size_t count = 0;
	const struct node *const *roots = *root ? node_documents(root, &count) : NULL;

	return stream_make(request, roots, count, arena, ret);
}

size_t stream_find_named(const struct stream *stream, const struct node *name)
{
	const struct pair *pair = stream->index ? node_find(stream->index, name) : NULL;
	bool is_there = pair && stream->names[pair->value->line];

	return is_there ? pair->value->line : stream->count;
}

/* Returns the value in the document that the condition is about; NULL: there is none. */
static const struct node *value_of(const struct key_condition *condition, const struct node *root)
{
	const struct node *value = key_follow(&condition->key, 0, root);
	const struct key_part whole = {.name = span_of(condition->key.text)};
	struct key_step step;

	if (!value && node_is_map(root) && key_find(root, &whole, &step))
		value = step.value;
	return value && node_is_scalar(value) ? value : NULL;
}

static bool fits(const struct key_condition *conditions, size_t count, const struct node *root)
{
	for (size_t i = 0; i < count; i++) {
		const struct node *value = value_of(&conditions[i], root);

		if (!value || !spelling_is(value, conditions[i].value->text))
			return false;
	}
	return true;
}

size_t stream_count_scalars(const struct node *node)
{
	size_t count = node_is_scalar(node);

	for (uint32_t i = 0; i < node_count(node); i++)
		count += stream_count_scalars(*node_entry(node, i));
	return count;
}

static int refuse_several(const struct stream *stream, const char *text, size_t end,
	const bool *is_fitting, struct problem *problem)
{
	struct key_text forms = {0};
	int r;

	for (size_t i = 0; i < stream->count && forms.len < PROBLEM_MESSAGE_MAX / 2; i++) {
		if (!is_fitting[i])
			continue;
		if (forms.len)
			key_text_put_text(&forms, span_of(", "));
		stream_put(stream, i, &forms);
	}
	r = forms.has_failed
		    ? -ENOMEM
		    : problem_set(problem, NULL, 0, 0,
			      "'%.*s' fits several documents; write one of %.*s", (int)end, text,
			      (int)key_text_span(&forms).len, key_text_span(&forms).data);
	key_text_fini(&forms);
	return r;
}

/* Finds the document that fits the conditions. Returns 0, STREAM_NONE, PROBLEM or -ENOMEM. */
static int find_fitting(const struct stream *stream, const struct key_condition *conditions,
	size_t condition_count, const char *text, struct arena *arena, struct stream_place *place,
	struct problem *problem)
{
	bool *is_fitting = arena_zalloc(arena, stream->count + 1, sizeof(*is_fitting));
	size_t count = 0;

	if (!is_fitting)
		return -ENOMEM;
	for (size_t i = 0; i < stream->count; i++) {
		const struct node *name = stream->names ? stream->names[i] : NULL;

		is_fitting[i] = fits(conditions, condition_count, stream->roots[i]);
		if (!is_fitting[i])
			continue;
		place->document = i;
		if (name && stream_count_scalars(name) == condition_count &&
			fits(conditions, condition_count, name))
			return 0;
		count++;
	}
	if (count > 1)
		return refuse_several(stream, text, place->end, is_fitting, problem);
	return count ? 0 : STREAM_NONE;
}

static bool is_same_key(const struct key *one, const struct key *other)
{
	bool is_so = one->count == other->count;

	for (size_t i = 0; is_so && i < one->count; i++)
		is_so = span_equal(one->parts[i].name, other->parts[i].name) &&
			!one->parts[i].value.data && !other->parts[i].value.data;
	return is_so;
}

int stream_put_at(
	struct arena *arena, struct node *map, const struct key *key, const struct node *value)
{
	for (size_t i = 0; i < key->count; i++) {
		struct node *word = node_new_scalar(arena, key->parts[i].name, NODE_PLAIN);
		const struct pair *pair = word ? node_find(map, word) : NULL;
		bool is_last = i + 1 == key->count;
		struct node *inner = pair      ? (struct node *)pair->value
				     : is_last ? node_copy(arena, value)
					       : node_new_map(arena, NULL);

		if (!word || !inner || (!pair && node_put(arena, map, word, inner) < 0))
			return -ENOMEM;
		if (!node_is_map(inner))
			return 0;
		map = inner;
	}
	return 0;
}

/*
 * Makes the name of a new document, if the conditions are about exactly the keys by which documents
 * are matched; else *ret is NULL.
 */
static int make_name(const struct stream *stream, const struct key_condition *conditions,
	size_t count, struct arena *arena, const struct node **ret)
{
	struct node *name = node_new_map(arena, NULL);
	int r = name ? 0 : -ENOMEM;

	*ret = NULL;
	if (!stream->by || stream->by->seq.count != count)
		return r;
	for (uint32_t n = 0; r == 0 && n < count; n++) {
		struct problem ignored;
		struct key by;
		size_t i = 0;

		r = key_parse(stream->by->seq.items[n]->text.data, arena, &by, &ignored);
		while (r == 0 && i < count && !is_same_key(&conditions[i].key, &by))
			i++;
		if (r != 0 || i == count)
			return r < 0 ? r : 0;
		r = stream_put_at(arena, name, &by, conditions[i].value);
	}
	if (r == 0)
		node_weigh(name);
	*ret = name;
	return r;
}

/* Reads [0]. Returns whether it is such an index. */
static bool read_index(const char *at, uint64_t *ret, size_t *len)
{
	size_t digits = strspn(at + 1, "0123456789");

	*ret = 0;
	for (size_t i = 1; i <= digits && *ret < UINT32_MAX; i++)
		*ret = 10 * *ret + (uint64_t)(at[i] - '0');
	*len = digits + 2;
	return digits > 0 && at[digits + 1] == ']';
}

int stream_find(const struct stream *stream, const char *text, size_t begin, struct arena *arena,
	struct stream_place *ret, struct problem *problem)
{
	struct key_condition *conditions;
	size_t count, len;
	uint64_t index;

	*ret = (struct stream_place){0};
	begin += text[begin] == '.' && text[begin + 1] == '[';
	if (text[begin] != '[')
		return STREAM_NONE;
	/* In a file of one document it is an item of a list. */
	if (read_index(text + begin, &index, &len)) {
		*ret = (struct stream_place){.document = (size_t)index, .end = begin + len};
		if (stream->count < 2 || index < stream->count)
			return stream->count < 2 ? STREAM_NONE : 0;
		return problem_set(problem, NULL, 0, 0,
			"the file has %zu documents, so there is none at '%.*s'; count from [0]",
			stream->count, (int)ret->end, text);
	}
	if (stream->count < 2 && !stream->by)
		return STREAM_NONE;
	int r = key_parse_conditions(text, begin, arena, &conditions, &count, &ret->end);
	if (r != 0)
		return r < 0 ? r : STREAM_NONE;
	r = find_fitting(stream, conditions, count, text, arena, ret, problem);
	if (r != STREAM_NONE)
		return r;
	ret->document = stream->count;
	r = make_name(stream, conditions, count, arena, &ret->named);
	if (r < 0)
		return r;
	return ret->named ? STREAM_NEW : stream->by ? STREAM_UNKNOWN : STREAM_NONE;
}

int stream_refuse_unknown(const struct stream *stream, const char *text, size_t begin, size_t end,
	struct problem *problem)
{
	struct key_text form = {0};
	int r;

	for (uint32_t i = 0; i < stream->by->seq.count; i++) {
		key_text_put_text(&form, span_of(i ? "," : "["));
		key_text_put_text(&form, stream->by->seq.items[i]->text);
		key_text_put_text(&form, span_of("=…"));
	}
	r = form.has_failed ? -ENOMEM
			    : problem_set(problem, NULL, 0, 0,
				      "no document has '%.*s'; the name of a new one is %.*s]",
				      (int)(end - begin), text + begin, (int)form.len, form.data);
	key_text_fini(&form);
	return r;
}

static void put_conditions(
	const struct node *name, struct key_text *keys, const char **before, struct key_text *ret)
{
	size_t len = keys->len;

	for (uint32_t i = 0; node_is_map(name) && i < name->map.count; i++) {
		const struct pair *pair = &name->map.pairs[i];

		key_text_put(keys, pair->key);
		if (node_is_scalar(pair->value)) {
			key_text_put_text(ret, span_of(*before));
			key_text_put_text(ret, key_text_span(keys));
			key_text_put_condition(ret, pair->value);
			*before = ",";
		} else {
			put_conditions(pair->value, keys, before, ret);
		}
		key_text_cut(keys, len);
	}
}

void stream_put_name(const struct node *name, struct key_text *ret)
{
	struct key_text keys = {0};
	const char *before = "[";

	if (!name)
		return;
	put_conditions(name, &keys, &before, ret);
	key_text_put_text(ret, span_of("]"));
	ret->has_failed |= keys.has_failed;
	key_text_fini(&keys);
}

void stream_put(const struct stream *stream, size_t document, struct key_text *ret)
{
	const struct node *name = stream->names ? stream->names[document] : NULL;

	if (stream->count < 2)
		return;
	if (name)
		stream_put_name(name, ret);
	else
		key_text_put_index(ret, (uint32_t)document);
}

const struct node *stream_name(
	const struct node *name, const struct node *value, struct arena *arena)
{
	struct node *map;

	if (!node_is_map(name) || !node_is_map(value))
		return value;
	map = node_copy(arena, name);
	if (!map)
		return NULL;
	map->tag = value->tag;
	for (uint32_t i = 0; i < value->map.count; i++) {
		const struct pair *pair = &value->map.pairs[i];
		const struct pair *old = node_find(name, pair->key);
		const struct node *inner =
			old ? stream_name(old->value, pair->value, arena) : pair->value;

		if (!inner || node_put(arena, map, pair->key, inner) < 0)
			return NULL;
	}
	return map;
}

bool stream_has_name(const struct node *root, const struct node *name)
{
	bool is_so = node_is_map(root) == node_is_map(name);

	if (!is_so || !node_is_map(name))
		return is_so && node_equal(root, name);
	for (uint32_t i = 0; is_so && i < name->map.count; i++) {
		const struct pair *pair = node_find(root, name->map.pairs[i].key);

		is_so = pair && stream_has_name(pair->value, name->map.pairs[i].value);
	}
	return is_so;
}
