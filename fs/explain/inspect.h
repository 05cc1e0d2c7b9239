/*
 * An inspection: merges one path as a mount would, and collects its errors and warnings, for
 * commands.
 */
#pragma once

#include "line_map.h"
#include "offline.h"
#include "option_use.h"

enum finding_kind {
	FINDING_ERROR,   /* the path does not merge, or only without some of its sources */
	FINDING_REFUSED, /* an error, although the path merges: a lock or bound refused a value */
	FINDING_WARNING, /* the path merges, but perhaps not as its author meant */
};

struct finding {
	enum finding_kind kind;
	struct problem problem;
};

/* If a path has this many findings, its further warnings are left out. */
#define FINDINGS_MAX 50

struct findings {
	struct finding *items;
	size_t count;
	size_t capacity;
	size_t left_out; /* warnings over FINDINGS_MAX */
};

/* A reference: a file `name`, in or below `directory`, that the merge of the path asked for. */
struct reference {
	char *directory; /* relative to the root */
	char *name;
	struct problem place; /* the place that asks for the file, if known; without a message */
};

struct inspection {
	struct findings findings; /* sorted by source, line and column */
	struct reference *references;
	size_t reference_count;
	struct option_uses uses; /* of the options of the path's rule */
	char *text;              /* the merged text, if the rule has a check; else NULL */
	size_t text_size;
	struct line_map *lines; /* with `text`: the sources of its lines */
	/* NULL unless the path is a virtual file; [i]: whether its pattern i matches a source */
	bool *is_matched;
};

/**
 * Inspects the file or link `path`, relative to the root and with no "." or "..". Errors of the
 * merge become findings. Sources are parsed even if a mount would show them unparsed. Returns 0
 * with *ret for inspection_fini(), or -errno (-ENOENT, -ENOTDIR, -EISDIR).
 */
int inspect(const struct offline *offline, const char *path, struct inspection *ret);

void inspection_fini(struct inspection *inspection);

/**
 * Adds a copy of the problem. If there are FINDINGS_MAX findings already, a warning is only
 * counted. Returns 0 or -ENOMEM.
 */
int findings_add(struct findings *findings, enum finding_kind kind, const struct problem *problem);

/** As findings_add(), with a message about the layer's file at `path`. */
__attribute__((format(printf, 5, 6))) int findings_add_at(struct findings *findings,
	enum finding_kind kind, const struct layer *layer, const char *path, const char *format,
	...);

void findings_fini(struct findings *findings);
