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
	struct asked *asked;
	struct given *given; /* the answers */
	struct stat *stats;  /* of every file that was given */
	size_t stat_count;
	size_t stat_capacity;
};

void environment_init(struct environment *environment, const struct composer *composer,
	const struct merge_request *request, struct asked *asked);
/**
 * Takes the rights of the directories that `path` lies in into account: what is shown at its own
 * path is guarded by them there, but not what becomes part of another path. 0 or -ENOMEM.
 */
int environment_add_directories(
	struct environment *environment, const struct layer *layer, const char *path);

void environment_fini(struct environment *environment);
