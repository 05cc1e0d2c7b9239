/*
 * A stream of JSON objects, as the gateway of etcd sends what a watch sees, cut into its objects.
 * The pieces that come in from the network begin and end anywhere.
 *
 * Only braces and strings are looked at: whether an object is JSON is found out by who reads it.
 */
#pragma once

#include <stdbool.h>

#include "span.h"

/* All zero, but for the limit, is an empty stream. */
struct json_stream {
	size_t limit; /* bytes that may wait here */

	/* private */
	char *text;
	size_t len;
	size_t capacity;
	size_t begin;   /* of the object that comes next */
	size_t scanned; /* up to here it is known how deep we are */
	size_t depth;
	bool is_in_string;
	bool is_escaped;
};

/* Positive results. */
enum {
	JSON_STREAM_TOO_LONG = 1, /* more waits than the limit allows */
	JSON_STREAM_BROKEN,       /* between two objects stands something else */
};

void json_stream_fini(struct json_stream *stream);

/** Empties it, to be used again. */
void json_stream_clear(struct json_stream *stream);

/** Takes in what has come. 0, JSON_STREAM_TOO_LONG or -ENOMEM. */
int json_stream_add(struct json_stream *stream, struct span bytes);

/**
 * The next object, if all of it is there; else *ret is empty. It lives until the next call of
 * anything here. 0 or JSON_STREAM_BROKEN.
 */
int json_stream_next(struct json_stream *stream, struct span *ret);

/** All that waits, whatever it is. It lives as long. */
struct span json_stream_rest(const struct json_stream *stream);
