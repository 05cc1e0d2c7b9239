/*
 * Extents as text, for tests: a line for each, deeper ones indented by two spaces a level:
 *
 *      MEMBER > KEY > VALUE [alias] [anchor] [merge]
 *
 * Each is shown as it stands in the source, a line break as "\n". An item has no key, and a root
 * has no member, either. Include after reading.h.
 */
#pragma once

#include <stdio.h>

static inline void put_range(FILE *to, struct span text, struct range range)
{
	if (range.end > text.len || range.begin > range.end)
		fail_msg("a range of %zu to %zu", range.begin, range.end);
	for (size_t i = range.begin; i < range.end; i++) {
		if (text.data[i] == '\n')
			fputs("\\n", to);
		else if (text.data[i] == '\r')
			fputs("\\r", to);
		else
			putc(text.data[i], to);
	}
}

static inline void put_extent(FILE *to, struct span text, const struct extent *extent, int depth)
{
	fprintf(to, "%*s", 2 * depth, "");
	if (depth) {
		put_range(to, text, extent->member);
		fputs(" > ", to);
	}
	for (uint32_t i = 0; i < extent->key_count; i++)
		assert_non_null(extent->keys[i]);
	if (extent->key_count) {
		put_range(to, text, extent->key);
		fputs(" > ", to);
	}
	put_range(to, text, extent->value);
	fputs(extent->is_alias ? " [alias]" : "", to);
	fputs(extent->has_anchor ? " [anchor]" : "", to);
	fputs(extent->is_merge_key ? " [merge]" : "", to);
	putc('\n', to);
	for (const struct extent *entry = extent->first; entry; entry = entry->next) {
		assert_true(extent->is_alias || entry->member.begin >= extent->value.begin);
		assert_true(entry->member.end <= extent->value.end);
		put_extent(to, text, entry, depth + 1);
	}
}

/* Returns the extents of all roots; for free(3). */
static inline char *extents_shown(const struct format *format, struct span text)
{
	CLEANUP(document_freep)
	struct document *document =
		read_with((struct read_options){.format = format, .wants_extents = true}, text);
	char *shown = NULL;
	size_t size;
	FILE *to = open_memstream(&shown, &size);

	assert_non_null(to);
	for (size_t i = 0; i < document->count; i++) {
		assert_ptr_equal(document->extents[i]->node, document->roots[i]);
		put_extent(to, text, document->extents[i], 0);
	}
	fclose(to);
	return shown;
}

static inline void assert_extents(
	const struct format *format, const char *text, const char *expected)
{
	CLEANUP(freep) char *shown = extents_shown(format, span_of(text));

	assert_string_equal(shown, expected);
}
