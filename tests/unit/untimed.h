/*
 * The usual limits, but for the one of time: with sanitizers, it would often be met before what a
 * test is about.
 */
#pragma once

#include "limit.h"

static inline struct limits limits_untimed(void)
{
	struct limits limits = LIMITS_DEFAULT;

	limits.time_ms = 0;
	return limits;
}
