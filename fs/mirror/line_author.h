/* Line authors: for each line of a file in git, the commit that last changed it. */
#pragma once

#include <stdint.h>

#include "problem.h"
#include "store.h"

struct line_author {
	const char *commit;  /* the commit's full id */
	const char *name;    /* the name of the commit's author */
	const char *summary; /* the first line of the commit's message */
	int64_t time;        /* when the author made the commit; seconds since 1970 */
};

struct line_authors;

/**
 * Finds the authors of the lines of the file `path` in the commit. Returns 0 with *ret for
 * line_authors_freep(); PROBLEM if we can't read the repository; or -errno.
 */
int line_authors_read(const struct store *store, const char *commit, const char *path,
	struct line_authors **ret, struct problem *problem);
void line_authors_freep(struct line_authors **authors);

/** Returns the author of a line, lent by `authors`; `line` starts at 1. NULL: unknown. */
const struct line_author *line_authors_get(const struct line_authors *authors, uint32_t line);
