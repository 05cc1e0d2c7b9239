/*
 * A composition: one merge of what the layers show at a path, with all that went into it.
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
	struct environment environment;
	struct merge_input *inputs;
};

/* The part of the merge that the caller needs. */
enum composition_want {
	COMPOSITION_TEXT,
	COMPOSITION_ORIGINS, /* the text, and where each value comes from */
	COMPOSITION_TREE,    /* if the strategy gives a tree, no text, which saves half the time */
};

/**
 * Loads and merges. The caller calls composition_fini() whatever the result is. Until then all
 * arguments must live, and the composition must not be moved. Fills `asked`, if it is not NULL, as
 * compose() does. Returns 0; PROBLEM; COMPOSE_MOVED; COMPOSE_UNSETTLED; or -errno.
 */
int composition_make(struct composition *composition, const struct composer *composer,
	const char *path, const struct union_lookup *lookup, struct dependencies *asked,
	enum composition_want want, struct problem *problem);

void composition_fini(struct composition *composition);
