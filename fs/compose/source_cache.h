/* The cache of parsed sources. A cached source is immutable and reference-counted. */
#pragma once

#include <stdatomic.h>

#include "document.h"
#include "layer.h"
#include "version.h"

/* Whether a further change of the file may leave its stamp the same. */
enum loaded_race {
	LOADED_SETTLED, /* no */
	LOADED_RACY,    /* yes */
	/* Yes, and the source must be read again: a change was reported after the read began, or
	 * the cache gets no reports of changes. */
	LOADED_PASSED,
};

/* A source in memory: its text, or the document that was parsed from it. */
struct loaded {
	atomic_uint references;
	struct stamp stamp;
	struct stat stat;
	struct source source;      /* with strings that belong to this struct */
	struct span text;          /* the bytes, NUL-terminated; empty if there is a document */
	struct document *document; /* NULL: the caller wanted the text */
	struct timespec read;      /* CLOCK_REALTIME: when the source was read */

	struct loaded *of; /* of a fallback: the state that owns `document`; one reference */

	/* private to the cache */
	bool is_whole; /* no program can have written the file while it was read */
	enum loaded_race race;
	char *path;
	unsigned flavour; /* the read options as a number; 0: text only */
	size_t bytes;
	struct loaded *newer;
	struct loaded *older;
	struct loaded *next;
	struct loaded *next_replaced;
};

/* Positive results of source_cache_load(), besides PROBLEM. */
enum {
	SOURCE_MOVED = 2,     /* the source is gone: repeat the union lookup */
	SOURCE_UNSETTLED = 3, /* the source is being written */
	SOURCE_FAILED = 4,    /* as PROBLEM, but a file system has failed (layer_has_failed()) */
};

struct source_cache;

/**
 * Makes an empty cache of up to `limit` bytes. `is_notified`: the caller reports every change by
 * source_cache_touch(). If false, each load reads a racy source again. Returns 0 with *ret for
 * source_cache_free(), or -ENOMEM.
 */
int source_cache_new(size_t limit, bool is_notified, struct source_cache **ret);
void source_cache_free(struct source_cache *cache);

/* Observes the reading of sources that the cache does not have. */
struct source_observer {
	/* Called before a source is read and parsed. */
	void (*begin)(void *context, const struct source *source);

	/*
	 * Called after reading, except after -ENOMEM. `loaded` NULL: the caller wanted the text, or
	 * the reading failed. `text` lives as long as the call; it is empty after a failure.
	 */
	void (*end)(void *context, const struct loaded *loaded, struct span text);
	void *context;
};

/** Sets the observer, which must outlive the cache. */
void source_cache_observe(struct source_cache *cache, const struct source_observer *observer);

/** Reports a change at `path`, in any layer. */
void source_cache_touch(struct source_cache *cache, const char *path);

/** Sets the limit in bytes. Drops the least recently used sources until the rest fits. */
void source_cache_limit(struct source_cache *cache, size_t limit);

/** Empties the cache. Call this function when the layers' ranks have changed. */
void source_cache_clear(struct source_cache *cache);

size_t source_cache_bytes(struct source_cache *cache);

struct source_want {
	const struct stat *stat;            /* from the union lookup */
	const struct read_options *options; /* how to parse the file; NULL: the text is wanted */
	size_t bytes_max;                   /* a larger file is a problem */
	bool takes_unfinished;              /* a file that a writer has open is read, too */
};

/**
 * Loads the file `path` of `layer`. Takes it from the cache if the cache has it, read with
 * want->options and with the stamp (version.h) of want->stat, and if that stamp can be trusted.
 * Otherwise reads the file. The cache may take the document; it does not take a text alone.
 *
 * Returns 0 with *ret for loaded_unref(); PROBLEM: the file can't be read, is too large or does not
 * parse; SOURCE_FAILED; SOURCE_MOVED; SOURCE_UNSETTLED; -ECANCELED (document_read()); or another
 * -errno: memory or descriptors are short.
 */
int source_cache_load(struct source_cache *cache, const struct layer *layer, const char *path,
	const struct source_want *want, struct loaded **ret, struct problem *problem);

/**
 * Holds the cached states of sources that have the version's stamps: while memory allows, the cache
 * keeps them beside newer states, which otherwise replace them. Versions with the same stamp share
 * a state. The hold ends with the version, which may be freed after source_cache_free().
 */
void source_cache_hold(struct source_cache *cache, struct version *version);

/** Ends the hold, if there is one. Call it before the version gets other stamps. */
void source_cache_release(struct version *version);

/**
 * Returns a reference to the cached state of a source that has a stamp of `version` and was read
 * with `options`; NULL: there is none.
 */
struct loaded *source_cache_find(struct source_cache *cache, const struct layer *layer,
	const char *path, const struct read_options *options, const struct version *version);

/** Adds `loaded`, which a worker has read, and which is in no cache. Takes a new reference. */
void source_cache_keep(struct source_cache *cache, struct loaded *loaded);

/* A source that another process has read. */
struct read_source {
	const struct layer *layer;
	const char *path;
	struct stamp stamp;
	struct timespec read; /* CLOCK_REALTIME: when the source was read */
	struct span text;
};

/**
 * Makes a loaded source: parses source->text with `options`; or, if `options` is NULL, copies the
 * text. The `stat` of *ret stays zero. Returns 0 with *ret for loaded_unref(); PROBLEM;
 * or -errno.
 */
int loaded_of_text(const struct read_source *source, const struct read_options *options,
	struct loaded **ret, struct problem *problem);

struct loaded *loaded_ref(struct loaded *loaded);
void loaded_unref(struct loaded *loaded); /* NULL is fine */

/**
 * Returns the read options as a number: a source may be read in several ways, for several rules.
 * NULL, for the text alone: 0.
 */
unsigned loaded_flavour(const struct read_options *options);

/** Returns whether `loaded` is the source `path` of `layer`, parsed with `options`. */
bool loaded_is_of(const struct loaded *loaded, const struct layer *layer, const char *path,
	const struct read_options *options);

/**
 * Makes a fallback: a source with the document of `of`, and the attributes `stat` of the broken
 * file. Returns one reference; NULL: no memory.
 */
struct loaded *loaded_fallback(struct loaded *of, const struct stat *stat);

/**
 * Returns whether the file is racy: it was changed so recently that another change may leave its
 * stamp the same.
 */
bool source_is_racy(const struct stat *stat);
