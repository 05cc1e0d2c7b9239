/*
 * The sources that have been read, so that a change in one layer costs reading that layer's file
 * only. What is given out is immutable and counted; the cache keeps what is used again and again,
 * up to a number of bytes. Safe for any number of threads; nothing is read while its lock is held.
 */
#pragma once

#include <stdatomic.h>

#include "document.h"
#include "layer.h"
#include "version.h"

/* A source in memory: its text, or the document that was read from it. */
struct loaded {
	atomic_uint references;
	struct stamp stamp;
	struct stat stat;
	struct source source;      /* its strings belong to this */
	struct span text;          /* with no document: the bytes, NUL-terminated */
	struct document *document; /* or NULL */

	struct timespec read; /* CLOCK_REALTIME: when it was */

	/* private to the cache */
	bool is_whole;     /* nobody could write while it was read */
	bool is_young;     /* its stamp may be that of an older state, too */
	bool is_passed;    /* lock; young, and something has changed at its path since */
	struct loaded *of; /* whose document it lends; NULL: it has its own */
	char *path;
	unsigned flavour; /* how it was read */
	size_t bytes;
	struct loaded *newer;
	struct loaded *older;
	struct loaded *next;
};

/* Positive results of source_cache_load(), besides PROBLEM. */
enum {
	SOURCE_MOVED = 2,     /* it is not there any more: look at the layers again */
	SOURCE_UNSETTLED = 3, /* it is being written */
};

struct source_cache;

/**
 * An empty cache that keeps up to `limit` bytes. With `is_told` every change is reported by
 * source_cache_touch(); without, a source that was changed just before it was read is not trusted.
 * Returns 0 with *ret for source_cache_free(), or -ENOMEM.
 */
int source_cache_new(size_t limit, bool is_told, struct source_cache **ret);
void source_cache_free(struct source_cache *cache);

/* Follows what is read. Both may be called by any thread that loads. */
struct source_observer {
	/* A source is about to be read, and parsed. */
	void (*begin)(void *context, const struct source *source);

	/* It was read; NULL: it is none. The document was parsed from `text`, which goes now. */
	void (*end)(void *context, const struct loaded *loaded, struct span text);
	void *context;
};

/** Sets the observer, which must outlive the cache, before a second thread uses the cache. */
void source_cache_observe(struct source_cache *cache, const struct source_observer *observer);

/** Something has changed at `path`, in some layer. */
void source_cache_touch(struct source_cache *cache, const char *path);

/** Keeps nothing of what it had: the layers' ranks mean others now. */
void source_cache_clear(struct source_cache *cache);

/** Bytes kept now. */
size_t source_cache_bytes(struct source_cache *cache);

/* How a source is wanted. */
struct source_want {
	const struct stat *stat;            /* the state it was in a moment ago */
	const struct read_options *options; /* to read its document; NULL: its text */
	size_t bytes_max;
	bool takes_unfinished; /* also what a writer has not closed yet */
};

/**
 * The file `path` of `layer`, in the state that it was seen in if that is in the cache, else as it
 * is now.
 *
 * Returns 0 with *ret for loaded_unref(); PROBLEM for a source that can't be read, is too large or
 * does not parse; SOURCE_MOVED; SOURCE_UNSETTLED; or -errno where memory or descriptors are short.
 */
int source_cache_load(struct source_cache *cache, const struct layer *layer, const char *path,
	const struct source_want *want, struct loaded **ret, struct problem *problem);

/** What was read last of it in that way and was good, whatever it is now; NULL: nothing is kept.
 * One reference. */
struct loaded *source_cache_last(struct source_cache *cache, const struct layer *layer,
	const char *path, const struct read_options *options);

/** Keeps `loaded`, which was not read by this cache, as if it had been. */
void source_cache_keep(struct source_cache *cache, struct loaded *loaded);

/* A source that another process has read. */
struct read_source {
	const struct layer *layer;
	const char *path;
	struct stamp stamp;
	struct timespec read; /* CLOCK_REALTIME: when it was */
	struct span text;
};

/**
 * Makes of the copied text what source_cache_load() would: with `options` the document, else the
 * text. Returns 0 with *ret for loaded_unref(), PROBLEM, or -ENOMEM.
 */
int loaded_of_text(const struct read_source *source, const struct read_options *options,
	struct loaded **ret, struct problem *problem);

struct loaded *loaded_ref(struct loaded *loaded);
void loaded_unref(struct loaded *loaded); /* NULL is fine */

/** Whether it is that source, as wanted. */
bool loaded_is_of(const struct loaded *loaded, const struct layer *layer, const char *path,
	const struct read_options *options);

/** What `of` has, as if it had been read from the file in the state that `stat` tells. NULL: no
 * memory. */
struct loaded *loaded_stand_in(struct loaded *of, const struct stat *stat);

/** Whether a file was changed so short a time ago that a further change may not move its stamp. */
bool source_is_young(const struct stat *stat);
