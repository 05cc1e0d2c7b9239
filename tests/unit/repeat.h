/* Long texts. */
#pragma once

#include <stdio.h>

#include "cleanup.h"
#include "test.h"

/* Returns `each` so many times, with the numbers from 0 on in place of each @; for free(3). */
static inline char *repeat(const char *before, unsigned count, const char *each, const char *after)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	fputs(before, out);
	for (unsigned i = 0; i < count; i++)
		for (const char *at = each; *at; at++)
			if (*at == '@')
				fprintf(out, "%u", i);
			else
				fputc(*at, out);
	fputs(after, out);
	assert_int_equal(fclose(out), 0);
	return text;
}
