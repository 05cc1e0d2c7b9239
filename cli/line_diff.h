/*
 * The difference of two texts, line by line: E. W. Myers, "An O(ND) Difference Algorithm and Its
 * Variations".
 *
 *      old   a b c d             old_changed   . x . .
 *      new   a X c d e           new_changed   . x . . x
 *
 * The lines that are not marked as changed are the same in both texts, in the same order. As few
 * lines as possible are marked, but more than that in texts that have almost nothing in common.
 */
#pragma once

#include <stdbool.h>

#include "arena.h"

/*
 * Maximum number of lines, of both texts together, between the first and the last difference. If
 * there are more, all lines between these two count as changed.
 */
#define LINE_DIFF_LINES_MAX (1u << 20)

struct line_diff_side {
	struct span *lines; /* each with its "\n", which the last line may lack */
	bool *changed;      /* of each line; one more element follows, and is false */
	size_t count;
};

struct line_diff {
	struct line_diff_side old;
	struct line_diff_side new;
	struct arena *arena;
};

/** Compares texts that must outlive *ret. Returns 0 or -ENOMEM; *ret is for line_diff_fini(). */
int line_diff_make(struct span old, struct span new, struct line_diff *ret);

void line_diff_fini(struct line_diff *diff);
