/* The header stays one comment, whatever names the sources have. */
#include "header.h"

#include "cleanup.h"
#include "strategy.h"
#include "test.h"

#define BEFORE "# Merged by plyfs (deep); edit the sources: "

/* Returns the header for the sources of these names; in `arena`. */
static const char *header_of(struct arena *arena, const char *const *names)
{
	static struct source sources[32];
	static const struct source *pointers[32];
	struct merge_result result = {.arena = arena, .sources = pointers};
	const struct options options = {.strategy = strategy_find(span_of("deep"))};
	const struct merge_request request = {.options = &options};
	struct span text;

	for (size_t i = 0; names[i]; i++) {
		sources[i] = (struct source){.name = names[i], .layer = ""};
		pointers[result.source_count++] = &sources[i];
	}
	assert_int_equal(header_make(&request, &result, &text), 0);
	assert_int_equal(text.len, strlen(text.data));
	assert_ptr_equal(strchr(text.data, '\n'), text.data + text.len - 1);
	return text.data;
}

static void new_arena(struct arena **ret)
{
	assert_int_equal(arena_new(ret), 0);
}

TEST(what_would_end_the_comment_is_escaped)
{
	CLEANUP(arena_freep) struct arena *arena = NULL;

	new_arena(&arena);
	assert_string_equal(
		header_of(arena, (const char *[]){"low/a\nroot: true", "hi\r/\x1b[31m", NULL}),
		BEFORE "low/a\\x0Aroot: true, hi\\x0D/\\x1B[31m\n");
	/* Line breaks to a YAML 1.1 reader: NEL, LS and PS. */
	assert_string_equal(header_of(arena, (const char *[]){"a\xC2\x85x", "b\xE2\x80\xA8y",
						     "c\xE2\x80\xA9z", NULL}),
		BEFORE "a\\xC2\\x85x, b\\xE2\\x80\\xA8y, c\\xE2\\x80\\xA9z\n");
}

TEST(what_no_yaml_file_may_hold_is_escaped)
{
	CLEANUP(arena_freep) struct arena *arena = NULL;

	new_arena(&arena);
	assert_string_equal(
		header_of(arena, (const char *[]){"\xFF", "\xEF\xBF\xBF", "\xEF\xBB\xBF", NULL}),
		BEFORE "\\xFF, \\xEF\\xBF\\xBF, \\xEF\\xBB\\xBF\n");
}

TEST(a_source_is_named_once)
{
	CLEANUP(arena_freep) struct arena *arena = NULL;

	new_arena(&arena);
	assert_string_equal(
		header_of(arena, (const char *[]){"a", "b", "a", NULL}), BEFORE "a, b\n");
}

TEST(long_names_are_cut_in_front)
{
	CLEANUP(arena_freep) struct arena *arena = NULL;
	const char *names[HEADER_NAMES_MAX + 3] = {0};
	char texts[HEADER_NAMES_MAX + 2][4096];

	new_arena(&arena);
	for (size_t i = 0; i < HEADER_NAMES_MAX + 2; i++) {
		memset(texts[i], '\x01', sizeof(texts[i]));
		strcpy(texts[i] + sizeof(texts[i]) - 8, "/a.yaml");
		texts[i][0] = (char)('a' + i);
		names[i] = texts[i];
	}
	const char *header = header_of(arena, names);
	assert_in_range(strlen(header), HEADER_NAMES_MAX * (HEADER_NAME_MAX - 8),
		HEADER_NAMES_MAX * (HEADER_NAME_MAX + 2) + sizeof(BEFORE) + 16);
	assert_string_equal(header + strlen(header) - 19, "/a.yaml and 2 more\n");
}
