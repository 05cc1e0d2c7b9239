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
	struct path_sources *given; /* the answers */
	struct stat *stats;         /* of every file that was given, and of what guards it */
	size_t stat_count;
	size_t stat_capacity;
};

void environment_init(struct environment *environment, const struct composer *composer,
	const struct merge_request *request, struct dependencies *asked);

/**
 * Takes the rights of the directories that a source of the request's path lies in into account,
 * but for those that everybody may search, which take nothing away. 0 or -errno.
 */
int environment_guard(struct environment *environment, const struct layer *layer, const char *path);

/**
 * The same, when it was loaded: another directory may have taken the place of the one that it was
 * read from, before, and then the source is another one as well, or after. 0, SOURCE_MOVED, or
 * -errno.
 */
int environment_guard_again(struct environment *environment, const struct layer *layer,
	const char *path, const struct stat *loaded);

/**
 * As compose_load(), for a source that becomes part of another path than its own, with what
 * guards it.
 */
int environment_load(struct environment *environment, const char *path,
	const struct contributor *found, const struct read_options *options, struct loaded **ret,
	struct problem *problem);

void environment_fini(struct environment *environment);
