/* An inspection: merges one path as a mount would, and collects errors and warnings. */
#pragma once

#include "line_map.h"
#include "offline.h"
#include "option_use.h"

enum finding_kind {
	FINDING_ERROR,   /* the path does not merge */
	FINDING_SKIPPED, /* an error: the path merges, but without this source */
	FINDING_REFUSED, /* an error: the path merges, but a lock or bound refused a value */
	FINDING_WARNING, /* the path merges, but perhaps not as its author meant */
};

struct finding {
	enum finding_kind kind;
	struct problem problem;
};

/* A path that has this many findings gets no more warnings. */
#define FINDINGS_MAX 50

struct findings {
	struct finding *items;
	size_t count;
	size_t capacity;
	size_t left_out; /* number of warnings that were left out */
};

/* A reference: the merge asked for a file `name` in or below `directory`. */
struct reference {
	char *directory; /* relative to the root */
	char *name;
	struct problem place; /* where a source names the file, if known; without a message */
};

struct inspection {
	struct findings findings; /* sorted by source, line and column */
	struct reference *references;
	size_t reference_count;
	struct option_uses uses; /* of the options of the path's rule */
	char *text;              /* the merged text, if the rule has a check; else NULL */
	size_t text_size;
	struct line_map *lines; /* with `text`: the sources of its lines */
	/* whether each pattern matches a source or a left-out file (union.h); NULL: not virtual */
	bool *is_matched;
};

/**
 * Inspects the file or link `path`, relative to the root and with no "." or "..". Returns 0 with
 * *ret for inspection_fini(), or -errno (-ENOENT, -ENOTDIR, -EISDIR).
 */
int inspect(const struct offline *offline, const char *path, struct inspection *ret);

/**
 * If the file at `path` is virtual, sets ret->is_matched from its lookup. If two patterns match a
 * source, it belongs to the first one, but both count as matching. Returns 0 or -ENOMEM.
 */
int inspect_patterns(struct inspection *ret, const struct settings *settings, const char *path,
	const struct union_lookup *lookup);

void inspection_fini(struct inspection *inspection);

/**
 * Adds a copy of the problem. If there are FINDINGS_MAX findings, a warning is not added, but
 * counted in `left_out`. Returns 0 or -ENOMEM.
 */
int findings_add(struct findings *findings, enum finding_kind kind, const struct problem *problem);

/** As findings_add(), with a message about the layer's file at `path`. */
__attribute__((format(printf, 5, 6))) int findings_add_at(struct findings *findings,
	enum finding_kind kind, const struct layer *layer, const char *path, const char *format,
	...);

void findings_fini(struct findings *findings);
