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

/**
 * Loads and merges. The caller calls composition_fini() whatever the result is. Until then all
 * arguments must live, and the composition must not be moved. Fills `asked`, if it is not NULL, as
 * compose() does. Returns 0; PROBLEM; COMPOSE_MOVED; COMPOSE_UNSETTLED; or -errno.
 */
int composition_make(struct composition *composition, const struct composer *composer,
	const char *path, const struct union_lookup *lookup, struct dependencies *asked,
	bool wants_origins, struct problem *problem);

void composition_fini(struct composition *composition);
