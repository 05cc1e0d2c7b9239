/*
 * A composition: one merge of what the layers show at a path, with its inputs and its result.
 *
 *      lookup ── load ──▶ sources ── merge ──▶ result
 */
#pragma once

#include "environment.h"
#include "merge.h"
#include "sources.h"

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
	COMPOSITION_TREE,    /* a tree and no text; if the strategy gives no tree, the text */
};

/**
 * Loads the sources that `lookup` found, and merges them. Adds the dependencies to `asked` (may be
 * NULL), even on failure. Returns 0; PROBLEM; COMPOSE_MOVED or COMPOSE_UNSETTLED (compose.h); or
 * -errno. Call composition_fini() after any result. Until that call, all arguments must live, and
 * the composition must not be moved.
 */
int composition_make(struct composition *composition, const struct composer *composer,
	const char *path, const struct union_lookup *lookup, struct path_list *asked,
	enum composition_want want, struct problem *problem);

void composition_fini(struct composition *composition);
