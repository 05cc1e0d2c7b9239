/* The promises of origin.h, on nodes that no strategy made. */
#include "origin.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "budget.h"
#include "reading.h"
#include "test.h"

struct bench {
	struct arena *arena;
	struct origins *origins;
	struct source source;
};

static int set_up(void **state)
{
	struct bench *bench = calloc(1, sizeof(*bench));

	*state = bench;
	if (!bench || arena_new(&bench->arena) != 0)
		return -1;
	bench->origins = origins_new(bench->arena);
	bench->source = (struct source){.name = "app.yaml", .layer = ""};
	return bench->origins ? 0 : -1;
}

static int tear_down(void **state)
{
	struct bench *bench = *state;

	arena_free(bench->arena);
	free(bench);
	return 0;
}

/* Returns a scalar that was read in that line. */
static struct node *value_at(struct bench *bench, uint32_t line)
{
	struct node *node = node_new_scalar(bench->arena, span_of("x"), NODE_PLAIN);

	assert_non_null(node);
	node->source = &bench->source;
	node->line = line;
	node->column = 1;
	return node;
}

static struct node *map_at(struct bench *bench, uint32_t line)
{
	struct node *node = node_new_map(bench->arena, NULL);

	assert_non_null(node);
	node->source = &bench->source;
	node->line = line;
	return node;
}

static struct origin_why why(const char *rule)
{
	return (struct origin_why){rule, NULL};
}

/* Returns "-1 +2 x3": a lost value, a part, or a removed value, each with its line. Static. */
static const char *shown(
	const struct origin_step *(*next)(const void *, const struct origin_step *), const void *of)
{
	static char text[200];
	size_t len = 0;

	text[0] = '\0';
	for (const struct origin_step *step = NULL; (step = next(of, step));)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%c%u", len ? " " : "",
			"-+x"[step->fate], (unsigned)step -> value -> line);
	assert_in_range(len, 0, sizeof(text) - 1);
	return text;
}

static const struct origin_step *next_of(const void *origin, const struct origin_step *step)
{
	return origin_next(origin, step);
}

static const struct origin_step *next_of_removed(
	const void *removed, const struct origin_step *step)
{
	return origin_removed_next(removed, step);
}

static void assert_steps(struct bench *bench, const struct node *value, const char *expected)
{
	const struct origin *origin = origin_of(bench->origins, value);

	assert_non_null(origin);
	assert_string_equal(shown(next_of, origin), expected);
}

TEST_WITH(what_is_not_noted_has_no_origin, set_up, tear_down)
{
	struct bench *bench = *state;

	assert_null(origin_of(bench->origins, value_at(bench, 1)));
	assert_null(origin_of(NULL, value_at(bench, 1)));
	assert_null(origin_pieces(bench->origins));
	assert_null(origin_pieces(NULL));
	assert_int_equal(origins_check(bench->origins), 0);
	assert_int_equal(origins_check(NULL), 0);
}

TEST_WITH(noting_for_nobody_does_nothing, set_up, tear_down)
{
	struct bench *bench = *state;
	struct node *a = value_at(bench, 1), *b = value_at(bench, 2);

	origin_replace(NULL, b, a, why("r"));
	origin_take_over(NULL, b, a, ORIGIN_PART, why("r"));
	origin_note(NULL, b, a, ORIGIN_PART, why("r"));
	origin_move(NULL, a, b);
	origin_remove(NULL, a, b, b, why("r"));
	origin_restore(NULL, a, b, b);
	origin_text(NULL, 0, 1, &bench->source);
}

TEST_WITH(a_value_takes_over_what_is_known_of_the_one_it_replaces, set_up, tear_down)
{
	struct bench *bench = *state;
	struct node *a = value_at(bench, 1), *b = value_at(bench, 2), *c = value_at(bench, 3);

	origin_replace(bench->origins, b, a, why("first"));
	origin_replace(bench->origins, c, b, why("second"));
	assert_steps(bench, c, "-1 -2");
	assert_string_equal(origin_of(bench->origins, c)->first->why.rule, "first");
	assert_string_equal(origin_of(bench->origins, c)->last->why.rule, "second");
	assert_int_equal(origin_of(bench->origins, c)->count, 2);
}

TEST_WITH(nothing_below_and_itself_are_not_replaced, set_up, tear_down)
{
	struct bench *bench = *state;
	struct node *a = value_at(bench, 1);

	origin_replace(bench->origins, a, NULL, why("r"));
	origin_replace(bench->origins, a, a, why("r"));
	origin_note(bench->origins, a, a, ORIGIN_PART, why("r"));
	assert_null(origin_of(bench->origins, a));
}

TEST_WITH(what_is_merged_brings_what_is_known_of_it, set_up, tear_down)
{
	struct bench *bench = *state;
	struct node *a = map_at(bench, 1), *b = map_at(bench, 2), *c = map_at(bench, 3);

	origin_note(bench->origins, b, c, ORIGIN_PART, why("r"));
	origin_note(bench->origins, a, b, ORIGIN_PART, why("r"));
	assert_steps(bench, a, "+2 +3");
	assert_steps(bench, b, "+3");
}

TEST_WITH(parts_of_what_is_lost_are_lost, set_up, tear_down)
{
	struct bench *bench = *state;
	struct node *a = map_at(bench, 1), *b = map_at(bench, 2), *c = value_at(bench, 3);
	struct node *d = value_at(bench, 4);

	origin_note(bench->origins, a, b, ORIGIN_PART, why("merged"));
	origin_note(bench->origins, d, a, ORIGIN_LOST, why("kept back"));
	assert_steps(bench, d, "-1 -2");
	assert_steps(bench, a, "+2");
	origin_replace(bench->origins, c, a, why("replaced"));
	assert_steps(bench, c, "-1 -2");
	assert_string_equal(origin_of(bench->origins, c)->first->why.rule, "replaced");
}

TEST_WITH(what_was_made_of_nothing_is_no_contributor, set_up, tear_down)
{
	struct bench *bench = *state;
	struct node *made = value_at(bench, 0), *a = value_at(bench, 1), *b = value_at(bench, 2);

	made->source = NULL;
	origin_replace(bench->origins, made, a, why("r"));
	origin_replace(bench->origins, b, made, why("r"));
	assert_steps(bench, b, "-1");
}

TEST_WITH(a_contributor_by_two_ways_is_reported_once, set_up, tear_down)
{
	struct bench *bench = *state;
	struct node *value = value_at(bench, 1), *a = value_at(bench, 2), *b = value_at(bench, 3);
	struct node *copy = node_copy(bench->arena, a);

	origin_note(bench->origins, b, a, ORIGIN_LOST, why("r"));
	origin_note(bench->origins, value, copy, ORIGIN_LOST, why("r"));
	origin_note(bench->origins, value, b, ORIGIN_LOST, why("r"));
	origin_note(bench->origins, value, a, ORIGIN_LOST, why("r"));
	assert_steps(bench, value, "-2 -3");
}

TEST_WITH(a_value_is_not_its_own_contributor, set_up, tear_down)
{
	struct bench *bench = *state;
	struct node *value = value_at(bench, 1), *b = value_at(bench, 2);
	struct node *copy = node_copy(bench->arena, value);

	origin_note(bench->origins, b, copy, ORIGIN_LOST, why("r"));
	origin_note(bench->origins, value, b, ORIGIN_LOST, why("r"));
	origin_note(bench->origins, value, copy, ORIGIN_LOST, why("r"));
	assert_steps(bench, value, "-2");
}

TEST_WITH(two_values_that_began_alike_stay_right, set_up, tear_down)
{
	struct bench *bench = *state;
	struct node *a = value_at(bench, 1), *b = value_at(bench, 2), *c = value_at(bench, 3);
	struct node *one = node_copy(bench->arena, b), *two = node_copy(bench->arena, b);

	origin_replace(bench->origins, b, a, why("r"));
	origin_move(bench->origins, b, one);
	origin_move(bench->origins, b, two);
	origin_note(bench->origins, one, c, ORIGIN_LOST, why("r"));
	origin_note(bench->origins, two, value_at(bench, 4), ORIGIN_LOST, why("r"));
	origin_note(bench->origins, one, value_at(bench, 5), ORIGIN_LOST, why("r"));
	assert_steps(bench, b, "-1");
	assert_steps(bench, one, "-1 -3 -5");
	assert_steps(bench, two, "-1 -4");
}

TEST_WITH(a_value_keeps_its_steps_if_one_that_began_alike_is_lost, set_up, tear_down)
{
	struct bench *bench = *state;
	struct node *a = map_at(bench, 1), *one = node_copy(bench->arena, a);

	origin_note(bench->origins, a, value_at(bench, 2), ORIGIN_PART, why("r"));
	origin_move(bench->origins, a, one);
	origin_replace(bench->origins, value_at(bench, 3), a, why("r"));
	assert_steps(bench, one, "+2");
	origin_note(bench->origins, one, value_at(bench, 4), ORIGIN_PART, why("r"));
	a = node_copy(bench->arena, one);
	origin_move(bench->origins, one, a);
	origin_take_over(bench->origins, map_at(bench, 5), one, ORIGIN_PART, why("r"));
	assert_steps(bench, a, "+2 +4");
}

static const struct origin_removed *removed_of(struct bench *bench, const struct node *map)
{
	const struct origin *origin = origin_of(bench->origins, map);

	assert_non_null(origin);
	assert_non_null(origin->removed);
	return origin->removed;
}

TEST_WITH(what_is_removed_is_known_in_its_map_by_its_key, set_up, tear_down)
{
	struct bench *bench = *state;
	struct node *map = map_at(bench, 1), *key = value_at(bench, 2), *a = value_at(bench, 3);
	struct node *b = value_at(bench, 4), *by = value_at(bench, 5);

	origin_replace(bench->origins, b, a, why("r"));
	origin_remove(bench->origins, map, key, b, (struct origin_why){"deleted", by});
	assert_ptr_equal(removed_of(bench, map)->key, key);
	assert_string_equal(shown(next_of_removed, removed_of(bench, map)), "-3 -4 x5");
	assert_int_equal(removed_of(bench, map)->count, 3);
	assert_ptr_equal(removed_of(bench, map)->last->why.by, by);
	assert_null(removed_of(bench, map)->next);
	origin_remove(bench->origins, map, by, NULL, why("nothing was there"));
	assert_null(removed_of(bench, map)->next);
}

TEST_WITH(a_value_put_where_one_was_removed_records_it, set_up, tear_down)
{
	struct bench *bench = *state;
	struct node *map = map_at(bench, 1), *key = value_at(bench, 2), *a = value_at(bench, 3);
	struct node *b = value_at(bench, 4), *other_key = node_copy(bench->arena, key);

	other_key->text = span_of("y");
	origin_remove(bench->origins, map, key, a, why("deleted"));
	origin_remove(bench->origins, map, other_key, value_at(bench, 5), why("deleted"));
	origin_note(bench->origins, b, value_at(bench, 6), ORIGIN_LOST, why("r"));
	origin_restore(bench->origins, map, node_copy(bench->arena, key), b);
	assert_steps(bench, b, "-3 -6");
	assert_ptr_equal(removed_of(bench, map)->key, other_key);
	assert_null(removed_of(bench, map)->next);
}

TEST_WITH(a_map_made_anew_takes_over_what_was_removed, set_up, tear_down)
{
	struct bench *bench = *state;
	struct node *a = map_at(bench, 1), *b = map_at(bench, 2), *key = value_at(bench, 3);
	struct node *own = value_at(bench, 4);

	origin_remove(bench->origins, a, key, value_at(bench, 5), why("r"));
	origin_remove(bench->origins, b, own, value_at(bench, 6), why("r"));
	origin_take_over(bench->origins, b, a, ORIGIN_PART, why("r"));
	assert_steps(bench, b, "+1");
	assert_ptr_equal(removed_of(bench, b)->key, own);
	assert_ptr_equal(removed_of(bench, b)->next->key, key);
}

/* As with no memory left: a cancelled arena gives no larger block. */
static void use_up_memory(struct bench *bench, struct budget *budget)
{
	static const atomic_bool is_cancelled = true;

	budget_init(budget, 0, &is_cancelled);
	arena_limit(bench->arena, budget);
}

TEST_WITH(a_move_without_memory_is_reported_and_leaves_no_origin, set_up, tear_down)
{
	enum { MOVES = 200 };
	struct bench *bench = *state;
	struct budget budget;
	struct node *values[MOVES];
	size_t failed = 0;

	for (size_t i = 0; i < MOVES; i++)
		values[i] = value_at(bench, (uint32_t)i + 1);
	origin_note(bench->origins, values[0], value_at(bench, MOVES + 1), ORIGIN_LOST, why("r"));
	use_up_memory(bench, &budget);
	for (size_t i = 1; i < MOVES; i++) {
		origin_move(bench->origins, values[i - 1], values[i]);
		if (!failed && origins_check(bench->origins) < 0)
			failed = i;
	}
	assert_int_not_equal(failed, 0);
	assert_int_equal(origins_check(bench->origins), -ENOMEM);
	assert_non_null(origin_of(bench->origins, values[failed - 1]));
	for (size_t i = failed; i < MOVES; i++)
		assert_null(origin_of(bench->origins, values[i]));
}

TEST_WITH(pieces_come_in_the_order_of_the_text, set_up, tear_down)
{
	struct bench *bench = *state;
	const struct origin_piece *piece;

	origin_text(bench->origins, 0, 5, &bench->source);
	origin_text(bench->origins, 5, 0, &bench->source);
	origin_text(bench->origins, 6, 2, &bench->source);
	piece = origin_pieces(bench->origins);
	assert_int_equal(piece->offset, 0);
	assert_int_equal(piece->len, 5);
	assert_ptr_equal(piece->source, &bench->source);
	assert_int_equal(piece->next->offset, 6);
	assert_null(piece->next->next);
}

TEST_WITH(aliases_are_written_out_where_somebody_asks, set_up, tear_down)
{
	struct bench *bench = *state;
	CLEANUP(document_freep) struct document *with = read_yaml("a: &x {b: [1]}\nc: *x\n");
	CLEANUP(document_freep) struct document *without = read_yaml("a: {b: [1]}\n");
	const struct document *copy;
	const struct node *a, *c;

	assert_int_equal(origins_unshare(NULL, with, &copy), 0);
	assert_ptr_equal(copy, with);
	assert_int_equal(origins_unshare(bench->origins, without, &copy), 0);
	assert_ptr_equal(copy, without);
	assert_int_equal(origins_unshare(bench->origins, with, &copy), 0);
	a = node_get(copy->roots[0], "a");
	c = node_get(copy->roots[0], "c");
	assert_ptr_not_equal(a, c);
	assert_ptr_not_equal(node_get(a, "b")->seq.items[0], node_get(c, "b")->seq.items[0]);
	assert_true(node_equal(copy->roots[0], with->roots[0]));
	assert_int_equal(c->line, 1);
	assert_ptr_equal(node_get(with->roots[0], "a"), node_get(with->roots[0], "c"));
}

TEST_WITH(aliases_can_not_use_up_the_memory, set_up, tear_down)
{
	struct bench *bench = *state;
	CLEANUP(document_freep)
	struct document *bomb = read_yaml("a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n"
					  "b: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a]\n"
					  "c: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b, *b]\n"
					  "d: &d [*c, *c, *c, *c, *c, *c, *c, *c, *c, *c]\n"
					  "e: &e [*d, *d, *d, *d, *d, *d, *d, *d, *d, *d]\n");
	const struct document *copy;
	int r = 0;

	for (int i = 0; r == 0 && i < 100; i++)
		r = origins_unshare(bench->origins, bomb, &copy);
	assert_int_equal(r, -EFBIG);
	assert_in_range(arena_bytes(bench->arena), 1 << 20, 500u << 20);
}

/* Searching or copying a path for each of them would take minutes. */
TEST_WITH(many_contributors_take_linear_time, set_up, tear_down)
{
	struct bench *bench = *state;
	const uint32_t count = 100000;
	struct node *value = value_at(bench, 1), *map = map_at(bench, 1), *key = value_at(bench, 1);
	clock_t start = clock();

	for (uint32_t i = 1; i <= count; i++) {
		struct node *next = value_at(bench, 4 * i);

		origin_replace(bench->origins, next, value, why("r"));
		origin_note(
			bench->origins, next, value_at(bench, 4 * i + 1), ORIGIN_LOST, why("r"));
		origin_remove(bench->origins, map, key, next, why("r"));
		value = value_at(bench, 4 * i + 2);
		origin_restore(bench->origins, map, key, value);
		origin_note(
			bench->origins, value, value_at(bench, 4 * i + 3), ORIGIN_PART, why("r"));
	}
	assert_int_equal(origin_of(bench->origins, value)->count, 4 * count);
	assert_int_equal(origins_check(bench->origins), 0);
	assert_in_range((clock() - start) / CLOCKS_PER_SEC, 0, 20);
}
