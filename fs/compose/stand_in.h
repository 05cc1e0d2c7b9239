/*
 * Stand-ins (fallbacks): if a source is broken, its last good state takes its place in the merge,
 * so that changes of all other sources still show.
 *
 * Only sources of the version that is shown may stand in. So every user who may read that version
 * could read the stand-in, and the new version is for these users only (version_restrict()).
 */
#pragma once

#include "source_cache.h"
#include "version.h"

struct stand_in {
	struct loaded *loaded; /* one reference */
	bool is_used;
};

/* For a worker, which does not have the stand-ins: asks the daemon for them. */
struct stand_in_origin {
	/* Returns one reference to a stand-in, parsed by `options`; NULL: none. */
	struct loaded *(*find)(void *context, const struct layer *layer, const char *path,
		const struct read_options *options);
	void *context;
};

struct stand_ins {
	const struct stand_in_origin *origin; /* NULL: the source cache */
	struct stamp *stamps;                 /* of the sources of the shown version */
	size_t stamp_count;
	struct stand_in *items;
	size_t count;
	size_t capacity;
};

/**
 * Collects the sources of `shown` as they are now; NULL: none. Returns 0 or -ENOMEM; call
 * stand_ins_fini() in any case. The functions below do not use `shown`.
 */
int stand_ins_init(struct stand_ins *stand_ins, const struct version *shown);
void stand_ins_fini(struct stand_ins *stand_ins);

/** Returns whether `loaded` is one of the collected sources, in the same state. */
bool stand_ins_match(const struct stand_ins *stand_ins, const struct loaded *loaded);

/** Marks all stand-ins as unused, before composing: a source may be repaired by now. */
void stand_ins_rest(struct stand_ins *stand_ins);

/**
 * Returns the stand-in for the source `path` of `layer`, parsed by `options`; NULL: none. It
 * belongs to `stand_ins`, and is valid until the next stand_ins_find().
 */
struct stand_in *stand_ins_find(struct stand_ins *stand_ins, struct source_cache *cache,
	const struct layer *layer, const char *path, const struct read_options *options);

/** Returns whether the source that `problem` names has an unused stand-in. */
bool stand_ins_have(const struct stand_ins *stand_ins, const struct problem *problem);

/**
 * After a failed merge: marks as used the stand-in for the source that `problem` names. Returns
 * false if there is none; else the merge may be tried again.
 */
bool stand_ins_use(struct stand_ins *stand_ins, const struct problem *problem);

/** Stores references to the used stand-ins in `version`. Returns their number, or -ENOMEM. */
int stand_ins_give(const struct stand_ins *stand_ins, struct version *version);
