/*
 * The environment of one merge. It loads the files that the strategy asks for besides the sources,
 * and adds their names to `asked` (may be NULL). The files live until environment_fini().
 */
#pragma once

#include "compose.h"
#include "merge.h"

struct environment {
	struct merge_environment callbacks; /* for merge_request.environment */
	const struct composer *composer;
	const struct merge_request *request;
	struct path_list *asked;
	struct path_sources *given; /* the files that were loaded */
	/*
	 * The attributes of the files in `given`, and the guards of environment_guard(). All of
	 * them limit who may read the result.
	 */
	struct stat *stats;
	size_t stat_count;
	size_t stat_capacity;
};

void environment_init(struct environment *environment, const struct composer *composer,
	const struct merge_request *request, struct path_list *asked);

/**
 * Adds guards to `stats`: the rights of the directories above the source `path` and, with `follow`,
 * above the file to which links in `path` lead (ancestors.h). A user who may not search one of the
 * directories can't read the result. Skips a directory that is also above the request's path, as
 * the mount shows and guards that directory. Returns 0; or -errno if memory or descriptors are
 * short, or a file system has failed (layer_has_failed()).
 */
int environment_guard(struct environment *environment, const struct layer *layer, const char *path);

/**
 * Does environment_guard() again after the source was loaded: a directory above it may have been
 * replaced. `loaded` has the attributes of the file that was read. Returns 0; SOURCE_MOVED if
 * another file, or none, is at `path`; or -errno.
 */
int environment_guard_again(struct environment *environment, const struct layer *layer,
	const char *path, const struct stat *loaded);

/**
 * Does environment_guard(), compose_load() and environment_guard_again(). Call this function for a
 * source in a layer with `follow`, or at a path other than the request's. If the file system of the
 * source, or of a directory above it, has failed, does compose_load() as for a source that the
 * lookup could not examine. Returns as compose_load().
 */
int environment_load(struct environment *environment, const char *path,
	const struct contributor *found, const struct read_options *options, struct loaded **ret,
	struct problem *problem);

void environment_fini(struct environment *environment);
