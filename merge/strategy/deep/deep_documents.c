#include "deep_documents.h"

#include <errno.h>

#include "cleanup.h"
#include "key.h"
#include "scalar.h"
#include "stream.h"

#define WAYS "'{by: [kind, metadata.name]}', 'position' or 'merge'"

static const struct node kind = {
	.kind = NODE_SCALAR, .weight = 1, .schema = NODE_TEXT, .text = {"kind", 4}};
static const struct node name = {
	.kind = NODE_SCALAR, .weight = 1, .schema = NODE_TEXT, .text = {"metadata.name", 13}};
static const struct node *kind_and_name[] = {&kind, &name};
static const struct node by_kind_and_name = {
	.kind = NODE_SEQUENCE, .weight = 3, .seq = {.items = kind_and_name, .count = 2}};

/* Gives the keys of {by: KEY} or {by: [KEY, …]} as a sequence. */
static int read_by(const struct node *option, struct arena *arena, const struct node **ret,
	struct problem *problem)
{
	const struct node *by = node_is_map(option) ? node_get(option, "by") : NULL;
	struct node *list;

	if (!by || node_count(option) != 1)
		return problem_at(problem, option,
			"documents are matched by " WAYS ", or not at all: 'refuse'");
	*ret = by;
	if (node_is_scalar(by)) {
		list = node_new_sequence(arena, by);
		*ret = list;
		return list ? node_push(arena, list, by) : -ENOMEM;
	}
	if (!node_is_sequence(by) || !by->seq.count)
		return problem_at(problem, by,
			"'by' names the keys by which documents are matched, such as {by: [kind, "
			"metadata.name]}");
	return 0;
}

static int read_keys(
	const struct node *by, struct arena *arena, struct key **ret, struct problem *problem)
{
	struct key *keys = arena_zalloc(arena, by->seq.count, sizeof(*keys));
	int r = keys ? 0 : -ENOMEM;

	for (uint32_t i = 0; r == 0 && i < by->seq.count; i++) {
		const struct node *text = by->seq.items[i];
		struct problem bad;

		if (!node_is_scalar(text) || !text->text.len)
			return problem_at(problem, text, "a key is a text, and this is %s",
				node_is_scalar(text) ? "empty" : node_kind_name(text));
		r = key_parse(text->text.data, arena, &keys[i], &bad);
		if (r == PROBLEM)
			return problem_at(problem, text, "%s", bad.message);
		for (size_t j = 0; r == 0 && j < keys[i].count; j++)
			if (keys[i].parts[j].value.data)
				return problem_at(problem, text,
					"documents are matched by keys, and '%s' selects an item "
					"of a list",
					text->text.data);
		if (r == 0 && !keys[i].count)
			return problem_at(problem, text, "'.' is the document itself, not a key");
	}
	*ret = keys;
	return r;
}

static bool is_word(const struct node *option)
{
	return node_is_scalar(option) && span_is_in(option->text, "refuse|merge|position", "|");
}

static const struct node *get_option(const struct options *options)
{
	const struct node *option = options_get(options, "documents");

	return option && !scalar_is_null(option) ? option : NULL;
}

int deep_documents_check(const struct options *options, struct problem *problem)
{
	const struct node *option = get_option(options), *by;
	CLEANUP(arena_freep) struct arena *arena = NULL;
	struct key *keys;

	if (!option || is_word(option))
		return 0;
	int r = arena_new(&arena);
	if (r == 0)
		r = read_by(option, arena, &by, problem);
	return r == 0 ? read_keys(by, arena, &keys, problem) : r;
}

/* How many documents the sources have; empty ones do not count. */
struct document_counts {
	const struct node *second;      /* of a source that has two; NULL: none has */
	const struct merge_input *only; /* that has documents; NULL: none, or several */
	size_t inputs;                  /* that have documents */
};

static struct document_counts count_documents(const struct merge_input *inputs, size_t count)
{
	struct document_counts counts = {0};

	for (size_t i = 0; i < count; i++) {
		const struct document *document = inputs[i].document;
		size_t found = 0;

		for (size_t n = 0; document && n < document->count; n++)
			if (!scalar_is_empty(document->roots[n]) && ++found == 2 && !counts.second)
				counts.second = document->roots[n];
		if (found)
			counts.only = counts.inputs++ ? NULL : &inputs[i];
	}
	return counts;
}

static bool has_kind_and_name(const struct node *root)
{
	const struct node *metadata = node_is_map(root) ? node_get(root, "metadata") : NULL;
	const struct node *const values[] = {metadata ? node_get(root, "kind") : NULL,
		metadata && node_is_map(metadata) ? node_get(metadata, "name") : NULL};

	for (size_t i = 0; i < 2; i++)
		if (!values[i] || !node_is_scalar(values[i]) || scalar_is_null(values[i]))
			return false;
	return true;
}

static bool all_have_kind_and_name(const struct merge_input *inputs, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct document *document = inputs[i].document;

		for (size_t n = 0; document && n < document->count; n++)
			if (!scalar_is_empty(document->roots[n]) &&
				!has_kind_and_name(document->roots[n]))
				return false;
	}
	return true;
}

/* Writes "'kind' and 'metadata.name'" for a message. Returns NULL when there is no memory. */
static const char *name_keys(const struct node *by, struct arena *arena)
{
	const char *names = "";

	for (uint32_t i = 0; names && i < by->seq.count; i++)
		names = arena_printf(arena, "%s%s'%s'", names,
			!i                       ? ""
			: i + 1 == by->seq.count ? " and "
						 : ", ",
			by->seq.items[i]->text.data);
	return names;
}

static int prepare(struct deep_documents *ret, struct arena *arena, struct problem *problem)
{
	int r = read_keys(ret->by, arena, &ret->keys, problem);

	if (r != 0)
		return r;
	ret->match = DEEP_DOCUMENTS_BY_KEYS;
	ret->names = name_keys(ret->by, arena);
	return ret->names ? 0 : -ENOMEM;
}

static bool is_removal(const struct node *said)
{
	return node_is_map(said) && node_count(said) && directive_of(said) == DIRECTIVE_DELETE;
}

/* Returns whether nothing in the only source needs a match. */
static bool is_plain(const struct document_counts *counts)
{
	const struct document *only = counts->only ? counts->only->document : NULL;

	if (!only || counts->second)
		return !only || !directive_is_in(only);
	for (size_t i = 0; i < only->count; i++)
		if (is_removal(only->roots[i]))
			return false;
	return true;
}

/* Decides how the documents are matched, with or without the option. */
static int decide(const struct merge_request *request, const struct merge_input *inputs,
	size_t count, struct arena *arena, struct deep_documents *ret, struct problem *problem)
{
	const struct node *option = get_option(request->options);
	const struct document_counts counts = count_documents(inputs, count);
	bool has_others = counts.inputs > 1;
	bool is_refused = option && is_word(option) && span_is(option->text, "refuse");
	bool needs_match = has_others || !is_plain(&counts);
	int r = 0;

	if (option && is_word(option) && !is_refused)
		ret->match = span_is(option->text, "merge") ? DEEP_DOCUMENTS_ARE_ONE
							    : DEEP_DOCUMENTS_BY_POSITION;
	else if (option && !is_refused && needs_match)
		r = read_by(option, arena, &ret->by, problem);
	else if (!is_refused && needs_match && all_have_kind_and_name(inputs, count))
		ret->by = &by_kind_and_name;
	else if (!counts.second)
		ret->match = DEEP_DOCUMENTS_ARE_ONE;
	else if (has_others)
		return problem_at(problem, counts.second,
			"a second document begins here, and nothing says with which document of "
			"another file it is merged; give the rule the option 'documents': %s, or "
			"keep one document in each file",
			format_of_tree(request->to) == &format_yaml ? WAYS : "'merge'");
	return r == 0 && ret->by ? prepare(ret, arena, problem) : r;
}

int deep_documents_init(struct deep *deep, struct deep_documents *ret)
{
	const struct merge *merge = deep->merge;

	*ret = (struct deep_documents){.map = node_new_map(deep_key_arena(deep), NULL)};
	if (!ret->map)
		return -ENOMEM;
	ret->map->mark = OWNED;
	return decide(
		merge->request, merge->inputs, merge->count, deep->scratch, ret, merge->problem);
}

/*
 * Makes the identity: the values of the keys. A missing one counts as null. At least one must be
 * there.
 */
static int read_identity(const struct deep_documents *documents, const struct node *said,
	struct arena *arena, const struct node **ret, struct problem *problem)
{
	struct node *identity = node_new_sequence(arena, NULL);
	struct node *nothing = node_new_scalar(arena, span_of(""), NODE_PLAIN);
	bool has_any = false;

	if (!identity || !nothing)
		return -ENOMEM;
	for (uint32_t i = 0; i < documents->by->seq.count; i++) {
		const char *by = documents->by->seq.items[i]->text.data;
		const struct node *value = key_follow(&documents->keys[i], 0, said);

		if (value && directive_of(value) != DIRECTIVE_NONE)
			return problem_at(problem, value,
				"'%s' can't stand at '%s', by which the documents are matched; "
				"write a value",
				value->tag, by);
		if (value && !node_is_scalar(value))
			return problem_at(problem, value,
				"the documents are matched by '%s', which is %s here and must be a "
				"scalar",
				by, node_kind_name(value));
		if (value && scalar_is_null(value))
			value = NULL;
		has_any |= value != NULL;
		if (node_push(arena, identity, value ? value : nothing) < 0)
			return -ENOMEM;
	}
	*ret = identity;
	if (has_any)
		return 0;
	return problem_at(problem, said,
		"this document has no %s, by which the documents are matched; add it, or match the "
		"documents by another key",
		documents->names);
}

static int number_identity(struct deep *deep, size_t n, const struct node **ret)
{
	struct arena *arena = deep_key_arena(deep);
	const char *text = arena_printf(arena, "%zu", n);
	struct node *number = text ? node_new_scalar(arena, span_of(text), NODE_PLAIN) : NULL;

	if (!number)
		return -ENOMEM;
	number->schema = NODE_TEXT;
	*ret = number;
	return 0;
}

/* Appends the document `identity` without a value. */
static int append(struct deep *deep, struct deep_documents *documents, const struct node *said,
	const struct node *identity)
{
	const struct pair pair = {identity, identity, node_hash(identity)};
	uint32_t count = documents->map->map.count;

	if (arena_grow(deep->scratch, documents->inputs, count, documents->capacity) < 0)
		return -ENOMEM;
	documents->inputs[count] = 0;
	int r = deep_spend(deep, said, 1);
	if (r == 0)
		r = node_put_hashed(deep_key_arena(deep), documents->map, &pair);
	if (r == 0)
		deep_set(documents->map, count, NULL);
	return r;
}

int deep_documents_find(struct deep *deep, struct deep_documents *documents, size_t i, size_t n,
	const struct node *said, uint32_t *ret)
{
	struct problem *problem = deep->merge->problem;
	const struct node *identity;
	bool is_by_keys = documents->match == DEEP_DOCUMENTS_BY_KEYS;
	size_t number = documents->match == DEEP_DOCUMENTS_ARE_ONE ? 0 : n;
	int r = is_by_keys
			? read_identity(documents, said, deep_key_arena(deep), &identity, problem)
			: number_identity(deep, number, &identity);

	if (r != 0)
		return r;
	const struct pair *pair = node_find(documents->map, identity);
	if (!pair) {
		r = append(deep, documents, said, identity);
		if (r != 0)
			return r;
		pair = &documents->map->map.pairs[documents->map->map.count - 1];
	}
	*ret = (uint32_t)(pair - documents->map->map.pairs);
	uint32_t *last = &documents->inputs[*ret];
	if (is_by_keys && *last == i + 1)
		return problem_at(problem, said,
			"this source has two documents with the same %s; match them by more keys "
			"with the rule's option 'documents', such as {by: [kind, "
			"metadata.namespace, metadata.name]}",
			documents->names);
	*last = (uint32_t)(i + 1);
	return 0;
}

int deep_documents_check_removal(struct deep *deep, const struct deep_documents *documents,
	const struct node *said, bool *ret)
{
	size_t known = 0;

	*ret = documents->by && node_is_map(said) && directive_of(said) == DIRECTIVE_DELETE;
	if (!*ret)
		return 0;
	for (uint32_t i = 0; i < documents->by->seq.count; i++)
		known += key_follow(&documents->keys[i], 0, said) != NULL;
	if (stream_count_scalars(said) <= known)
		return 0;
	return problem_at(deep->merge->problem, said,
		"a document with '%s' has %s and nothing else; to replace the document below by "
		"this one, write '!replace'",
		said->tag, documents->names);
}

int deep_documents_give(
	struct deep *deep, const struct deep_documents *documents, const struct node **ret)
{
	bool keeps_empty = documents->match == DEEP_DOCUMENTS_BY_POSITION;
	struct node *stream = node_new_sequence(deep->merge->arena, NULL);
	int r = stream ? 0 : -ENOMEM;

	for (uint32_t i = 0; r == 0 && i < documents->map->map.count; i++) {
		const struct node *root = deep_value(&documents->map->map.pairs[i]);

		/* The documents behind an empty one keep their position. */
		if (!root && keeps_empty)
			root = node_new_scalar(deep->merge->arena, span_of(""), NODE_PLAIN);
		if (!root && keeps_empty)
			return -ENOMEM;
		if (root)
			r = deep_seal(deep, root, &root);
		if (r == 0 && root)
			r = node_push(deep->merge->arena, stream, root);
	}
	if (r != 0)
		return r;
	stream->style = NODE_STREAM;
	*ret = stream->seq.count > 1 ? stream : stream->seq.count ? stream->seq.items[0] : NULL;
	return 0;
}

/* Makes a document that has only the keys by which it is matched with `root`. */
static int make_named(const struct deep_documents *documents, const struct node *root,
	struct arena *arena, const struct node **ret)
{
	struct node *map = node_new_map(arena, NULL);
	int r = map ? 0 : -ENOMEM;

	for (uint32_t i = 0; r == 0 && i < documents->by->seq.count; i++) {
		const struct node *value = key_follow(&documents->keys[i], 0, root);

		if (value)
			r = stream_put_at(arena, map, &documents->keys[i], value);
	}
	if (r == 0)
		node_weigh(map);
	*ret = map;
	return r;
}

int deep_documents_match(const struct merge_request *request, const struct node *root, size_t n,
	const struct node *const *roots, size_t count, struct arena *arena, size_t *ret,
	const struct node **named)
{
	struct deep_documents documents = {0};
	struct problem ignored; /* a document without the keys is matched with none */
	const struct node *wanted, *identity;
	int r = decide(request, request->inputs, request->count, arena, &documents, &ignored);

	*ret = documents.by || n > count ? count : n;
	*named = NULL;
	if (r == 0 && documents.by)
		r = read_identity(&documents, root, arena, &wanted, &ignored);
	if (r != 0 || !documents.by)
		return r < 0 ? r : 0;
	for (*ret = 0; *ret < count; ++*ret) {
		r = read_identity(&documents, roots[*ret], arena, &identity, &ignored);
		if (r < 0 || (r == 0 && node_equal(identity, wanted)))
			return r;
	}
	return make_named(&documents, root, arena, named);
}

int deep_documents_name(const struct merge_request *request, const struct node *const *roots,
	size_t count, struct arena *arena, const struct node **names, const struct node **by)
{
	struct deep_documents documents = {0};
	const struct node *option = get_option(request->options), *identity;
	struct problem ignored; /* the option is checked; a document without the keys has no name */
	int r = 0;

	if (format_of_tree(request->to) != &format_yaml)
		return 0;
	if (option && !is_word(option))
		r = read_by(option, arena, &documents.by, &ignored);
	else if (!option && all_have_kind_and_name(request->inputs, request->count))
		documents.by = &by_kind_and_name;
	*by = documents.by;
	if (r != 0 || !documents.by)
		return r < 0 ? r : 0;
	r = prepare(&documents, arena, &ignored);
	for (size_t i = 0; r == 0 && i < count; i++) {
		r = read_identity(&documents, roots[i], arena, &identity, &ignored);
		r = r == 0 ? make_named(&documents, roots[i], arena, &names[i]) : r < 0 ? r : 0;
	}
	return r < 0 ? r : 0;
}
