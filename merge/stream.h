/*
 * A stream: the documents of a file, and how a KEY (key.h) names one of them.
 *
 *      [1].spec.replicas                                    by its position, counted from 0
 *      [kind=Deployment,metadata.name=web].spec.replicas    by its values
 *      spec.replicas                                        the only document that has this key
 *
 * A document's name has the values of all keys by which the strategy matches documents. A KEY may
 * give fewer values, or values of other keys, if they fit a single document.
 */
#pragma once

#include "node.h"
#include "problem.h"

struct key;
struct key_text;
struct merge_request;

/* Positive results of stream_find(). */
enum {
	STREAM_NONE = 2, /* the KEY has no document's name */
	STREAM_NEW,      /* no document has the KEY's values; they are a complete name */
	STREAM_UNKNOWN,  /* no document has the KEY's values; they are no complete name */
};

struct stream {
	const struct node *const *roots;
	size_t count;
	/* for each document, its name as a map; NULL: it has none, or another document has the same
	 * name. The array is NULL if the strategy names no documents. */
	const struct node *const *names;
	/* a map from a name to a node whose `line` is the document's index; NULL without `names` */
	const struct node *index;
	const struct node *by; /* the list of KEYs whose values make a name; NULL: no names */
};

/**
 * Makes the stream of the documents `roots`. The stream borrows `roots`. The request's strategy
 * names the documents. Returns 0 with *ret, whose memory is in `arena`, or -ENOMEM.
 */
int stream_make(const struct merge_request *request, const struct node *const *roots, size_t count,
	struct arena *arena, struct stream *ret);

/** Does stream_make() for the documents in *root, a merge's result. *root NULL: no documents. */
int stream_of(const struct merge_request *request, const struct node *const *root,
	struct arena *arena, struct stream *ret);

/* A document that a KEY names. */
struct stream_place {
	size_t document;          /* its index; STREAM_NEW: the number of documents */
	const struct node *named; /* STREAM_NEW: its name as a map */
	size_t end;               /* offset of the end of the document's name in the KEY */
};

/**
 * Finds the document whose name begins at text[begin] in the KEY `text`. ret->named is in `arena`.
 * Returns 0 or STREAM_NEW with *ret; STREAM_UNKNOWN with ret->end; STREAM_NONE; PROBLEM if several
 * documents fit, or no document has the index; or -ENOMEM.
 */
int stream_find(const struct stream *stream, const char *text, size_t begin, struct arena *arena,
	struct stream_place *ret, struct problem *problem);

/**
 * Reports STREAM_UNKNOWN: text[begin] to text[end] names no document of the stream, and is no
 * complete name for a new one. Returns PROBLEM or -ENOMEM.
 */
int stream_refuse_unknown(const struct stream *stream, const char *text, size_t begin, size_t end,
	struct problem *problem);

/** Returns the index of the document with the name `name`; stream->count: there is none. */
size_t stream_find_named(const struct stream *stream, const struct node *name);

/**
 * Appends a document's name as it stands in a KEY; if the document has no name, its index [N]. If
 * the stream has a single document, appends nothing.
 */
void stream_put(const struct stream *stream, size_t document, struct key_text *ret);

/** Appends a document's name as it stands in a KEY. If `name` is NULL, appends nothing. */
void stream_put_name(const struct node *name, struct key_text *ret);

/**
 * Copies `value`, and adds to the copy, at all depths, the pairs of `name` that the copy lacks.
 * Returns the copy; `value` itself if `value` or `name` is no map; or NULL if memory is short.
 */
const struct node *stream_name(
	const struct node *name, const struct node *value, struct arena *arena);

/** Returns whether the document `root` has all values of `name`. */
bool stream_has_name(const struct node *root, const struct node *name);

/**
 * Puts a copy of `value` into `map` at the KEY, and makes missing maps on the way. Changes nothing
 * if there is a value at the KEY, or if a value on the way is no map. `map` and the maps on the way
 * must be the caller's own. Returns 0 or -ENOMEM.
 */
int stream_put_at(
	struct arena *arena, struct node *map, const struct key *key, const struct node *value);

size_t stream_count_scalars(const struct node *node);
