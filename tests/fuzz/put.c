/*
 * The way back through a merge, of every strategy that gives trees and every format. The merge
 * gives the value that was put. Putting it twice does what putting it once does. Putting a value
 * that is there already changes no byte.
 *
 *      byte 0: the strategy. byte 1: the format. byte 2: bits 0 and 1 one to three sources, bits 2
 *      and 3 the target, bit 4 removes, bits 5 to 7 the value. byte 3: which place of the result.
 *      Then texts with a byte 0xFF between them: the options, and the sources.
 */
#include "put.h"
#include "cleanup.h"
#include "merge.h"
#include "place.h"
#include "strategy.h"

#define SOURCES_MAX 4

struct fuzz {
	struct merge_request merge;
	struct merge_input inputs[SOURCES_MAX];
	struct options options;
	size_t target;
};

static const struct strategy *choose_strategy(uint8_t byte)
{
	const struct strategy *const *all = strategy_all();
	size_t count = 0;

	while (all[count])
		count++;
	return all[byte % count];
}

static const struct format *choose_format(uint8_t byte)
{
	const struct format *const *all = format_all();
	size_t count = 0;

	while (all[count])
		count++;
	return all[byte % count];
}

/* Options that are not allowed count as none. */
static void set_options(struct fuzz *fuzz, const struct document *document)
{
	struct problem problem;

	if (document && document->count > 0)
		fuzz->options.map = document->roots[0];
	if (options_check(&fuzz->options, &problem) != 0)
		fuzz->options.map = NULL;
}

static int put(const struct fuzz *fuzz, const struct edit_op *op, struct put_result **ret)
{
	const struct put_request request = {
		.merge = &fuzz->merge, .target = fuzz->target, .ops = op, .count = 1};
	struct problem problem;
	int r = put_run(&request, ret, &problem);

	if (r < 0)
		fuzz_stop("the environment did not fail", span_of(strerror(-r)));
	if (r == PROBLEM)
		fuzz_check_problem(&problem);
	return r;
}

static bool is_same(const struct node *root, const struct stream *stream)
{
	size_t count = 0, i = 0;
	const struct node *const *roots = root ? node_documents(&root, &count) : NULL;

	while (i < count && i < stream->count && edit_same(roots[i], stream->roots[i], false))
		i++;
	return i == count && i == stream->count;
}

/* The merge, with the target's text after the put. */
static void check_merge(const struct fuzz *fuzz, const struct put_result *result)
{
	CLEANUP(merge_result_freep) struct merge_result *merged = NULL;
	struct problem problem;

	if (merge_run(&fuzz->merge, &merged, &problem) != 0)
		fuzz_stop("what was put does not merge", result->text);
	if (!is_same(merged->root, &result->after))
		fuzz_stop("what was put is not what one gets", result->text);
}

static void check_twice(const struct fuzz *fuzz, const struct edit_op *op)
{
	CLEANUP(put_result_freep) struct put_result *result = NULL;

	if (op->kind == EDIT_REMOVE)
		return;
	if (put(fuzz, op, &result) != 0)
		fuzz_stop("what was put can't be put twice", fuzz->inputs[fuzz->target].text);
	if (result->effect >= PUT_CHANGED)
		fuzz_stop("what is put twice is not what is put once", result->text);
}

static void check_put(struct fuzz *fuzz, const struct edit_op *op)
{
	CLEANUP(put_result_freep) struct put_result *result = NULL;

	if (put(fuzz, op, &result) != 0)
		return;
	fuzz->inputs[fuzz->target].text = result->text;
	check_merge(fuzz, result);
	check_twice(fuzz, op);
}

static void check_present(const struct fuzz *fuzz, const struct place *place)
{
	const struct edit_op op = {.kind = EDIT_SET,
		.steps = place->steps,
		.count = place->count,
		.value = place->value};
	CLEANUP(put_result_freep) struct put_result *result = NULL;

	if (put(fuzz, &op, &result) == 0 && result->effect >= PUT_CHANGED)
		fuzz_stop("what is there already changes the text", result->text);
}

static void check(struct fuzz *fuzz, uint8_t flags, uint8_t number)
{
	CLEANUP(document_freep) struct document *value = place_new_value(flags >> 5);
	CLEANUP(merge_result_freep) struct merge_result *merged = NULL;
	struct problem problem;
	struct place place;

	if (merge_run(&fuzz->merge, &merged, &problem) != 0 ||
		!place_choose(&place, merged->root, number))
		return;
	const struct edit_op op = {.kind = flags & 16 ? EDIT_REMOVE : EDIT_SET,
		.steps = place.steps,
		.count = place.count,
		.value = value->roots[0]};
	check_present(fuzz, &place);
	check_put(fuzz, &op);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const layers[SOURCES_MAX] = {"base", "site", "host", "user"};
	const struct read_options read = {.format = &format_yaml, .limits = FUZZ_LIMITS};
	struct fuzz_input input = {data, size};
	struct fuzz fuzz = {.options = {.strategy = choose_strategy(fuzz_byte(&input))}};
	const struct format *format = choose_format(fuzz_byte(&input));
	uint8_t flags = fuzz_byte(&input), number = fuzz_byte(&input);
	CLEANUP(fuzz_text_fini) struct span option_text = fuzz_text(&input);
	CLEANUP(document_freep) struct document *options = NULL;
	struct span texts[SOURCES_MAX] = {0};

	if (fuzz_read(option_text, &read, &options))
		set_options(&fuzz, options);
	fuzz.merge = (struct merge_request){.options = &fuzz.options,
		.inputs = fuzz.inputs,
		.count = (flags & 3) + 1u,
		.to = format,
		.wants_tree = true,
		.limits = FUZZ_LIMITS};
	fuzz.target = (flags >> 2 & 3) % fuzz.merge.count;
	for (size_t i = 0; i < fuzz.merge.count; i++) {
		texts[i] = fuzz_text(&input);
		fuzz.inputs[i] = (struct merge_input){
			.source = {.name = layers[i], .layer = layers[i], .rank = (unsigned)i},
			.format = format,
			.text = texts[i]};
	}
	if (strategy_gives_trees(fuzz.options.strategy))
		check(&fuzz, flags, number);
	for (size_t i = 0; i < fuzz.merge.count; i++)
		fuzz_text_fini(&texts[i]);
	return 0;
}
