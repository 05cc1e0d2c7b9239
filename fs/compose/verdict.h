/*
 * A verdict: whether a version may be read that is shown before that is known. Several versions of
 * the same bytes may wait for one. Given once; counted.
 */
#pragma once

#include <stdatomic.h>

enum verdict_state { VERDICT_AWAITED, VERDICT_PASSED, VERDICT_FAILED };

struct view_reader;

struct verdict {
	atomic_uint references;
	atomic_int state;            /* enum verdict_state */
	struct view_reader *readers; /* view->lock: to be told */
};

/** One that is awaited, with one reference. NULL: no memory. */
struct verdict *verdict_new(void);
struct verdict *verdict_ref(struct verdict *verdict);
void verdict_unref(struct verdict *verdict); /* NULL is fine */

/** NULL has passed: nothing is to be said of it. */
enum verdict_state verdict_state(const struct verdict *verdict);
