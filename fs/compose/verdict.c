#include "verdict.h"

#include <stdlib.h>

struct verdict *verdict_new(void)
{
	struct verdict *verdict = calloc(1, sizeof(*verdict));

	if (!verdict)
		return NULL;
	atomic_init(&verdict->references, 1);
	atomic_init(&verdict->state, VERDICT_AWAITED);
	return verdict;
}

struct verdict *verdict_ref(struct verdict *verdict)
{
	(void)atomic_fetch_add_explicit(&verdict->references, 1, memory_order_relaxed);
	return verdict;
}

void verdict_unref(struct verdict *verdict)
{
	if (verdict &&
		atomic_fetch_sub_explicit(&verdict->references, 1, memory_order_acq_rel) == 1)
		free(verdict);
}

enum verdict_state verdict_state(const struct verdict *verdict)
{
	return verdict ? (enum verdict_state)atomic_load(&verdict->state) : VERDICT_PASSED;
}
