/* Salt's vocabulary in C: what the models (tests/model) leave open. */
#include "salt.h"

#include <stdio.h>
#include <stdlib.h>

#include "reading.h"
#include "repeat.h"

/* Copying or searching all items for each key would take minutes. */
TEST(a_key_that_comes_often_takes_linear_time)
{
	CLEANUP(arena_freep) struct arena *arena = NULL;
	CLEANUP(freep)
	char *text = repeat(
		"", 50000, "a: !aggr-seq [@]\nb: !aggr-map {c: {d: !aggr-map {k@: 1}}}\n", "");
	const struct node *value;
	struct problem problem;

	CLEANUP(document_freep)
	struct document *document =
		read_with((struct read_options){.format = &format_yaml, .keep_duplicates = true},
			span_of(text));
	assert_int_equal(arena_new(&arena), 0);
	const struct salt salt = {.arena = arena};
	assert_int_equal(salt_construct(&salt, document->roots[0], &value, &problem), 0);
	assert_int_equal(node_get(value, "a")->seq.count, 50000);
	value = node_get(node_get(node_get(value, "b"), "c"), "d");
	assert_int_equal(value->map.count, 50000);
	assert_int_equal(value->weight, 100001);
}
