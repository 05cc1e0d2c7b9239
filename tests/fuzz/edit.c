/*
 * Every format's edits, on any text: they end, what they give is the text with the splices done,
 * and it has the tree that was wanted, as far as it can be told here: the value stands there, or is
 * gone. Extents lie in the text, each in the one around it and behind the one before.
 *
 *      byte 0: the format. byte 1: bits 0 and 1 the op, bits 2 to 4 the value. byte 2: which place
 *      of the tree. Then the text.
 */
#include <stdio.h>
#include <stdlib.h>

#include "cleanup.h"
#include "edit/edit.h"

/* Small, so that the fuzzer looks for other things than large aliases. */
#define FUZZ_LIMITS                                                                                \
	((struct limits){                                                                          \
		.source_bytes = 1u << 20, .result_bytes = 1u << 20, .depth = 64, .nodes = 20000})

#define STEPS_MAX 64

struct fuzz {
	struct read_options options;
	struct document *document;
	struct document *value;
	struct edit_step steps[STEPS_MAX];
	unsigned left; /* places in the tree before the one that is meant */
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct source source = {.name = "text", .layer = ""};

static void stop(const char *rule)
{
	fprintf(stderr, "%s\n", rule);
	abort();
}

static void check_range(struct range range, size_t begin, size_t end)
{
	if (range.begin > range.end || range.begin < begin || range.end > end)
		stop("an extent lies outside");
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

/* Those of other formats may lie otherwise. */
static bool has_nodes_extents(const struct fuzz *fuzz)
{
	const struct format *format = fuzz->options.format;

	return format == &format_yaml || format == &format_json || format == &format_jsonc;
}

static void check_extents(const struct document *document, size_t len)
{
	for (size_t i = 0; document->extents && i < document->count; i++) {
		check_range(document->extents[i]->value, 0, len);
		check_extent(document->extents[i]);
	}
}

/* The steps to the place that is meant; -1: it is not here. */
static int find_place(struct fuzz *fuzz, const struct node *node, int depth)
{
	if (!fuzz->left--)
		return depth;
	for (uint32_t i = 0; i < node_count(node) && depth < STEPS_MAX - 1; i++) {
		int found;

		fuzz->steps[depth] = (struct edit_step){
			.key = node_is_map(node) ? node->map.pairs[i].key : NULL, .index = i};
		found = find_place(fuzz, *node_entry(node, i), depth + 1);
		if (found >= 0)
			return found;
	}
	return -1;
}

static struct document *read_text(
	const struct fuzz *fuzz, struct span text, const struct format *format)
{
	struct read_options options = fuzz->options;
	struct document *document = NULL;
	struct problem problem;

	options.format = format;
	if (document_read(&source, text, &options, &document, &problem) != 0)
		return NULL;
	return document;
}

static void check_splices(struct span text, const struct edit_result *result)
{
	size_t from = 0, to = 0;

	for (size_t i = 0; i <= result->count; i++) {
		const struct splice *splice = i < result->count ? &result->splices[i] : NULL;
		size_t end = splice ? splice->offset : text.len;

		if (end < from || end > text.len || to + (end - from) > result->text.len ||
			(end > from &&
				memcmp(text.data + from, result->text.data + to, end - from) != 0))
			stop("a byte outside of the splices is another");
		to += end - from;
		if (!splice)
			break;
		if (splice->text.len > result->text.len - to ||
			(splice->text.len && memcmp(result->text.data + to, splice->text.data,
						     splice->text.len) != 0))
			stop("a splice is not in the text");
		to += splice->text.len;
		from = end + splice->len;
	}
	if (to != result->text.len)
		stop("the text is longer than what the splices make");
}

static void edit(struct fuzz *fuzz, struct span text, unsigned kind)
{
	struct edit_op op = {.steps = fuzz->steps};
	struct edit_request request = {
		.source = source, .text = text, .options = &fuzz->options, .ops = &op, .count = 1};
	CLEANUP(edit_result_freep) struct edit_result *result = NULL;
	struct problem problem;
	int depth = fuzz->document->count ? find_place(fuzz, fuzz->document->roots[0], 0) : 0;

	if (depth < 0)
		return;
	op.count = (size_t)depth;
	op.value = fuzz->value->roots[0];
	op.kind = kind == 1 ? EDIT_REMOVE : kind == 2 ? EDIT_INSERT : EDIT_SET;
	if (kind >= 2)
		fuzz->steps[op.count++] =
			(struct edit_step){.key = kind == 3 ? fuzz->value->roots[0] : NULL};
	int r = edit_run(&request, &result, &problem);
	if (r < 0)
		stop("no memory");
	if (r > 0)
		return;
	check_splices(text, result);
	CLEANUP(document_freep)
	struct document *again = read_text(fuzz, result->text, fuzz->options.format);
	if (!again)
		stop("what comes out does not parse");
	if (has_nodes_extents(fuzz))
		check_extents(again, result->text.len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const values[] = {"1", "x", "'a: b'", "\"two\\nlines\\n\"", "{a: 1}",
		"[1, [x, {y: z}]]", "null", "{}"};
	struct fuzz fuzz = {0};
	struct span text;
	char *copy;

	if (size < 3)
		return 0;
	fuzz.options = (struct read_options){
		.format = format_all()[data[0] % 9], .wants_extents = true, .limits = FUZZ_LIMITS};
	fuzz.left = data[2];
	/* Memory of its own, so that reading past its end shows. */
	text = (struct span){copy = malloc(size - 3 + !(size - 3)), size - 3};
	if (!copy)
		abort();
	memcpy(copy, data + 3, text.len);
	fuzz.document = read_text(&fuzz, text, fuzz.options.format);
	fuzz.value = read_text(&fuzz, span_of(values[data[1] >> 2 & 7]), &format_yaml);
	if (fuzz.document && fuzz.value) {
		if (has_nodes_extents(&fuzz))
			check_extents(fuzz.document, text.len);
		edit(&fuzz, text, data[1] & 3);
	}
	document_free(fuzz.document);
	document_free(fuzz.value);
	free(copy);
	return 0;
}
