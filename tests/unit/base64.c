/* Base64, both ways, and invalid text. */
#include "etcd_reply.h"

#include <stdlib.h>

#include "cleanup.h"
#include "test.h"

TEST(known_texts_of_rfc_4648)
{
	static const char *const pairs[][2] = {{"", ""}, {"f", "Zg=="}, {"fo", "Zm8="},
		{"foo", "Zm9v"}, {"foob", "Zm9vYg=="}, {"fooba", "Zm9vYmE="},
		{"foobar", "Zm9vYmFy"}};
	char out[16];
	size_t len;

	for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
		struct span bytes = span_of(pairs[i][0]), text = span_of(pairs[i][1]);
		CLEANUP(freep) char *made = base64_make(bytes);

		assert_string_equal(made, text.data);
		assert_true(base64_decode(text, out, &len));
		assert_int_equal(len, bytes.len);
		assert_memory_equal(out, bytes.data, len);
	}
}

TEST(all_bytes_come_back)
{
	char bytes[256], back[400];
	size_t len;

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)i;
	for (size_t n = 0; n <= sizeof(bytes); n++) {
		CLEANUP(freep) char *text = base64_make((struct span){bytes, n});
		assert_true(base64_decode(span_of(text), back, &len));
		assert_int_equal(len, n);
		assert_memory_equal(back, bytes, n);
		/* In place, too. */
		assert_true(base64_decode(span_of(text), text, &len));
		assert_memory_equal(text, bytes, n);
	}
}

TEST(what_is_none_is_refused)
{
	static const char *const wrong[] = {"Z", "Zg",
		"Zg=", "Zh==", "Zm9=", "====", "Z===", "Zg==Zg==", "Zm 9", "Zm9-", "Zm\n9", "=Zm9",
		"Zm=9"};
	char out[16];
	size_t len;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_false(base64_decode(span_of(wrong[i]), out, &len));
}
