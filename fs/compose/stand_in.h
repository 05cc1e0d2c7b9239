/*
 * Stand-ins: where a source is broken, its last good state takes its place in the merge, so that
 * all else goes on changing.
 *
 * What may stand in is what the version that is shown was made of, and nothing else: so whoever may
 * read that version could read the stand-in, and what is made with it is narrowed to those
 * (version_narrow()).
 */
#pragma once

#include "source_cache.h"
#include "version.h"

struct stand_in {
	struct loaded *loaded; /* one reference */
	bool is_used;
};

/* Where stand-ins come from, in place of the source cache: other processes have some. */
struct stand_in_origin {
	/* One reference to what may stand in, read as `options` say; NULL: nothing. */
	struct loaded *(*find)(void *context, const struct layer *layer, const char *path,
		const struct read_options *options);
	void *context;
};

struct stand_ins {
	const struct stand_in_origin *origin; /* NULL: the source cache */
	struct stamp *stamps;                 /* of the sources of what is shown */
	size_t stamp_count;
	struct stand_in *items;
	size_t count;
	size_t capacity;
};

/**
 * Of what `shown` was made, which the view's lock guards; NULL: nothing may stand in. 0 or -ENOMEM;
 * stand_ins_fini() whatever happened. All that follows needs no lock.
 */
int stand_ins_init(struct stand_ins *stand_ins, const struct version *shown);
void stand_ins_fini(struct stand_ins *stand_ins);

/** Whether `loaded` is among what was shown. */
bool stand_ins_match(const struct stand_ins *stand_ins, const struct loaded *loaded);

/** Before composing: a source that was broken may have been mended. */
void stand_ins_rest(struct stand_ins *stand_ins);

/**
 * What may stand in for the source, wanted as `options` say; NULL: nothing. It lives as long as
 * `stand_ins`, or until the next call.
 */
struct stand_in *stand_ins_find(struct stand_ins *stand_ins, struct source_cache *cache,
	const struct layer *layer, const char *path, const struct read_options *options);

/** Whether one that is not used yet is there for the source that `problem` names. */
bool stand_ins_have(const struct stand_ins *stand_ins, const struct problem *problem);

/**
 * The merge can't be made because of the source that `problem` names. Returns whether a stand-in is
 * used for it from now on, so that the merge may be tried again.
 */
bool stand_ins_use(struct stand_ins *stand_ins, const struct problem *problem);

/** Hands the used ones to `version`, which was made with them. Returns how many, or -ENOMEM. */
int stand_ins_give(const struct stand_ins *stand_ins, struct version *version);
