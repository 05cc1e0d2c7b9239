/*
 * An inspection: one path, merged as a mount would, and all that is to be said about it. For the
 * command. Any number of threads may inspect at once.
 */
#pragma once

#include "line_map.h"
#include "offline.h"
#include "option_use.h"

enum finding_kind {
	FINDING_ERROR,   /* the path does not merge, or not with all of its sources */
	FINDING_WARNING, /* it does, but somebody may have meant something else */
};

struct finding {
	enum finding_kind kind;
	struct problem problem;
};

/* Findings kept of one path; more say nothing that these don't. */
#define FINDINGS_MAX 50

struct findings {
	struct finding *items;
	size_t count;
	size_t capacity;
	size_t left_out; /* warnings over FINDINGS_MAX */
};

/* A file that the path's merge asked for, anywhere under a directory. */
struct reference {
	char *directory; /* relative to the root */
	char *name;
	struct problem place; /* where it is asked for, as far as that can be told; no message */
};

struct inspection {
	struct findings findings; /* by source, line and column */
	struct reference *references;
	size_t reference_count;
	struct option_uses uses; /* of its rule's options */
	char *text;       /* what it merges to, if the settings have that checked; else NULL */
	size_t text_size;
	struct line_map *lines; /* with `text`: where its lines are from */
	bool *is_matched; /* of a virtual file: for each pattern, whether it has a source; else NULL
			   */
};

/**
 * Inspects the file or link `path`  relative to the root and with no "." or "..". What
 * is wrong with it is a finding. A source is read also where a mount would serve it as it is.
 * Returns 0 with *ret for inspection_fini(), or -errno (-ENOENT, -EISDIR).
 */
int inspect(const struct offline *offline, const char *path, struct inspection *ret);

void inspection_fini(struct inspection *inspection);

/** Adds a copy, unless there are too many: 0 or -ENOMEM. An error is always added. */
int findings_add(struct findings *findings, enum finding_kind kind, const struct problem *problem);

void findings_fini(struct findings *findings);
