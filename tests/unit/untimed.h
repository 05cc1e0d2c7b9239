/*
 * The usual limits, except that of time: with sanitizers, a test would often exceed it before it
 * reaches its own limit.
 */
#pragma once

#include "limit.h"

static inline struct limits limits_untimed(void)
{
	struct limits limits = LIMITS_DEFAULT;

	limits.time_ms = 0;
	return limits;
}
