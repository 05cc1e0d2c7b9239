/*
 * A test that can't run on this machine is skipped with its reason; scripts/count-tests repeats it.
 */
#pragma once

#include <stdio.h>

#include "test.h"

static inline void skip_because(const char *reason)
{
	printf("# skipped: %s\n", reason);
	skip();
}
