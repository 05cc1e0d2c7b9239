/* Maps and sequences: order, lookup, weight, copies, typed equality. */
#include "node.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "reading.h"
#include "repeat.h"
#include "scalar.h"
#include "test.h"

/* More than a map keeps without an index. */
#define MANY 1000

static struct arena *new_arena(void)
{
	struct arena *arena = NULL;

	assert_int_equal(arena_new(&arena), 0);
	return arena;
}

static struct node *text(struct arena *arena, const char *format, unsigned number)
{
	const char *written = arena_printf(arena, format, number);

	assert_non_null(written);
	return node_new_scalar(arena, span_of(written), NODE_PLAIN);
}

static struct node *map_of(struct arena *arena, unsigned count)
{
	struct node *map = node_new_map(arena, NULL);

	for (unsigned i = 0; i < count; i++)
		assert_int_equal(
			node_put(arena, map, text(arena, "key %u", i), text(arena, "%u", i)), 0);
	return map;
}

TEST(keys_are_found_in_small_and_large_maps)
{
	static const unsigned counts[] = {0, 1, 8, 9, 31, 32, 33, MANY};

	for (size_t n = 0; n < sizeof(counts) / sizeof(counts[0]); n++) {
		CLEANUP(arena_freep) struct arena *arena = new_arena();
		struct node *map = map_of(arena, counts[n]);

		assert_int_equal(map->map.count, counts[n]);
		for (unsigned i = 0; i < counts[n]; i++) {
			char key[32];

			snprintf(key, sizeof(key), "key %u", i);
			assert_int_equal(scalar_number(node_get(map, key)), i);
		}
		assert_null(node_get(map, "key"));
	}
}

TEST(a_new_value_takes_the_old_place_and_the_old_key_stays)
{
	CLEANUP(arena_freep) struct arena *arena = new_arena();
	struct node *map = map_of(arena, MANY), *key = text(arena, "key %u", 7);
	const struct node *old = map->map.pairs[7].key;

	assert_int_equal(node_put(arena, map, key, text(arena, "new", 0)), 0);
	assert_int_equal(map->map.count, MANY);
	assert_ptr_equal(map->map.pairs[7].key, old);
	assert_string_equal(map->map.pairs[7].value->text.data, "new");
}

TEST(removing_keeps_the_order_of_the_others)
{
	CLEANUP(arena_freep) struct arena *arena = new_arena();
	struct node *map = map_of(arena, MANY);

	for (unsigned i = 0; i < MANY; i += 2)
		node_remove(map, text(arena, "key %u", i));
	node_remove(map, text(arena, "absent", 0));
	assert_int_equal(map->map.count, MANY / 2);
	for (unsigned i = 0; i < MANY / 2; i++) {
		char key[32];

		assert_int_equal(scalar_number(map->map.pairs[i].value), 2 * i + 1);
		snprintf(key, sizeof(key), "key %u", 2 * i);
		assert_null(node_get(map, key));
	}
	assert_non_null(node_get(map, "key 999"));
}

TEST(of_double_keys_the_last_is_found)
{
	CLEANUP(arena_freep) struct arena *arena = new_arena();
	struct node *map = node_new_map(arena, NULL);

	for (unsigned i = 0; i < MANY; i++) {
		struct pair pair = {.key = text(arena, "key", 0), .value = text(arena, "%u", i)};

		pair.hash = node_hash(pair.key);
		assert_int_equal(node_append(arena, map, &pair), 0);
		assert_ptr_equal(node_get(map, "key"), pair.value);
	}
	assert_int_equal(map->map.count, MANY);
	node_remove(map, text(arena, "key", 0));
	assert_int_equal(map->map.count, 0);
	assert_int_equal(map->weight, 1);
}

TEST(many_double_keys_cost_no_time)
{
	CLEANUP(arena_freep) struct arena *arena = new_arena();
	struct node *map = node_new_map(arena, NULL);
	struct pair pair = {.key = text(arena, "key", 0), .value = text(arena, "x", 0)};
	clock_t start = clock();

	pair.hash = node_hash(pair.key);
	for (unsigned i = 0; i < 300000; i++)
		assert_int_equal(node_append(arena, map, &pair), 0);
	assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 5);
}

TEST(reserved_room_is_used)
{
	CLEANUP(arena_freep) struct arena *arena = new_arena();
	struct node *map = node_new_map(arena, NULL), *key = text(arena, "key", 0);
	struct pair *pairs;

	assert_int_equal(node_reserve(arena, map, MANY), 0);
	pairs = map->map.pairs;
	assert_int_equal(node_put(arena, map, key, key), 0);
	assert_ptr_equal(map->map.pairs, pairs);
	assert_ptr_equal(node_get(map, "key"), key);
}

TEST(weight_counts_every_use_of_a_node)
{
	CLEANUP(arena_freep) struct arena *arena = new_arena();
	struct node *map = map_of(arena, 3), *seq = node_new_sequence(arena, NULL);

	assert_int_equal(map->weight, 7);
	assert_int_equal(node_push(arena, seq, map), 0);
	assert_int_equal(node_push(arena, seq, map), 0);
	assert_int_equal(seq->weight, 15);
	assert_int_equal(node_put(arena, map, text(arena, "key %u", 0), seq), 0);
	assert_int_equal(map->weight, 21);
	node_remove(map, text(arena, "key %u", 0));
	assert_int_equal(map->weight, 5);
}

TEST(weight_stays_at_its_maximum)
{
	CLEANUP(arena_freep) struct arena *arena = new_arena();
	struct node *seq = text(arena, "x", 0), *map, *key = text(arena, "key", 0);

	for (unsigned i = 0; i < 40; i++) {
		struct node *outer = node_new_sequence(arena, NULL);

		assert_int_equal(node_push(arena, outer, seq), 0);
		assert_int_equal(node_push(arena, outer, seq), 0);
		seq = outer;
	}
	assert_int_equal(seq->weight, UINT32_MAX);

	map = node_new_map(arena, NULL);
	assert_int_equal(node_put(arena, map, key, seq), 0);
	assert_int_equal(map->weight, UINT32_MAX);
	assert_int_equal(node_put(arena, map, key, key), 0);
	assert_int_equal(map->weight, UINT32_MAX);
}

TEST(a_copy_may_be_changed_and_the_original_stays)
{
	static const unsigned counts[] = {0, 3, MANY};

	for (size_t n = 0; n < 3; n++) {
		CLEANUP(arena_freep) struct arena *arena = new_arena();
		struct node *map = map_of(arena, counts[n]);
		struct node *copy = node_copy(arena, map), *key = text(arena, "more", 0);

		assert_true(node_equal(copy, map));
		assert_int_equal(node_put(arena, copy, key, key), 0);
		assert_int_equal(node_put(arena, map, text(arena, "other", 0), key), 0);
		assert_null(node_get(map, "more"));
		assert_non_null(node_get(copy, "more"));
		assert_null(node_get(copy, "other"));
		node_remove(copy, text(arena, "key %u", 2));
		assert_int_equal(node_get(map, "key 2") != NULL, counts[n] > 2);
	}
}

TEST(a_copy_of_a_sequence_may_be_changed)
{
	CLEANUP(arena_freep) struct arena *arena = new_arena();
	struct node *seq = node_new_sequence(arena, NULL), *copy;

	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(node_push(arena, seq, text(arena, "%u", i)), 0);
	copy = node_copy(arena, seq);
	assert_int_equal(node_push(arena, copy, text(arena, "copy", 0)), 0);
	assert_int_equal(node_push(arena, seq, text(arena, "original", 0)), 0);
	assert_string_equal(copy->seq.items[3]->text.data, "copy");
	assert_string_equal(seq->seq.items[3]->text.data, "original");
}

static bool roots_equal(const char *text_a, const char *text_b)
{
	CLEANUP(document_freep) struct document *a = read_yaml(text_a);
	CLEANUP(document_freep) struct document *b = read_yaml(text_b);
	bool is_equal = node_equal(a->roots[0], b->roots[0]);

	assert_int_equal(node_equal(b->roots[0], a->roots[0]), is_equal);
	if (is_equal)
		assert_int_equal(node_hash(a->roots[0]), node_hash(b->roots[0]));
	return is_equal;
}

TEST(maps_are_equal_whatever_their_order)
{
	assert_true(roots_equal("{a: 1, b: [x, 2.0]}", "b: [x, 2]\na: 0x1\n"));
	assert_false(roots_equal("{a: 1, b: 2}", "{a: 1}"));
	assert_false(roots_equal("{a: 1, b: 2}", "{a: 2, b: 1}"));
	assert_false(roots_equal("{a: 1}", "{a: '1'}"));
}

TEST(sequences_are_equal_in_order)
{
	assert_true(roots_equal("[a, [], {}]", "- a\n- []\n- {}\n"));
	assert_false(roots_equal("[a, b]", "[b, a]"));
	assert_false(roots_equal("[a]", "[a, a]"));
	assert_false(roots_equal("[]", "{}"));
	assert_false(roots_equal("[[a], b]", "[a, [b]]"));
}

TEST(keys_may_be_of_any_kind_and_are_typed)
{
	assert_true(roots_equal("{? [a, 1] : x}", "{? [a, 1.0] : x}"));
	assert_true(roots_equal("{0x10: x}", "{16: x}"));
	assert_false(roots_equal("{16: x}", "{'16': x}"));
}

TEST(a_tag_is_part_of_the_value_but_not_that_of_its_kind)
{
	assert_true(roots_equal("!!map {a: 1}", "{a: 1}"));
	assert_true(roots_equal("!!seq [a]", "[a]"));
	assert_false(roots_equal("!!set {a: 1}", "{a: 1}"));
	assert_false(roots_equal("!x [a]", "!y [a]"));
	assert_true(roots_equal("!x [a]", "!x [a]"));
}

TEST(a_node_equals_itself_also_when_it_holds_nan)
{
	CLEANUP(document_freep) struct document *document = read_yaml("[.nan]");

	assert_true(node_equal(document->roots[0], document->roots[0]));
	assert_false(roots_equal("[.nan]", "[.nan]"));
	/* A format of texts alone has no numbers. */
	struct node word = {.kind = NODE_SCALAR, .schema = NODE_TEXT, .text = {".nan", 4}};
	const struct node same = word;
	assert_true(node_equal(&word, &same));
}

TEST(many_keys_that_equal_nothing_cost_no_time)
{
	CLEANUP(freep) char *yaml = repeat("", 100000, ".nan:\n", "");
	clock_t start = clock();

	document_free(read_yaml(yaml));
	assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 10);
}
