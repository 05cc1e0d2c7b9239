/*
 * The answers of etcd's gateway are hostile. Any bytes, in pieces of any size, are read or refused.
 * Keys that are read are those that were decoded, within bounds.
 *
 * The first byte is the size of the pieces.
 */
#include "cleanup.h"
#include "etcd_reply.h"
#include "fuzz.h"
#include "json_stream.h"
#include "tree.h"

/* The decoded bytes are encoded again, and decoded. */
static void check_base64(struct span bytes)
{
	CLEANUP(freep) char *text = base64_make(bytes);
	size_t back_len;

	if (!base64_decode(span_of(text), text, &back_len) ||
		!span_equal(bytes, (struct span){text, back_len}))
		fuzz_stop("bytes do not come back from base64", bytes);
}

static void check_path(struct span key)
{
	if (tree_path_refuse(key))
		return;
	if (!key.len || *key.data == '/' || key.data[key.len - 1] == '/' ||
		memchr(key.data, '\0', key.len) || memmem(key.data, key.len, "/../", 4) ||
		memmem(key.data, key.len, "//", 2))
		fuzz_stop("a path that is none is taken", key);
}

static void read_one(struct span text)
{
	CLEANUP(arena_freep) struct arena *arena = NULL;
	struct etcd_reply reply;
	struct problem problem;

	if (arena_new(&arena) < 0 || etcd_reply_read(text, arena, &reply, &problem) != 0)
		return;
	if (reply.count > text.len)
		fuzz_stop("there are more keys than bytes", text);
	for (size_t i = 0; i < reply.count; i++) {
		check_base64(reply.keys[i].key);
		check_base64(reply.keys[i].value);
		check_path(reply.keys[i].key);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct json_stream stream = {.limit = 1 << 20};
	int r = 0;

	if (!size)
		return 0;
	size_t piece = data[0] + 1u;
	for (size_t at = 1; r == 0 && at < size; at += piece) {
		size_t left = size - at;
		struct span text = {"", 1};

		r = json_stream_add(&stream,
			(struct span){(const char *)data + at, left < piece ? left : piece});
		while (r == 0 && text.len) {
			r = json_stream_next(&stream, &text);
			if (r == 0 && text.len)
				read_one(text);
		}
	}
	json_stream_fini(&stream);
	read_one((struct span){(const char *)data + 1, size - 1});
	return 0;
}
