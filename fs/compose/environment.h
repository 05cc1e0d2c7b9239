/*
 * The environment of one merge: loads the files that a strategy asks for besides its sources, and
 * adds their names to `asked`. The files live until environment_fini().
 */
#pragma once

#include "compose.h"
#include "merge.h"

struct environment {
	struct merge_environment callbacks; /* for merge_request.environment */
	const struct composer *composer;
	const struct merge_request *request;
	struct dependencies *asked;
	struct path_sources *given; /* the files that were loaded */
	/* Attributes of `given`, and of directories above sources, for the rights of the result. */
	struct stat *stats;
	size_t stat_count;
	size_t stat_capacity;
};

void environment_init(struct environment *environment, const struct composer *composer,
	const struct merge_request *request, struct dependencies *asked);

/**
 * Adds the rights of the directories above the source `path`, so that only users who may search
 * these can read the result. Skips directories above the request's own path: the mount has them,
 * too. Returns 0, or -errno if memory or descriptors are short, or a file system has failed
 * (layer_has_failed()).
 */
int environment_guard(struct environment *environment, const struct layer *layer, const char *path);

/**
 * Does environment_guard() again after the source was loaded, as a directory above it may have been
 * replaced meanwhile. `loaded` has the attributes of the file that was read. Returns 0;
 * SOURCE_MOVED: another file is there now; or -errno.
 */
int environment_guard_again(struct environment *environment, const struct layer *layer,
	const char *path, const struct stat *loaded);

/**
 * Does environment_guard(), compose_load() and environment_guard_again(). Call it for a source in a
 * layer that follows links, or at another path than the request's. If the file system of a
 * directory above the source has failed, the source counts as one that could not be examined.
 * Returns as compose_load(); or SOURCE_MOVED.
 */
int environment_load(struct environment *environment, const char *path,
	const struct contributor *found, const struct read_options *options, struct loaded **ret,
	struct problem *problem);

void environment_fini(struct environment *environment);
