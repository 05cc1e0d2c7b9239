/*
 * The build without PCRE2: a schema with a pattern is refused, as a check is never skipped
 * silently.
 */
#include "pattern.h"

#include <stdio.h>
#include <stdlib.h>

int pattern_new(struct span text, struct pattern **ret, char reason[PATTERN_REASON_MAX])
{
	(void)text;
	(void)ret;
	snprintf(reason, PATTERN_REASON_MAX,
		"this plyfs was built without PCRE2; install one that was built with it");
	return PATTERN_BAD;
}

void pattern_free(struct pattern *pattern)
{
	(void)pattern;
}

struct matcher *matcher_new(void)
{
	/* A matcher is empty here. */
	return malloc(1);
}

void matcher_free(struct matcher *matcher)
{
	free(matcher);
}

int pattern_match(const struct pattern *pattern, struct matcher *matcher, struct span text,
	uint64_t *work, bool *ret)
{
	(void)pattern;
	(void)matcher;
	(void)text;
	(void)work;
	*ret = false;
	return 0;
}
