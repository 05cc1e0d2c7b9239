/*
 * The environment of one merge: how a strategy reaches files besides its sources, and what it
 * reached. All that was given lives until environment_fini().
 */
#pragma once

#include "compose.h"
#include "merge.h"

struct environment {
	struct merge_environment callbacks; /* for merge_request.environment */
	const struct composer *composer;
	const struct merge_request *request;
	struct dependencies *asked;
	struct given *given; /* the answers */
	struct stat *stats;  /* of every file that was given */
	size_t stat_count;
	size_t stat_capacity;
};

void environment_init(struct environment *environment, const struct composer *composer,
	const struct merge_request *request, struct dependencies *asked);

/**
 * As compose_load(), for a source that becomes part of another path than its own: it takes the
 * rights of the directories that it lies in into account, which guard it only there.
 */
int environment_load(struct environment *environment, const char *path, const struct contributor *found,
	const struct read_options *options, struct loaded **ret, struct problem *problem);

void environment_fini(struct environment *environment);
