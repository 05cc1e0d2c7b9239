/* Which keys are files, and why others can't be. */
#include "tree.h"

#include <stdio.h>
#include <stdlib.h>

#include "test.h"

TEST(names_that_a_disk_takes_are_paths)
{
	static const char *const good[] = {"a", "a/b", "...", ".a", "..a", "a..", ".plyfs/x", " ",
		"\n", "\xFF\xFE", "a b/c\td", "-", "~", "*"};

	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		assert_null(tree_path_refuse(span_of(good[i])));
}

TEST(what_leads_elsewhere_or_has_no_name_is_refused)
{
	static const char *const bad[] = {
		"", "/", "/a", "a/", "a//b", ".", "..", "../a", "a/..", "a/../b", "a/./b", "./a"};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_non_null(tree_path_refuse(span_of(bad[i])));
	assert_non_null(tree_path_refuse((struct span){"a\0b", 3}));
	assert_non_null(tree_path_refuse((struct span){"a/\0", 3}));
}

TEST(what_is_too_long_or_too_deep_is_refused)
{
	char text[8000];

	memset(text, 'x', sizeof(text));
	assert_null(tree_path_refuse((struct span){text, 255}));
	assert_non_null(tree_path_refuse((struct span){text, 256}));
	for (size_t i = 1; i < sizeof(text); i += 2)
		text[i] = '/';
	assert_null(tree_path_refuse((struct span){text, 2 * TREE_DEPTH_MAX - 1}));
	assert_non_null(tree_path_refuse((struct span){text, 2 * TREE_DEPTH_MAX + 1}));
	memset(text, 'x', sizeof(text));
	for (size_t i = 100; i < sizeof(text); i += 100)
		text[i] = '/';
	assert_null(tree_path_refuse((struct span){text, TREE_PATH_MAX}));
	assert_non_null(tree_path_refuse((struct span){text, TREE_PATH_MAX + 1}));
}
