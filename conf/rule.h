/*
 * A rule: which strategy, with which options, merges the paths that match a pattern.
 */
#pragma once

#include "option.h"

struct rule {
	const char *match; /* glob.h; NULL matches everything */
	struct options options;
	bool is_dropins;      /* NAME.d's files are sources of NAME */
	struct source source; /* where the rule stands; name NULL for a built-in one */
	unsigned line;        /* starting at 1; 0 for a built-in one */
};
