/*
 * Put (put.h) for a merged text that joins the lines of several files, one of which is the target.
 * put_lines() finds the lines in which the wanted text differs from the merged one. For each
 * difference it makes the smallest change of the target's own lines:
 *
 *      merged   from      wanted         target
 *      alpha    vendor    alpha          omega ─▶ OMEGA      the target's line is replaced,
 *      beta     vendor                         ─▶ -beta      another file's is taken away,
 *      omega    target    OMEGA                ─▶ psi        and a new one stands beside
 *                         psi            alpha   alpha       the target's nearest line
 *
 * No line of another file is copied. The caller must merge again, to check that the target's new
 * text gives the wanted text.
 */
#pragma once

#include "merge.h"

struct put_lines_request {
	const struct merge_result *merged; /* with origins */
	const struct source *target;       /* of the input whose text changes */
	struct span text;                  /* of that input */
	struct span wanted;                /* of the merged file */
	const char *remover;               /* the word of strategy.remover; "": there is none */
};

/*
 * A line of the target that begins with `remover` removes another file's line. These are two ways
 * to bring the removed line back. RESTORE deletes the target's line. ADD adds the removed line to
 * the target.
 */
enum put_lines_way { PUT_LINES_RESTORE, PUT_LINES_ADD, PUT_LINES_WAYS };

/**
 * Makes the target's new text. Returns 0 with *ret in `arena`, NUL-terminated; PROBLEM, without a
 * filled problem, if the texts differ too much; or -ENOMEM.
 */
int put_lines(const struct put_lines_request *request, enum put_lines_way way, struct arena *arena,
	struct span *ret);
