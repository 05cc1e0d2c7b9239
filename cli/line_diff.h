/*
 * The difference of two texts, line by line: E. W. Myers, "An O(ND) Difference Algorithm and Its
 * Variations".
 *
 *      old   a b c d             old_changed   . x . .
 *      new   a X c d e           new_changed   . x . . x
 *
 * Lines that are not marked as changed are equal, and in the same order, in both. As few lines as
 * possible are marked. But if two texts have almost nothing in common, more are marked, to bound
 * the time.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "span.h"

/*
 * Maximum number of lines, of both texts together, between the first and the last difference. If
 * there are more, all lines between these two count as changed.
 */
#define LINE_DIFF_LINES_MAX (1u << 20)

struct line_diff_side {
	/* with their "\n", so a last line without one differs from a line that has one */
	struct span *lines;
	bool *changed; /* of each line; one more element follows, and is false */
	size_t count;
};

struct line_diff {
	struct line_diff_side old;
	struct line_diff_side new;
	size_t hunks; /* number of runs of changed lines; 0: the texts are equal */
};

/** Compares texts that must outlive *ret. Returns 0 with *ret for line_diff_fini(), or -ENOMEM. */
int line_diff_make(struct span old, struct span new, struct line_diff *ret);

void line_diff_fini(struct line_diff *diff);
