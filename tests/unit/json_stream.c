/* A stream of objects, in pieces of any size. */
#include "json_stream.h"

#include <errno.h>
#include <stdlib.h>

#include "test.h"

static const char stream_text[] = " {\"a\": {\"b\": \"}{\\\"\\\\\"}}\r\n\n{}{\"c\": [{}]}\t";
static const char *const objects[] = {"{\"a\": {\"b\": \"}{\\\"\\\\\"}}", "{}", "{\"c\": [{}]}"};

TEST(objects_are_cut_out_of_pieces_of_any_size)
{
	for (size_t size = 1; size <= strlen(stream_text); size++) {
		struct json_stream stream = {.limit = 100};
		size_t count = 0;

		for (size_t at = 0; at < strlen(stream_text); at += size) {
			size_t left = strlen(stream_text) - at;
			struct span piece = {stream_text + at, left < size ? left : size};
			struct span object = {"", 1};

			assert_int_equal(json_stream_add(&stream, piece), 0);
			while (object.len) {
				assert_int_equal(json_stream_next(&stream, &object), 0);
				if (object.len)
					assert_true(span_is(object, objects[count++]));
			}
		}
		assert_int_equal(count, 3);
		json_stream_fini(&stream);
	}
}

TEST(more_than_the_limit_is_not_kept)
{
	struct json_stream stream = {.limit = 8};
	struct span object;

	assert_int_equal(json_stream_add(&stream, span_of("{\"1234")), 0);
	assert_int_equal(json_stream_add(&stream, span_of("567")), JSON_STREAM_TOO_LONG);
	json_stream_clear(&stream);
	/* Objects that were taken no longer count for the limit. */
	for (int i = 0; i < 100; i++) {
		assert_int_equal(json_stream_add(&stream, span_of("{\"123\"}")), 0);
		assert_int_equal(json_stream_next(&stream, &object), 0);
		assert_int_equal(object.len, 7);
	}
	json_stream_fini(&stream);
}

TEST(what_is_no_object_is_an_error)
{
	static const char *const wrong[] = {
		"x", "[]", "{}]", "\"a\"", "}", "{} 1", "\xEF\xBB\xBF{}"};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct json_stream stream = {.limit = 100};
		struct span object = {"", 1};
		int r = 0;

		assert_int_equal(json_stream_add(&stream, span_of(wrong[i])), 0);
		while (r == 0 && object.len)
			r = json_stream_next(&stream, &object);
		assert_int_equal(r, JSON_STREAM_BROKEN);
		json_stream_fini(&stream);
	}
}
