/*
 * A splitter of a stream of JSON objects, such as the events that etcd's gateway sends. The
 * received pieces may begin and end within an object. The caller checks whether an object is JSON.
 */
#pragma once

#include <stdbool.h>

#include "span.h"

/* All members zero, except the limit: an empty stream. */
struct json_stream {
	size_t limit; /* maximum number of buffered bytes */

	/* private */
	char *text;
	size_t len;
	size_t capacity;
	size_t begin;   /* offset of the next object */
	size_t scanned; /* offset of the next byte to scan; the members below: the state there */
	size_t depth;
	enum { JSON_PLACE_OUTSIDE, JSON_PLACE_STRING, JSON_PLACE_ESCAPE } place;
};

/* Positive results. */
enum {
	JSON_STREAM_TOO_LONG = 1, /* the bytes do not fit the limit */
	JSON_STREAM_BROKEN,       /* other bytes than white space stand between two objects */
};

void json_stream_fini(struct json_stream *stream);

/** Empties the stream for another use. */
void json_stream_clear(struct json_stream *stream);

/** Adds received bytes. Returns 0, JSON_STREAM_TOO_LONG or -ENOMEM. */
int json_stream_add(struct json_stream *stream, struct span bytes);

/**
 * Finds the next object; *ret is empty while the object is incomplete. *ret is valid until the next
 * call of a function of this header. Returns 0 or JSON_STREAM_BROKEN.
 */
int json_stream_next(struct json_stream *stream, struct span *ret);

/**
 * Returns, for use in messages, the buffered bytes behind the last object that json_stream_next()
 * has returned. They are valid until the next call of a function of this header.
 */
struct span json_stream_rest(const struct json_stream *stream);
