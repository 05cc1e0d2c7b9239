/*
 * Every format's edits, on any text: they end, and outside of the splices no byte changes. The
 * resulting text parses, the value stands there or is gone, and nothing else has changed. Setting
 * what is there already changes no byte, an edit done twice does what it does once, and an entry
 * that comes and goes in one edit leaves no trace. Extents lie in the text, each in the one around
 * it and behind the one before. There is one program for each format, FUZZ_FORMAT (meson.build).
 *
 *      byte 0: bits 0 and 1 the op, bits 2 to 4 the value. byte 1: which place of the tree. Then
 *      the text.
 */
#include "cleanup.h"
#include "place.h"
#include "scalar.h"

enum fuzz_op { FUZZ_SET, FUZZ_REMOVE, FUZZ_INSERT, FUZZ_ADD_KEY };

struct fuzz {
	struct span text;
	const struct document *document;
	struct place place;
	struct edit_op op;
};

static const struct read_options options = {
	.format = &FUZZ_FORMAT, .wants_extents = true, .limits = FUZZ_LIMITS};

static void check_range(struct range range, size_t begin, size_t end)
{
	if (range.begin > range.end || range.begin < begin || range.end > end)
		fuzz_stop("an extent lies outside", span_of(""));
}

static void check_extent(const struct extent *extent)
{
	size_t at = extent->value.begin;

	for (const struct extent *entry = extent->first; entry; entry = entry->next) {
		check_range(entry->member, at, extent->value.end);
		check_range(entry->value, entry->member.begin, entry->member.end);
		if (entry->keys)
			check_range(entry->key, entry->member.begin, entry->member.end);
		check_extent(entry);
		at = entry->member.end;
	}
}

/* The extents of other formats may lie differently. */
static void check_extents(const struct document *document, size_t len)
{
	bool has_nodes_extents = options.format == &format_yaml || options.format == &format_json ||
				 options.format == &format_jsonc;

	for (size_t i = 0; has_nodes_extents && document->extents && i < document->count; i++) {
		check_range(document->extents[i]->value, 0, len);
		check_extent(document->extents[i]);
	}
}

static void check_splices(struct span text, const struct edit_result *result)
{
	size_t from = 0, to = 0;

	for (size_t i = 0; i <= result->count; i++) {
		const struct splice *splice = i < result->count ? &result->splices[i] : NULL;
		size_t end = splice ? splice->offset : text.len;

		if (end < from || end > text.len || to + (end - from) > result->text.len ||
			!span_equal((struct span){text.data + from, end - from},
				(struct span){result->text.data + to, end - from}))
			fuzz_stop("a byte outside of the splices is another", result->text);
		to += end - from;
		if (!splice)
			break;
		if (splice->text.len > result->text.len - to ||
			!span_equal(splice->text,
				(struct span){result->text.data + to, splice->text.len}))
			fuzz_stop("a splice is not in the text", result->text);
		to += splice->text.len;
		from = end + splice->len;
	}
	if (to != result->text.len)
		fuzz_stop("the text is longer than what the splices make", result->text);
}

/* Returns a key that every format can hold. */
static const struct node new_key = {
	.kind = NODE_SCALAR, .style = NODE_DOUBLE, .weight = 1, .text = {"k", 1}};

static int edit(const struct fuzz *fuzz, struct span text, struct edit_result **ret)
{
	const struct edit_request request = {.source = {.name = "text", .layer = ""},
		.text = text,
		.options = &options,
		.ops = &fuzz->op,
		.count = 1};
	struct problem problem;
	int r = edit_run(&request, ret, &problem);

	if (r < 0)
		fuzz_stop("the environment did not fail", text);
	if (r == PROBLEM)
		fuzz_check_problem(&problem);
	return r;
}

/* Whether `new` has that entry of `old`, at `at` or behind it; `at` then stands behind it. */
static bool has_entry(const struct node *old, uint32_t number, const struct node *new, uint32_t *at)
{
	/* If a key comes again, the last one counts, so its place is not the same then. */
	if (options.format->has_sections && node_is_map(old)) {
		const struct pair *pair = node_find(new, old->map.pairs[number].key);
		return pair && edit_same(old->map.pairs[number].value, pair->value, false);
	}
	while (*at < node_count(new) &&
		!edit_same(*node_entry(old, number), *node_entry(new, *at), true))
		++*at;
	return (*at)++ < node_count(new);
}

/* All entries of `old` but the one at `step` are in `new`, in their order. */
static void check_others(const struct node *old, const struct node *new,
	const struct edit_step *step, struct span text)
{
	uint32_t at = 0;

	for (uint32_t i = 0; i < node_count(old); i++) {
		bool is_meant =
			step->key ? node_equal(old->map.pairs[i].key, step->key) : i == step->index;

		if (!is_meant && !has_entry(old, i, new, &at))
			fuzz_stop("something else than what was meant has changed", text);
	}
}

/* If a key that comes again is a list, one that comes only once is none: its last item is left. */
static bool is_last_of_repeated(const struct fuzz *fuzz, const struct edit_step *step,
	const struct node *old, const struct node *new)
{
	return options.format->repeats && fuzz->op.kind == EDIT_REMOVE && node_is_sequence(old) &&
	       old->seq.count == 2 && new &&edit_same(old->seq.items[1 - step->index], new, true);
}

/* Returns the entry of `in` at the step; NULL: there is none. */
static const struct node *entry_at(const struct node *in, const struct edit_step *step)
{
	const struct pair *pair = step->key ? node_find(in, step->key) : NULL;

	if (step->key)
		return pair ? pair->value : NULL;
	return step->index < in->seq.count ? in->seq.items[step->index] : NULL;
}

/* SET and REMOVE of the value that is there, or a new entry. */
static void check_tree(const struct fuzz *fuzz, const struct node *new, struct span text)
{
	/* A new item takes the place of none. */
	static const struct edit_step nowhere = {.index = UINT32_MAX};
	const struct node *old = fuzz->document->roots[0];

	for (size_t i = 0; i < fuzz->op.count; i++) {
		const struct edit_step *step = &fuzz->op.steps[i];
		bool is_last = i + 1 == fuzz->op.count;

		/* Only the removed value is gone; the text may have no value at all now. */
		if (!new && fuzz->op.kind == EDIT_REMOVE && node_count(old) == 1)
			break;
		if (is_last_of_repeated(fuzz, step, old, new))
			break;
		if (!new || new->kind != old->kind)
			fuzz_stop("what is around the value has changed", text);
		check_others(
			old, new, is_last && fuzz->op.kind == EDIT_INSERT ? &nowhere : step, text);
		if (fuzz->op.kind == EDIT_REMOVE && is_last)
			break;
		old = entry_at(old, step);
		new = entry_at(new, step);
	}
	/* An empty map can be a text without any value. */
	if (!new && !fuzz->op.count && node_is_map(fuzz->op.value) && !node_count(fuzz->op.value))
		return;
	/* If a section may be repeated, it is a list of one. */
	if (options.format->repeats && new &&node_is_sequence(new) && new->seq.count == 1 &&
		node_is_map(fuzz->op.value))
		new = new->seq.items[0];
	if (fuzz->op.kind != EDIT_REMOVE && (!new || !edit_same(new, fuzz->op.value, false)))
		fuzz_stop("the value does not stand there", text);
}

static void check_twice(const struct fuzz *fuzz, struct span text)
{
	CLEANUP(edit_result_freep) struct edit_result *result = NULL;

	if (edit(fuzz, text, &result) != 0)
		fuzz_stop("what was done can't be done twice", text);
	if (result->count > 0)
		fuzz_stop("what was done twice is more than what was done once", result->text);
}

/* An entry that comes and goes in one edit leaves no trace. */
static void check_undone(const struct fuzz *fuzz)
{
	CLEANUP(edit_result_freep) struct edit_result *result = NULL;
	const struct edit_op ops[] = {
		fuzz->op, {.kind = EDIT_REMOVE, .steps = fuzz->op.steps, .count = fuzz->op.count}};
	const struct edit_request request = {.source = {.name = "text", .layer = ""},
		.text = fuzz->text,
		.options = &options,
		.ops = ops,
		.count = 2};
	struct problem problem;

	if (edit_run(&request, &result, &problem) == 0 && result->count > 0)
		fuzz_stop("what came and went has left a trace", result->text);
}

static void check_edit(const struct fuzz *fuzz, bool is_there, bool is_new)
{
	CLEANUP(edit_result_freep) struct edit_result *result = NULL;
	CLEANUP(document_freep) struct document *again = NULL;

	if (edit(fuzz, fuzz->text, &result) != 0)
		return;
	check_splices(fuzz->text, result);
	if (!fuzz_read(result->text, &options, &again))
		fuzz_stop("what comes out does not parse", result->text);
	check_extents(again, result->text.len);
	if (is_there || is_new)
		check_tree(fuzz, again->count ? again->roots[0] : NULL, result->text);
	if (fuzz->op.kind == EDIT_SET)
		check_twice(fuzz, result->text);
	if (is_new)
		check_undone(fuzz);
}

/* No value can be written as nothing; to set that, an edit sets null. */
static bool has_empty(const struct node *node)
{
	bool is_found = node_is_scalar(node) && scalar_is_empty(node);

	for (uint32_t i = 0; !is_found && i < node_count(node); i++)
		is_found = has_empty(*node_entry(node, i)) ||
			   (node_is_map(node) && has_empty(node->map.pairs[i].key));
	return is_found;
}

/* Sets the value that stands there: no byte changes. */
static void check_present(struct fuzz fuzz)
{
	CLEANUP(edit_result_freep) struct edit_result *result = NULL;

	fuzz.op.kind = EDIT_SET;
	fuzz.op.value = fuzz.place.value;
	if (edit(&fuzz, fuzz.text, &result) == 0 && result->count > 0)
		fuzz_stop("what is there already changes the text", result->text);
}

static void check_op(struct fuzz *fuzz, enum fuzz_op kind, const struct node *value)
{
	fuzz->op = (struct edit_op){.kind = kind == FUZZ_REMOVE   ? EDIT_REMOVE
					    : kind == FUZZ_INSERT ? EDIT_INSERT
								  : EDIT_SET,
		.steps = fuzz->place.steps,
		.count = fuzz->place.count,
		.value = value};
	if (fuzz->place.value && !has_empty(fuzz->place.value))
		check_present(*fuzz);
	const struct node *in = fuzz->place.value;
	bool is_new = false;
	if (kind >= FUZZ_INSERT)
		fuzz->place.steps[fuzz->op.count++] =
			(struct edit_step){.key = kind == FUZZ_ADD_KEY ? &new_key : NULL};
	if (kind == FUZZ_ADD_KEY)
		is_new = in && node_is_map(in) && !node_find(in, &new_key);
	/* If keys repeat, an item in front of an empty one is no value. */
	if (kind == FUZZ_INSERT)
		is_new = in && node_is_sequence(in) && !options.format->repeats;
	check_edit(fuzz, in && kind < FUZZ_INSERT, is_new);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input input = {data, size};
	uint8_t flags = fuzz_byte(&input), number = fuzz_byte(&input);
	CLEANUP(document_freep) struct document *document = NULL;
	CLEANUP(document_freep) struct document *value = place_new_value(flags >> 2);
	/* Memory of its own, so that a read past its end shows. */
	CLEANUP(freep) char *copy = malloc(input.size + !input.size);
	struct fuzz fuzz = {.text = {copy, input.size}};

	if (!copy)
		abort();
	if (input.size)
		memcpy(copy, input.data, input.size);
	if (!fuzz_read(fuzz.text, &options, &document))
		return 0;
	check_extents(document, fuzz.text.len);
	fuzz.document = document;
	if (!document->count || place_choose(&fuzz.place, document->roots[0], number))
		check_op(&fuzz, flags & 3, value->roots[0]);
	return 0;
}
