/*
 * A composition, up to the merge: the sources of a path are loaded and merged. compose() validates
 * the result.
 *
 *      lookup ── load ──▶ sources ── merge ──▶ result
 */
#pragma once

#include "environment.h"
#include "merge.h"
#include "source_cache.h"

/* The sources, lowest layer first. */
struct sources {
	const struct layer **layers;
	const char **paths; /* relative to the layers */
	struct loaded **loaded;
	struct stat *stats;
	size_t count;
	size_t left_out; /* number of broken sources that are left out (on_error: skip-layer) */
};

/** Makes room for `capacity` sources. Returns 0 or -ENOMEM; call sources_fini() in any case. */
int sources_init(struct sources *sources, size_t capacity);

/** Adds a source. Takes the reference to `loaded`, which may be NULL; borrows the rest. */
void sources_add(struct sources *sources, const struct layer *layer, const char *path,
	struct loaded *loaded, const struct stat *stat);

void sources_fini(struct sources *sources);

struct composition {
	struct merge_request request; /* its inputs are the sources */
	struct merge_result *result;
	struct sources sources;

	/* private: */
	struct options options; /* request.options */
	struct environment environment;
	struct merge_input *inputs;
};

/* The part of the result that the caller needs. */
enum composition_want {
	COMPOSITION_TEXT,
	COMPOSITION_ORIGINS, /* the text, and where each value comes from */
	COMPOSITION_SOURCES, /* no result, only the request with its sources */
};

/**
 * Loads the sources that `lookup` found. Merges them, unless `want` is SOURCES. Adds the
 * dependencies to `asked` (may be NULL), even on failure. Returns 0; PROBLEM; COMPOSE_MOVED or
 * COMPOSE_UNSETTLED (compose.h); or -errno. Call composition_fini() after any result. Until that
 * call, all arguments must live, and the composition must not be moved.
 */
int composition_make(struct composition *composition, const struct composer *composer,
	const char *path, const struct union_lookup *lookup, struct path_list *asked,
	enum composition_want want, struct problem *problem);

void composition_fini(struct composition *composition);
