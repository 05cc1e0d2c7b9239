/* Answers of etcd's gateway: as 3.4 and 3.5 have written them, and invalid ones. */
#include "etcd_reply.h"

#include <stdint.h>
#include <stdlib.h>

#include "cleanup.h"
#include "test.h"

#define HEADER                                                                                     \
	"\"header\":{\"cluster_id\":\"18446744073709551615\",\"member_id\":\"3\",\"revision\":"    \
	"\"9007199254740993\"}"

static int read_reply(const char *text, struct arena *arena, struct etcd_reply *ret)
{
	struct problem problem = {.message = ""};
	int r = etcd_reply_read(span_of(text), arena, ret, &problem);

	if (r == PROBLEM)
		assert_true(*problem.message);
	return r;
}

TEST(a_range_has_keys_and_numbers_of_64_bits)
{
	CLEANUP(arena_freep) struct arena *arena = NULL;
	struct etcd_reply reply;

	assert_int_equal(arena_new(&arena), 0);
	assert_int_equal(
		read_reply("{" HEADER ",\"kvs\":[{\"key\":\"L2EvYg==\",\"create_revision\":\"2\","
			   "\"mod_revision\":\"7\",\"value\":\"MQA=\"},{\"key\":\"L2M=\"}],"
			   "\"more\":true,\"count\":\"2\"}",
			arena, &reply),
		0);
	assert_true(reply.cluster == UINT64_MAX);
	/* More than a double can hold. */
	assert_true(reply.revision == 9007199254740993);
	assert_int_equal(reply.word, ETCD_MORE);
	assert_int_equal(reply.count, 2);
	assert_true(span_is(reply.keys[0].key, "/a/b"));
	assert_true(span_equal(reply.keys[0].value, (struct span){"1", 2}));
	assert_int_equal(reply.keys[0].revision, 7);
	assert_true(span_is(reply.keys[1].key, "/c"));
	assert_int_equal(reply.keys[1].value.len, 0);
}

TEST(a_watch_reports_puts_and_deletes)
{
	CLEANUP(arena_freep) struct arena *arena = NULL;
	struct etcd_reply reply;

	assert_int_equal(arena_new(&arena), 0);
	assert_int_equal(
		read_reply("{\"result\":{" HEADER ",\"fragment\":true,\"events\":[{\"kv\":{\"key\":"
			   "\"YQ==\",\"mod_revision\":\"4\",\"value\":\"MQ==\"}},{\"type\":"
			   "\"DELETE\",\"kv\":{\"key\":\"Yg==\",\"mod_revision\":\"4\"}}]}}",
			arena, &reply),
		0);
	assert_int_equal(reply.word, ETCD_FRAGMENT);
	assert_int_equal(reply.count, 2);
	assert_false(reply.keys[0].is_deleted);
	assert_true(reply.keys[1].is_deleted);
	assert_int_equal(
		read_reply("{\"result\":{" HEADER ",\"created\":true}}", arena, &reply), 0);
	assert_true(reply.word == ETCD_CREATED && !reply.count);
	assert_int_equal(
		read_reply("{\"result\":{" HEADER ",\"canceled\":true,\"compact_revision\":"
			   "\"3\"}}",
			arena, &reply),
		0);
	assert_int_equal(reply.word, ETCD_CANCELED);
	assert_int_equal(reply.compact_revision, 3);
}

TEST(errors_come_in_two_shapes)
{
	CLEANUP(arena_freep) struct arena *arena = NULL;
	struct etcd_reply reply;

	assert_int_equal(arena_new(&arena), 0);
	assert_int_equal(read_reply("{\"error\":\"etcdserver: invalid auth token\",\"message\":"
				    "\"etcdserver: invalid auth token\",\"code\":16}",
				 arena, &reply),
		0);
	assert_string_equal(reply.error, "etcdserver: invalid auth token");
	assert_int_equal(reply.error_code, ETCD_UNAUTHENTICATED);
	assert_int_equal(read_reply("{\"error\":{\"grpc_code\":14,\"http_code\":503,\"message\":"
				    "\"etcdserver: no leader\"}}",
				 arena, &reply),
		0);
	assert_string_equal(reply.error, "etcdserver: no leader");
	assert_int_equal(reply.error_code, 14);
	assert_int_equal(read_reply("{\"error\":null}", arena, &reply), 0);
	assert_non_null(reply.error);
}

TEST(what_is_none_of_these_is_a_problem)
{
	static const char *const wrong[] = {"", "1", "[]", "\"\"", "{", "{\"result\":1}",
		"{\"header\":{\"revision\":\"-1\"}}",
		"{\"header\":{\"revision\":\"18446744073709551616\"}}",
		"{\"header\":{\"revision\":\"1e3\"}}", "{\"header\":{\"revision\":\"\"}}",
		"{\"header\":{\"revision\":{}}}", "{\"kvs\":{}}", "{\"kvs\":[1]}",
		"{\"kvs\":[{\"key\":\"x\"}]}", "{\"kvs\":[{\"key\":[]}]}",
		"{\"kvs\":[{\"key\":\"YQ==\",\"mod_revision\":\"x\"}]}",
		"{\"result\":{\"events\":[{}]}}",
		"{\"result\":{\"events\":[{\"type\":\"MERGE\",\"kv\":{}}]}}",
		"{\"result\":{\"events\":[{\"type\":[],\"kv\":{}}]}}", "<html>404</html>"};
	CLEANUP(arena_freep) struct arena *arena = NULL;

	assert_int_equal(arena_new(&arena), 0);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct etcd_reply reply = {.count = 77};

		assert_int_equal(read_reply(wrong[i], arena, &reply), PROBLEM);
		assert_int_equal(reply.count, 77);
	}
}

TEST(what_has_wrong_kinds_is_no_crash)
{
	static const char *const odd[] = {"{}", "{\"header\":1,\"kvs\":[]}", "{\"header\":[]}",
		"{\"result\":{\"created\":{}}}", "{\"token\":1}", "{\"error\":[]}",
		"{\"error\":{}}"};
	CLEANUP(arena_freep) struct arena *arena = NULL;
	struct etcd_reply reply;

	assert_int_equal(arena_new(&arena), 0);
	for (size_t i = 0; i < sizeof(odd) / sizeof(*odd); i++)
		assert_int_equal(read_reply(odd[i], arena, &reply), 0);
}
