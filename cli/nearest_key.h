/*
 * The nearest KEY: what somebody most likely meant by one that names nothing.
 */
#pragma once

#include "explained_value.h"

/**
 * Complains that the file `path` has no `key`, of which parts[0..depth) were found: `at` is where
 * that leads. Names a key of a similar name there, or else where there is one of that name.
 */
void nearest_key_tell(const char *path, const struct key *key,
	const struct explanation *explanation, const struct explained *at, size_t depth);
