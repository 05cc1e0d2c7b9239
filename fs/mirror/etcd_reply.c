#include "etcd_reply.h"

#include <errno.h>
#include <stdlib.h>

#include "array.h"
#include "cleanup.h"
#include "document.h"
#include "report.h"

#define SOURCE_NAME "the gateway's answer"

/* A key takes some ten nodes; etcd limits a reply only by its bytes. */
static const struct limits limits = {
	.source_bytes = ETCD_REPLY_MAX,
	.result_bytes = ETCD_REPLY_MAX,
	.depth = 16,
	.nodes = 10000000,
};

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

char *base64_make(struct span bytes)
{
	const unsigned char *in = (const unsigned char *)bytes.data;
	char *text = malloc((bytes.len + 2) / 3 * 4 + 1), *out = text;

	if (!text)
		return NULL;
	for (size_t left = bytes.len; left > 0; out += 4) {
		uint32_t word = (uint32_t)in[0] << 16;

		word |= left > 1 ? (uint32_t)in[1] << 8 : 0;
		word |= left > 2 ? in[2] : 0;
		out[0] = letters[word >> 18];
		out[1] = letters[word >> 12 & 63];
		out[2] = left > 1 ? letters[word >> 6 & 63] : '=';
		out[3] = left > 2 ? letters[word & 63] : '=';
		in += left > 2 ? 3 : left;
		left -= left > 2 ? 3 : left;
	}
	*out = '\0';
	return text;
}

/* Returns 0 to 63; -1: not a character of base64. */
static int value_of(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

bool base64_decode(struct span text, char *out, size_t *ret_len)
{
	size_t padding = 0, len = 0;

	if (text.len % 4 != 0)
		return false;
	while (padding < 2 && padding < text.len && text.data[text.len - 1 - padding] == '=')
		padding++;
	for (size_t i = 0; i < text.len; i += 4) {
		size_t last = i + 4 == text.len ? padding : 0;
		uint32_t word = 0;

		for (size_t j = 0; j < 4; j++) {
			int value = j < 4 - last ? value_of(text.data[i + j]) : 0;
			if (value < 0)
				return false;
			word = word << 6 | (uint32_t)value;
		}
		/* Unused bits must be zero, so that the same bytes never have two texts. */
		if ((last == 1 && word & 0xFF) || (last == 2 && word & 0xFFFF))
			return false;
		for (size_t j = 0; j < 3 - last; j++)
			out[len++] = (char)(word >> (16 - 8 * j));
	}
	*ret_len = len;
	return true;
}

struct reply_reader {
	struct arena *arena;
	struct etcd_reply *reply;
	struct problem *problem;
};

static int get_number(
	struct reply_reader *reader, const struct node *map, const char *name, uint64_t *ret)
{
	const struct node *node = report_get(map, name);
	uint64_t number = 0;

	if (!node)
		return 0;
	bool is_number = node_is_scalar(node) && node->text.len > 0;
	for (size_t i = 0; is_number && i < node->text.len; i++) {
		unsigned digit = (unsigned)(unsigned char)node->text.data[i] - '0';

		is_number = digit <= 9 && !__builtin_mul_overflow(number, 10, &number) &&
			    !__builtin_add_overflow(number, digit, &number);
	}
	if (!is_number)
		return problem_at(reader->problem, node, "\"%s\" is no number of 64 bits", name);
	*ret = number;
	return 0;
}

/* Leaves *ret unchanged if there is no such text. Returns 0 or -ENOMEM. */
static int get_text(
	struct reply_reader *reader, const struct node *map, const char *name, const char **ret)
{
	const struct node *node = report_get(map, name);

	if (!node || !node_is_scalar(node) || node->style != NODE_DOUBLE)
		return 0;
	*ret = arena_copy(reader->arena, node->text);
	return *ret ? 0 : -ENOMEM;
}

static int get_bytes(
	struct reply_reader *reader, const struct node *map, const char *name, struct span *ret)
{
	const struct node *node = node_get(map, name);
	size_t len;
	char *bytes;

	if (!node)
		return 0;
	bytes = node_is_scalar(node) ? arena_alloc(reader->arena, node->text.len + 1) : NULL;
	if (node_is_scalar(node) && !bytes)
		return -ENOMEM;
	if (!bytes || !base64_decode(node->text, bytes, &len))
		return problem_at(reader->problem, node, "\"%s\" is not base64", name);
	/* The bytes are shorter than their base64, so there is room for the NUL. */
	bytes[len] = '\0';
	*ret = (struct span){bytes, len};
	return 0;
}

static int read_key(struct reply_reader *reader, const struct node *map, struct etcd_key *ret)
{
	if (!node_is_map(map))
		return problem_at(reader->problem, map, "a key is no object");
	int r = get_bytes(reader, map, "key", &ret->key);
	if (r == 0)
		r = get_bytes(reader, map, "value", &ret->value);
	return r ? r : get_number(reader, map, "mod_revision", &ret->revision);
}

static int read_event(struct reply_reader *reader, const struct node *map, struct etcd_key *ret)
{
	const struct node *key = report_get(map, "kv");

	/* PUT is 0, and the gateway omits fields that are 0. */
	bool is_put = !report_get(map, "type") || report_is(map, "type", "PUT");
	ret->is_deleted = report_is(map, "type", "DELETE");
	if (!key || (!is_put && !ret->is_deleted))
		return problem_at(reader->problem, map, "this is neither a put nor a delete");
	return read_key(reader, key, ret);
}

/* Reads the list `name` of `map`, each item by `read`. */
static int read_keys(struct reply_reader *reader, const struct node *map, const char *name,
	int (*read)(struct reply_reader *reader, const struct node *map, struct etcd_key *ret))
{
	const struct node *list = node_get(map, name);
	struct etcd_reply *reply = reader->reply;
	int r = 0;

	if (!list)
		return 0;
	if (!node_is_sequence(list))
		return problem_at(reader->problem, list, "\"%s\" is no list", name);
	reply->keys =
		arena_zalloc(reader->arena, (size_t)list->seq.count + 1, sizeof(*reply->keys));
	if (!reply->keys)
		return -ENOMEM;
	for (uint32_t i = 0; r == 0 && i < list->seq.count; i++)
		r = read(reader, list->seq.items[i], &reply->keys[i]);
	reply->count = r == 0 ? list->seq.count : 0;
	return r;
}

/* Reads {"error": "…", "code": 14}, or in a watch {"message": "…", "grpc_code": 14}. */
static int read_error(struct reply_reader *reader, const struct node *map)
{
	uint64_t code = 0;

	int r = get_text(reader, map, "error", &reader->reply->error);
	if (r == 0)
		r = get_text(reader, map, "message", &reader->reply->error);
	if (r == 0)
		r = get_number(
			reader, map, node_get(map, "grpc_code") ? "grpc_code" : "code", &code);
	reader->reply->error_code = code < 1000 ? (unsigned)code : 0;
	if (r == 0 && !reader->reply->error)
		reader->reply->error = "an error without a message";
	return r;
}

static int read_result(struct reply_reader *reader, const struct node *map)
{
	static const char *const words[] = {[ETCD_MORE] = "more",
		[ETCD_SUCCEEDED] = "succeeded",
		[ETCD_CANCELED] = "canceled", /* before "created": a refused watch has both */
		[ETCD_CREATED] = "created",
		[ETCD_FRAGMENT] = "fragment"};
	struct etcd_reply *reply = reader->reply;
	const struct node *header = node_get(map, "header");
	int r = 0;

	if (header) {
		r = get_number(reader, header, "cluster_id", &reply->cluster);
		r = r ? r : get_number(reader, header, "revision", &reply->revision);
		r = r ? r : get_number(reader, header, "raft_term", &reply->term);
	}
	r = r ? r : get_number(reader, map, "compact_revision", &reply->compact_revision);
	r = r ? r : get_text(reader, map, "token", &reply->token);
	r = r ? r : get_text(reader, map, "cancel_reason", &reply->error);
	for (int word = ETCD_MORE; reply->word == ETCD_NO_WORD && word <= ETCD_FRAGMENT; word++)
		if (report_is(map, words[word], "true"))
			reply->word = (enum etcd_word)word;
	r = r ? r : read_keys(reader, map, "kvs", read_key);
	return r ? r : read_keys(reader, map, "events", read_event);
}

static int read_root(struct reply_reader *reader, const struct document *document)
{
	const struct node *root = document->count ? document->roots[0] : NULL;

	if (!root || !node_is_map(root))
		return problem_set(reader->problem, SOURCE_NAME, 0, 0,
			"is no JSON object; is this an endpoint of etcd?");
	const struct node *result = node_get(root, "result"), *error = node_get(root, "error");
	if (error && node_is_map(error))
		return read_error(reader, error);
	if (error || (node_get(root, "message") && !node_get(root, "header")))
		return read_error(reader, root);
	if (result && !node_is_map(result))
		return problem_at(reader->problem, result, "\"result\" is no object");
	return read_result(reader, result ? result : root);
}

int etcd_reply_read(
	struct span text, struct arena *arena, struct etcd_reply *ret, struct problem *problem)
{
	CLEANUP(document_freep) struct document *document = NULL;
	const struct source source = {.name = SOURCE_NAME};
	const struct read_options options = {.format = &format_json, .limits = limits};
	struct etcd_reply reply = {0};
	struct reply_reader reader = {arena, &reply, problem};

	int r = document_read(&source, text, &options, &document, problem);
	if (r == 0)
		r = read_root(&reader, document);
	if (r == 0)
		*ret = reply;
	return r;
}

static void change_fini(struct etcd_key *change)
{
	free((char *)change->key.data);
	free((char *)change->value.data);
}

int etcd_batch_add(struct etcd_batch *batch, const char *path, const struct etcd_key *key)
{
	struct etcd_key change = *key;

	if (path) {
		if (array_grow(batch->changes, batch->count, batch->capacity) < 0)
			return -ENOMEM;
		change.key = (struct span){strdup(path), strlen(path)};
		change.value.data = span_dup(key->value);
		if (!change.key.data || !change.value.data) {
			change_fini(&change);
			return -ENOMEM;
		}
		batch->changes[batch->count++] = change;
		batch->bytes += change.value.len + change.key.len + sizeof(change);
	}
	if (key->revision > batch->revision)
		batch->revision = key->revision;
	return 0;
}

bool etcd_batch_is_single(const struct etcd_batch *batch)
{
	if (batch->count > ETCD_BATCH_SINGLE_MAX)
		return false;
	for (size_t i = 1; i < batch->count; i++)
		if (batch->changes[i].revision == batch->changes[i - 1].revision)
			return false;
	return true;
}

void etcd_batch_clear(struct etcd_batch *batch)
{
	for (size_t i = 0; i < batch->count; i++)
		change_fini(&batch->changes[i]);
	batch->count = batch->bytes = 0;
	batch->revision = 0;
	batch->is_open = false;
}

void etcd_batch_fini(struct etcd_batch *batch)
{
	etcd_batch_clear(batch);
	free(batch->changes);
}
