/*
 * The smallest change of one file's own lines, for a merged text that joins the lines of several
 * files. It finds the lines in which the wanted text differs, and makes each change in the target:
 *
 *      merged   from      wanted         target
 *      alpha    vendor    alpha          omega ─▶ OMEGA      the target's line is replaced,
 *      beta     vendor                         ─▶ -beta      another file's is taken away,
 *      omega    target    OMEGA                ─▶ psi        and a new one stands beside
 *                         psi            alpha   alpha       the target's nearest line
 *
 * No line of another file is copied. The caller merges again to see whether the result is right.
 */
#pragma once

#include "merge.h"

struct put_lines_request {
	const struct merge_result *merged; /* with origins */
	const struct source *target;       /* of the input whose text changes */
	struct span text;                  /* of that input */
	struct span wanted;                /* of the merged file */
	const char *remover; /* before a line, it takes the line away from other files; "": none */
};

/*
 * Ways to add a line that the target takes away: the line that takes it away goes, or the target
 * gets the line again.
 */
enum put_lines_way { PUT_LINES_RESTORE, PUT_LINES_ADD, PUT_LINES_WAYS };

/** Returns 0 with *ret in the arena; PROBLEM, not filled, if the texts differ too much; -ENOMEM. */
int put_lines(const struct put_lines_request *request, enum put_lines_way way, struct arena *arena,
	struct span *ret);
