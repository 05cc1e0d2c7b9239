#include "header.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>

#include "shown.h"

#define HEADER_TEXT "# Merged by plyfs (%s); edit the sources: "

/* Bytes of all but the names. */
#define HEADER_REST_MAX 160

/* One file may be a source twice: as itself, and because it is referred to. */
static bool is_named(const struct source *const *named, size_t count, const struct source *source)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(named[i]->name, source->name) == 0)
			return true;
	return false;
}

static size_t put_name(char *out, const struct source *source)
{
	shown_tail(out, HEADER_NAME_MAX, source->name);
	return strlen(out);
}

int header_make(const struct merge_result *result, const char *strategy, struct arena *arena,
	struct span *ret)
{
	const struct source *named[HEADER_NAMES_MAX];
	size_t size = HEADER_REST_MAX + HEADER_NAMES_MAX * (HEADER_NAME_MAX + 2);
	char text[HEADER_REST_MAX + HEADER_NAMES_MAX * (HEADER_NAME_MAX + 2)];
	size_t count = 0, more = 0, used;

	int length = snprintf(text, size, HEADER_TEXT, strategy);
	assert(length > 0 && length < HEADER_REST_MAX / 2);
	used = (size_t)length;
	for (size_t i = 0; i < result->source_count; i++) {
		const struct source *source = result->sources[i];

		if (!source->name || is_named(named, count, source))
			continue;
		if (count == HEADER_NAMES_MAX) {
			more++;
			continue;
		}
		if (count > 0)
			used += (size_t)sprintf(text + used, ", ");
		named[count++] = source;
		used += put_name(text + used, source);
	}
	if (more > 0)
		used += (size_t)snprintf(text + used, size - used, " and %zu more", more);
	text[used++] = '\n';
	char *copy = arena_copy(arena, (struct span){text, used});
	if (!copy)
		return -ENOMEM;
	*ret = (struct span){copy, used};
	return 0;
}
