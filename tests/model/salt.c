/*
 * salt against a second implementation, then laws, on random documents.
 */
#include "salt.h"

#include <stdio.h>
#include <stdlib.h>

#include "cleanup.h"
#include "merge.h"
#include "origin_model.h"
#include "salt_build.h"
#include "salt_model.h"
#include "salt_round.h"
#include "strategy.h"

#define ROUNDS_DEFAULT 2000

/* The same in kind, tags, text and order. */
static bool is_same(const struct node *a, const struct node *b)
{
	if (a->kind != b->kind || !a->tag != !b->tag || (a->tag && strcmp(a->tag, b->tag) != 0))
		return false;
	if (node_is_scalar(a))
		return a->style == b->style && span_equal(a->text, b->text);
	if (node_is_sequence(a)) {
		bool same = a->seq.count == b->seq.count;
		for (uint32_t i = 0; same && i < a->seq.count; i++)
			same = is_same(a->seq.items[i], b->seq.items[i]);
		return same;
	}
	bool same = a->map.count == b->map.count;
	for (uint32_t i = 0; same && i < a->map.count; i++)
		same = is_same(a->map.pairs[i].key, b->map.pairs[i].key) &&
		       is_same(a->map.pairs[i].value, b->map.pairs[i].value);
	return same;
}

static bool weighs_right(const struct node *node, uint32_t *ret)
{
	uint32_t weight = 1, child;

	for (uint32_t i = 0; node_is_sequence(node) && i < node->seq.count; i++) {
		if (!weighs_right(node->seq.items[i], &child))
			return false;
		weight += child;
	}
	for (uint32_t i = 0; node_is_map(node) && i < node->map.count; i++) {
		if (!weighs_right(node->map.pairs[i].value, &child))
			return false;
		weight += child + 1;
	}
	*ret = weight;
	return node->weight == weight;
}

static struct options read_options(const char *level, bool has_tags, struct document **ret)
{
	const struct read_options read = {.format = &format_yaml};
	const struct source source = {.name = "options", .layer = ""};
	struct options options = {.strategy = strategy_find(span_of("salt"))};
	CLEANUP(freep) char *text = NULL;
	struct problem problem;

	if (asprintf(&text, "{level: %s, tags: %s}", level, has_tags ? "true" : "false") < 0 ||
		document_read(&source, span_of(text), &read, ret, &problem) != 0)
		abort();
	options.map = (*ret)->roots[0];
	if (options_check(&options, &problem) != 0)
		abort();
	return options;
}

static int run(const char *level, bool has_tags, const struct merge_input *inputs, size_t count,
	struct merge_result **ret)
{
	CLEANUP(document_freep) struct document *document = NULL;
	struct options options = read_options(level, has_tags, &document);
	const struct merge_request request = {
		.options = &options, .inputs = inputs, .count = count, .to = &format_yaml};
	struct problem problem;

	return merge_run(&request, ret, &problem);
}

static bool same_as_the_model(struct salt_round *round)
{
	CLEANUP(merge_result_freep) struct merge_result *result = NULL;
	bool is_empty = false;
	const struct node *model =
		salt_model_merge(round->arena, round->roots, round->count, round->level, &is_empty);
	uint32_t weight;
	int r = run(round->given, true, round->inputs, round->count, &result);

	if (r == PROBLEM || !model)
		return r == PROBLEM && !model;
	if (r != 0 || is_empty)
		return r == 0 && !result->root;
	return is_same(model, result->root) && weighs_right(result->root, &weight);
}

static bool has_no_tag(const struct node *node)
{
	bool ok = !node->tag;

	for (uint32_t i = 0; ok && node_is_sequence(node) && i < node->seq.count; i++)
		ok = has_no_tag(node->seq.items[i]);
	for (uint32_t i = 0; ok && node_is_map(node) && i < node->map.count; i++)
		ok = !node->map.pairs[i].key->tag && has_no_tag(node->map.pairs[i].value);
	return ok;
}

static bool without_tags_none_comes_out(struct salt_round *round)
{
	CLEANUP(merge_result_freep) struct merge_result *result = NULL;
	uint32_t weight;

	if (run(round->given, false, round->inputs, round->count, &result) != 0 || !result->root)
		return true;
	return has_no_tag(result->root) && weighs_right(result->root, &weight);
}

static const struct node *deep_copy(struct arena *arena, const struct node *node)
{
	struct node *copy = check(node_copy(arena, node));

	for (uint32_t i = 0; node_is_sequence(node) && i < node->seq.count; i++)
		copy->seq.items[i] = deep_copy(arena, node->seq.items[i]);
	for (uint32_t i = 0; node_is_map(node) && i < node->map.count; i++) {
		copy->map.pairs[i].key = deep_copy(arena, node->map.pairs[i].key);
		copy->map.pairs[i].value = deep_copy(arena, node->map.pairs[i].value);
	}
	return copy;
}

static bool no_source_changes(struct salt_round *round)
{
	CLEANUP(merge_result_freep) struct merge_result *result = NULL;
	const struct node *copies[SALT_ROUND_LAYERS_MAX];

	for (size_t i = 0; i < round->count; i++)
		copies[i] = deep_copy(round->arena, round->roots[i]);
	run(round->given, true, round->inputs, round->count, &result);
	for (size_t i = 0; i < round->count; i++)
		if (!is_same(copies[i], round->roots[i]))
			return false;
	return true;
}

static bool result_with_tags_aggregates_to_itself(struct salt_round *round)
{
	CLEANUP(merge_result_freep) struct merge_result *once = NULL, *twice = NULL;

	if (run(round->given, true, round->inputs, round->count, &once) != 0)
		return true;
	const struct source source = {.name = "once", .layer = "once"};
	const struct merge_input inputs[] = {
		{.source = source, .text = once->text}, {.source = source, .text = once->text}};
	return run("false", true, inputs, 2, &twice) == 0 && span_equal(once->text, twice->text);
}

/* salt_aggregate() leaves its arguments as they are; salt_aggregate_taken() gives the same. */
static bool taking_and_copying_agree(struct salt_round *round)
{
	const struct node *parts[4], *sums[2], *before[2];
	const struct salt salt = {.arena = round->arena};
	struct salt_level level = SALT_LEVEL_TRUE;
	struct problem problem;

	if (round->level[0] != '*')
		level = (struct salt_level){.flags = round->level};
	for (int i = 0; i < 4; i++)
		if (salt_construct(&salt, round->roots[i % 2 % (int)round->count], &parts[i],
			    &problem) != 0)
			return true;
	for (int i = 0; i < 2; i++)
		if (salt_represent(&salt, parts[i], &before[i]) < 0)
			abort();
	if (salt_aggregate(&salt, parts[0], parts[1], level, &sums[0]) < 0 ||
		salt_represent(&salt, sums[0], &sums[0]) < 0 ||
		salt_aggregate_taken(&salt, parts[2], parts[3], level, &sums[1]) < 0 ||
		salt_represent(&salt, sums[1], &sums[1]) < 0)
		abort();
	for (int i = 0; i < 2; i++)
		if (salt_represent(&salt, parts[i], &parts[i]) < 0)
			abort();
	return is_same(sums[0], sums[1]) && is_same(before[0], parts[0]) &&
	       is_same(before[1], parts[1]);
}

static bool origins_change_nothing_and_tell_all_once(struct salt_round *round)
{
	CLEANUP(document_freep) struct document *document = NULL;
	CLEANUP(merge_result_freep) struct merge_result *without = NULL, *with = NULL;
	struct options options =
		read_options(round->given, random_chance(&round->random, 50), &document);
	struct merge_input inputs[SALT_ROUND_LAYERS_MAX] = {0};
	struct merge_request request = {
		.options = &options, .inputs = inputs, .count = round->count};
	struct problem problem;
	int r;

	/* As text, so that values have a place. */
	for (size_t i = 0; i < round->count; i++) {
		inputs[i].source = (struct source){
			.name = check(arena_printf(round->arena, "%zu", i)), .layer = ""};
		if (document_write(round->roots[i], &format_yaml, &LIMITS_DEFAULT, round->arena,
			    &inputs[i].text, &problem) != 0)
			abort();
	}
	r = merge_run(&request, &without, &problem);
	request.wants_origins = true;
	if (merge_run(&request, &with, &problem) != r)
		return false;
	return r != 0 || (span_equal(without->text, with->text) && origin_model_tells_once(with));
}

static bool test(uint64_t rounds, bool (*holds)(struct salt_round *))
{
	for (uint64_t seed = 1; seed <= rounds; seed++) {
		struct salt_round round;
		bool is_ok;

		salt_round_init(&round, seed);
		is_ok = holds(&round);
		if (!is_ok)
			printf("# seed %llu, %zu layers, level %s\n", (unsigned long long)seed,
				round.count, round.given);
		arena_free(round.arena);
		if (!is_ok)
			return false;
	}
	return true;
}

/* With an argument: that many rounds of each. */
int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		bool (*holds)(struct salt_round *);
	} laws[] = {
		{"same_as_the_model", same_as_the_model},
		{"without_tags_none_comes_out", without_tags_none_comes_out},
		{"no_source_changes", no_source_changes},
		{"result_with_tags_aggregates_to_itself", result_with_tags_aggregates_to_itself},
		{"taking_and_copying_agree", taking_and_copying_agree},
		{"origins_change_nothing_and_tell_all_once",
			origins_change_nothing_and_tell_all_once},
	};
	const unsigned count = sizeof(laws) / sizeof(*laws);
	const uint64_t rounds = argc > 1 ? strtoull(argv[1], NULL, 10) : ROUNDS_DEFAULT;
	bool is_ok = true;

	printf("1..%u\n", count);
	for (unsigned i = 0; i < count; i++) {
		bool holds = test(rounds, laws[i].holds);

		printf("%sok %u - %s\n", holds ? "" : "not ", i + 1, laws[i].name);
		is_ok &= holds;
	}
	return is_ok ? 0 : 1;
}
