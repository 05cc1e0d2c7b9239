#include "json_stream.h"

#include <errno.h>
#include <stdlib.h>

/* A buffer larger than this, in bytes, which a large message has left behind, is freed. */
#define KEPT_MAX ((size_t)1 << 20)

#define FIRST_CAPACITY ((size_t)16 << 10)

void json_stream_fini(struct json_stream *stream)
{
	free(stream->text);
	*stream = (struct json_stream){.limit = stream->limit};
}

void json_stream_clear(struct json_stream *stream)
{
	if (stream->capacity > KEPT_MAX) {
		json_stream_fini(stream);
		return;
	}
	*stream = (struct json_stream){
		.limit = stream->limit, .text = stream->text, .capacity = stream->capacity};
}

/* Moves the bytes that are not taken yet to the front. */
static void drop_taken(struct json_stream *stream)
{
	if (!stream->begin)
		return;
	if (stream->begin == stream->len && !stream->depth) {
		json_stream_clear(stream);
		return;
	}
	stream->len -= stream->begin;
	memmove(stream->text, stream->text + stream->begin, stream->len);
	stream->scanned -= stream->begin;
	stream->begin = 0;
}

static int make_room(struct json_stream *stream, size_t more)
{
	size_t wanted = stream->capacity ? stream->capacity : FIRST_CAPACITY;
	char *moved;

	if (more > stream->limit || stream->len > stream->limit - more)
		return JSON_STREAM_TOO_LONG;
	while (wanted < stream->len + more)
		wanted *= 2;
	if (wanted == stream->capacity)
		return 0;
	moved = realloc(stream->text, wanted);
	if (!moved)
		return -ENOMEM;
	stream->text = moved;
	stream->capacity = wanted;
	return 0;
}

int json_stream_add(struct json_stream *stream, struct span bytes)
{
	drop_taken(stream);
	int r = make_room(stream, bytes.len);
	if (r == 0 && bytes.len) {
		memcpy(stream->text + stream->len, bytes.data, bytes.len);
		stream->len += bytes.len;
	}
	return r;
}

static bool is_space(char c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static void scan_string(struct json_stream *stream, char c)
{
	if (stream->place == JSON_PLACE_ESCAPE)
		stream->place = JSON_PLACE_STRING;
	else if (c == '\\')
		stream->place = JSON_PLACE_ESCAPE;
	else if (c == '"')
		stream->place = JSON_PLACE_OUTSIDE;
}

int json_stream_next(struct json_stream *stream, struct span *ret)
{
	*ret = (struct span){0};
	while (stream->scanned < stream->len) {
		char c = stream->text[stream->scanned];

		if (!stream->depth && c != '{') {
			if (!is_space(c))
				return JSON_STREAM_BROKEN;
			stream->begin = ++stream->scanned;
			continue;
		}
		stream->scanned++;
		if (stream->place != JSON_PLACE_OUTSIDE) {
			scan_string(stream, c);
		} else if (c == '"') {
			stream->place = JSON_PLACE_STRING;
		} else if (c == '{') {
			stream->depth++;
		} else if (c == '}' && --stream->depth == 0) {
			*ret = (struct span){
				stream->text + stream->begin, stream->scanned - stream->begin};
			stream->begin = stream->scanned;
			return 0;
		}
	}
	return 0;
}

struct span json_stream_rest(const struct json_stream *stream)
{
	if (stream->begin == stream->len)
		return (struct span){"", 0};
	return (struct span){stream->text + stream->begin, stream->len - stream->begin};
}
