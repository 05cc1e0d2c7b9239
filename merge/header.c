#include "header.h"

#include <errno.h>

#include "shown.h"
#include "strategy.h"

/*
 * Returns the name of the file to edit. The name depends on nothing else: otherwise the same values
 * could give other bytes, and so another version.
 */
static const char *name_of(const struct source *source)
{
	return source->original ? source->original : source->name;
}

/* A file may be a source twice: as an input, and because another file refers to it. */
static bool is_named(const struct source *const *named, size_t count, const struct source *source)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(name_of(named[i]), name_of(source)) == 0)
			return true;
	return false;
}

int header_make(
	const struct merge_request *request, const struct merge_result *result, struct span *ret)
{
	const struct source *named[HEADER_NAMES_MAX];
	size_t count = 0, more = 0;
	char *text = arena_printf(result->arena,
		"%s Merged by plyfs (%s); edit the sources: ", format_of_tree(request->to)->comment,
		request->options->strategy->name);

	for (size_t i = 0; text && i < result->source_count; i++) {
		const struct source *source = result->sources[i];
		char name[HEADER_NAME_MAX];

		if (!source->name || is_named(named, count, source))
			continue;
		if (count == HEADER_NAMES_MAX) {
			more++;
			continue;
		}
		shown_tail(name, sizeof(name), name_of(source));
		text = arena_printf(result->arena, "%s%s%s", text, count > 0 ? ", " : "", name);
		named[count++] = source;
	}
	if (text && more > 0)
		text = arena_printf(result->arena, "%s and %zu more", text, more);
	if (text)
		text = arena_printf(result->arena, "%s\n", text);
	if (!text)
		return -ENOMEM;
	*ret = span_of(text);
	return 0;
}
