/*
 * The merge of random pillars must be the same as the model's; and laws that hold for all pillars.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "origin_model.h"
#include "pillar_model.h"
#include "random_tree.h"

/* Counts the weight of a node: combining keeps a weight, which must be the real one. */
static uint32_t count_weight(const struct node *node)
{
	uint32_t weight = 1;

	if (node_is_sequence(node))
		for (uint32_t i = 0; i < node->seq.count; i++)
			weight += count_weight(node->seq.items[i]);
	if (node_is_map(node))
		for (uint32_t i = 0; i < node->map.count; i++)
			weight += count_weight(node->map.pairs[i].key) +
				  count_weight(node->map.pairs[i].value);
	return weight;
}

/* Random pillars */

static struct random dice;

static unsigned below(unsigned end)
{
	return random_below(&dice, end);
}

struct text {
	char data[16384];
	size_t len;
};

__attribute__((format(printf, 2, 3))) static void print(struct text *text, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	text->len += (size_t)vsnprintf(
		text->data + text->len, sizeof(text->data) - text->len, format, arguments);
	va_end(arguments);
	assert_true(text->len < sizeof(text->data));
}

static void print_scalar(struct text *text)
{
	static const char *const scalars[] = {"1", "1.0", "true", "'1'", "x", "y", "'x'", "null",
		"~", "\"\"", "0x1", "yes", "z", "_replace", "_control", "2026-01-01"};

	print(text, "%s", scalars[below(sizeof(scalars) / sizeof(*scalars))]);
}

static void print_value(struct text *text, unsigned depth)
{
	unsigned kind = depth == 0 ? 0 : below(5), count = below(5);

	if (kind <= 1) {
		print_scalar(text);
	} else if (kind <= 2) {
		/* Some lists are long enough to be searched by hash. */
		if (below(8) == 0)
			count += 10 + below(20);
		print(text, "[%s", below(6) == 0 ? "_replace, " : "");
		for (unsigned i = 0; i < count; i++) {
			if (count > 8)
				print(text, "%u", below(40));
			else
				print_value(text, depth - 1);
			print(text, ", ");
		}
		print(text, "]");
	} else {
		print(text, "{%s", below(6) == 0 ? "_control: _replace, " : "");
		for (unsigned i = 0; i < count; i++) {
			print(text, "%c%u: ", "ab1"[below(3)], i);
			print_value(text, depth - 1);
			print(text, ", ");
		}
		print(text, "}");
	}
}

static void print_names(struct text *text, const char *key, unsigned files, unsigned own)
{
	unsigned count = below(4);

	if (count == 1 && below(2)) {
		print(text, "%s: f%u\n", key, below(files));
		return;
	}
	print(text, "%s: [", key);
	/* Mostly later files, or nearly every pillar would have a cycle. */
	for (unsigned i = 0; i < count; i++) {
		unsigned to = own + 1 < files ? own + 1 + below(files - own - 1) : own;

		if (own + 1 < files || below(12) == 0)
			print(text, "f%u, ", below(15) == 0 ? below(files + 1) : to);
	}
	print(text, "]\n");
}

static void print_file(struct text *text, unsigned files, unsigned own)
{
	static const char *const keys[] = {"_data", "_merge", "_parent", "_neighbours"};
	unsigned kind = below(40), first = below(4);

	text->len = 0;
	text->data[0] = '\0';
	if (kind == 0) {
		print_value(text, 3);
		return;
	}
	for (unsigned i = 0; i < 8; i++) {
		bool is_name = i < 4 && below(3) == 0;
		unsigned key = (first + i) % 4;

		if (is_name && key == 3)
			/* Any file may be a neighbour. */
			print_names(text, keys[key], files, below(3) ? own : 0);
		else if (is_name)
			print_names(text, keys[key], files, own);
		if (below(12) == 0 && own + 1 < files && i == 5)
			print(text, "f%u: {a0: own}\n", own + 1);
		if (below(20) == 0 && i == 6)
			print(text, "_control: _replace\n");
		if (below(2)) {
			print(text, "%c%u: ", "ab"[below(2)], i);
			print_value(text, 4);
			print(text, "\n");
		}
	}
	if (text->len == 0)
		print(text, "{}\n");
}

static void fill(struct pillar_tree *tree, struct text *text)
{
	unsigned files = 1 + below(6);

	for (unsigned i = 0; i < files; i++) {
		unsigned layers = below(3) ? 1 : 1 + below(3);
		char path[32];

		snprintf(path, sizeof(path), "f%u.yaml", i);
		for (unsigned j = 0; j < layers; j++) {
			print_file(text, files, i);
			pillar_tree_add(tree, path, text->data);
		}
	}
}

static void show(const struct pillar_tree *tree)
{
	for (size_t i = 0; i < tree->count; i++)
		for (size_t j = 0; j < tree->files[i].count; j++)
			fprintf(stderr, "--- %s\n%s", tree->files[i].layers[j].source.name,
				tree->files[i].layers[j].text.data);
}

/* As many pillars as the environment variable says, or as many as take a few seconds. */
static unsigned rounds(void)
{
	const char *given = getenv("MODEL_ROUNDS");

	return given ? (unsigned)strtoul(given, NULL, 10) : 5000;
}

static void compare(struct pillar_tree *tree, unsigned seed, unsigned *fine)
{
	struct model model = {.tree = tree};
	struct limits limits = LIMITS_DEFAULT;
	struct merge_result *result = NULL;
	struct value *expected = NULL;
	struct problem problem;
	int said, r;

	assert_int_equal(arena_new(&model.arena), 0);
	said = model_build(&model, &tree->files[0], &expected);
	r = pillar_tree_merge(tree, "f0.yaml", NULL, limits, &result, &problem);

	if (said == MODEL_FINE
			? r != 0 || !model_is_same(expected, result->root) ||
				  count_weight(result->root) != result->root->weight
			: r != PROBLEM || !strstr(problem.message,
						  said == MODEL_CYCLE   ? "in a circle"
						  : said == MODEL_KINDS ? "one of them is broken"
									: "no file")) {
		show(tree);
		fail_msg("seed %u: the model says %d, the merge %d:\n%s", seed, said, r,
			r == 0 ? result->text.data : problem.message);
	}
	*fine += r == 0;
	merge_result_free(result);
	arena_free(model.arena);
}

static void random_pillars_agree_with_the_model(void **unused)
{
	static struct pillar_tree tree;
	static struct text text;
	unsigned fine = 0, count = rounds();

	(void)unused;
	for (unsigned seed = 1; seed <= count; seed++) {
		dice = (struct random){seed};
		pillar_tree_init(&tree);
		fill(&tree, &text);
		compare(&tree, seed, &fine);
		pillar_tree_fini(&tree);
	}
	/* Some have cycles and missing files; not all may. */
	assert_true(fine > count / 2);
}

static void origins_change_nothing_and_tell_all_once(void **unused)
{
	static struct pillar_tree tree;
	static struct text text;
	unsigned count = rounds();

	(void)unused;
	for (unsigned seed = 1; seed <= count; seed++) {
		struct merge_result *without = NULL, *with = NULL;
		struct problem problem;
		int r;

		dice = (struct random){seed};
		pillar_tree_init(&tree);
		fill(&tree, &text);
		r = pillar_tree_merge(&tree, "f0.yaml", NULL, LIMITS_DEFAULT, &without, &problem);
		tree.wants_origins = true;
		if (r != pillar_tree_merge(
				 &tree, "f0.yaml", NULL, LIMITS_DEFAULT, &with, &problem) ||
			(r == 0 && (!span_equal(without->text, with->text) ||
					   !origin_model_tells_once(with)))) {
			show(&tree);
			fail_msg("seed %u:\n%s", seed, r == 0 ? with->text.data : problem.message);
		}
		merge_result_free(without);
		merge_result_free(with);
		pillar_tree_fini(&tree);
	}
}

/* Returns the merged text of f0.yaml, for free(3); NULL if it does not merge. */
static char *merged(struct pillar_tree *tree)
{
	struct merge_result *result;
	struct problem problem;
	char *text;

	if (pillar_tree_merge(tree, "f0.yaml", NULL, LIMITS_DEFAULT, &result, &problem) != 0)
		return NULL;
	text = strdup(result->text.data);
	merge_result_free(result);
	return text;
}

/* Adds `lower` below all layers of `file`. */
static void add_below(
	struct pillar_tree *tree, const struct pillar_tree_file *file, const char *lower)
{
	pillar_tree_add(tree, file->path, lower);
	for (size_t i = 0; i < file->count; i++)
		pillar_tree_add(tree, file->path, file->layers[i].text.data);
}

static void copy_others(struct pillar_tree *to, const struct pillar_tree *from)
{
	for (size_t i = 1; i < from->count; i++)
		for (size_t j = 0; j < from->files[i].count; j++)
			pillar_tree_add(
				to, from->files[i].path, from->files[i].layers[j].text.data);
}

/* Merges random files with another one below them: the highest layer's text or an empty map. */
static void check_law(bool with_itself)
{
	static struct pillar_tree tree, other;
	static struct text text;
	unsigned count = rounds() / 4;

	for (unsigned seed = 1; seed <= count; seed++) {
		char *one, *two;

		dice = (struct random){seed};
		pillar_tree_init(&tree);
		pillar_tree_init(&other);
		print_file(&text, 5, 0);
		pillar_tree_add(&tree, "f0.yaml", text.data);
		/* Over a map, a root of any other kind is broken. */
		if (!with_itself && (tree.files[0].documents[0]->count == 0 ||
					    !node_is_map(tree.files[0].documents[0]->roots[0]))) {
			pillar_tree_fini(&tree);
			pillar_tree_fini(&other);
			continue;
		}
		add_below(&other, &tree.files[0], with_itself ? text.data : "{}\n");
		for (unsigned i = 1; i < 5; i++) {
			char path[32];

			snprintf(path, sizeof(path), "f%u.yaml", i);
			print_file(&text, 5, i);
			pillar_tree_add(&tree, path, text.data);
		}
		copy_others(&other, &tree);

		one = merged(&tree);
		two = merged(&other);
		if ((one == NULL) != (two == NULL) || (one && strcmp(one, two) != 0)) {
			show(&other);
			fail_msg("seed %u: %s\n%s", seed, one ? one : "-", two ? two : "-");
		}
		free(one);
		free(two);
		pillar_tree_fini(&tree);
		pillar_tree_fini(&other);
	}
}

static void an_empty_map_below_changes_nothing(void **unused)
{
	(void)unused;
	check_law(false);
}

static void a_file_below_itself_changes_nothing(void **unused)
{
	(void)unused;
	check_law(true);
}

/* The keys of a file come first and in their order, then those of the files that it names. */
static void keys_of_the_file_come_first(void **unused)
{
	static struct pillar_tree tree;
	static struct text text;
	unsigned count = rounds() / 4;

	(void)unused;
	for (unsigned seed = 1; seed <= count; seed++) {
		struct merge_result *result;
		struct problem problem;
		const struct node *own;

		dice = (struct random){seed};
		pillar_tree_init(&tree);
		fill(&tree, &text);
		if (pillar_tree_merge(&tree, "f0.yaml", NULL, LIMITS_DEFAULT, &result, &problem) ==
			0) {
			uint32_t at = 0;

			own = tree.files[0].documents[tree.files[0].count - 1]->roots[0];
			for (uint32_t i = 0; node_is_map(own) && i < own->map.count; i++) {
				const struct pair *pair = &own->map.pairs[i];

				if (pair->key->text.data[0] == '_' &&
					!model_is_word(pair->key, "_neighbours"))
					continue;
				assert_true(at < result->root->map.count);
				assert_true(node_equal(pair->key, result->root->map.pairs[at].key));
				at++;
			}
			merge_result_free(result);
		}
		pillar_tree_fini(&tree);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_pillars_agree_with_the_model),
		cmocka_unit_test(an_empty_map_below_changes_nothing),
		cmocka_unit_test(a_file_below_itself_changes_nothing),
		cmocka_unit_test(keys_of_the_file_come_first),
		cmocka_unit_test(origins_change_nothing_and_tell_all_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
