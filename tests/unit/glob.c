/* Which paths a pattern matches, and that none takes long. */
#include "glob.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "test.h"

static bool matches(const char *pattern, const char *path)
{
	const char *reason = "";

	if (!glob_is_valid(pattern, &reason))
		fail_msg("'%s': %s", pattern, reason);
	return glob_match(pattern, path);
}

static void assert_matches(const char *pattern, const char *path)
{
	if (!matches(pattern, path))
		fail_msg("'%s' does not match '%s'", pattern, path);
}

static void assert_differs(const char *pattern, const char *path)
{
	if (matches(pattern, path))
		fail_msg("'%s' matches '%s'", pattern, path);
}

TEST(a_pattern_matches_the_whole_path)
{
	assert_matches("app.yaml", "app.yaml");
	assert_differs("app.yaml", "app.yaml2");
	assert_differs("app.yaml", "xapp.yaml");
	assert_differs("app.yaml", "dir/app.yaml");
	assert_differs("app.yaml", "");
	assert_differs("app.yaml", "appxyaml");
	assert_matches("a,b", "a,b");
	assert_matches("\xff*", "\xff\xfe");
}

TEST(one_star_stays_within_a_name)
{
	assert_matches("*.yaml", "app.yaml");
	assert_matches("*.yaml", ".yaml");
	assert_matches("*.yaml", ".hidden.yaml");
	assert_differs("*.yaml", "dir/app.yaml");
	assert_matches("dir/*", "dir/app.yaml");
	assert_differs("dir/*", "dir/sub/app.yaml");
	assert_matches("*/*", "a/b");
	assert_differs("*/*", "a");
	assert_matches("a*b*c", "aXbXbXc");
	assert_matches("?pp", "app");
	assert_differs("a?b", "a/b");
	assert_differs("a?b", "ab");
}

TEST(two_stars_cross_directories)
{
	assert_matches("**", "a");
	assert_matches("**", "a/b/c");
	assert_matches("dir/**", "dir/a");
	assert_matches("dir/**", "dir/a/b");
	assert_differs("dir/**", "dir");
	assert_matches("a**z", "a/b/z");
	assert_matches("***", "a/b");
}

TEST(two_stars_and_a_slash_match_no_directory_too)
{
	assert_matches("**/app.yaml", "app.yaml");
	assert_matches("**/app.yaml", "a/app.yaml");
	assert_matches("**/app.yaml", "a/b/app.yaml");
	assert_differs("**/app.yaml", "xapp.yaml");
	assert_matches("a/**/z", "a/z");
	assert_matches("a/**/z", "a/b/c/z");
	assert_differs("a/**/z", "abz");
	assert_differs("a**/z", "az");
	assert_matches("**/**/z", "z");
	assert_matches("{a/,b/}**/z", "b/z");
}

TEST(brackets_take_one_byte)
{
	assert_matches("[a-c]x", "bx");
	assert_differs("[a-c]x", "dx");
	assert_matches("[!a-c]x", "dx");
	assert_matches("[^a-c]x", "dx");
	assert_differs("[!a-c]x", "ax");
	assert_differs("a[!b]c", "a/c");
	assert_differs("a[+-9]c", "a/c");
	assert_matches("[]a]", "]");
	assert_matches("[!]a]", "b");
	assert_matches("[\\]]", "]");
	assert_matches("[a-]", "-");
	assert_matches("[{,}]", ",");
	assert_matches("[\x80-\xff]", "\xc3");
}

TEST(braces_are_alternatives)
{
	assert_matches("**/*.{yaml,yml,json}", "a/b.yml");
	assert_matches("**/*.{yaml,yml,json}", "b.json");
	assert_differs("**/*.{yaml,yml,json}", "b.txt");
	assert_matches("a{,b}", "a");
	assert_matches("a{,b}", "ab");
	assert_matches("{a,b{c,d/e}}f", "bd/ef");
	assert_differs("{a,b{c,d/e}}f", "bf");
	assert_matches("{a}", "a");
	assert_matches("{a,b}{c,d}", "bd");
	assert_matches("{\\,,x}", ",");
	assert_matches("{**/,}x", "a/x");
	/* A star on each side of a brace stays a single star. */
	assert_differs("a{*,b}*", "a/b");
}

TEST(a_backslash_takes_the_next_byte_as_it_is)
{
	assert_matches("\\*", "*");
	assert_differs("\\*", "a");
	assert_matches("\\{a\\}", "{a}");
	assert_matches("a\\\\b", "a\\b");
}

TEST(what_could_never_match_is_refused)
{
	static const char *const patterns[] = {"", "/a", "./a", "a/", "[a", "[", "[]", "[!]", "[a-",
		"[z-a]", "[a/]", "[[:alpha:]]", "{a", "{a,{b}", "a}", "{a}}", "a\\", "[\\"};
	char longest[GLOB_MAX + 2];

	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
		const char *reason = NULL;

		if (glob_is_valid(patterns[i], &reason))
			fail_msg("'%s' is taken as valid", patterns[i]);
		assert_non_null(reason);
	}

	const char *reason = NULL;
	memset(longest, 'a', sizeof(longest));
	longest[GLOB_MAX + 1] = '\0';
	assert_false(glob_is_valid(longest, &reason));
	assert_non_null(strstr(reason, "1024"));
	longest[GLOB_MAX] = '\0';
	assert_matches(longest, longest);
}

static void fill(char *buffer, size_t size, const char *part)
{
	size_t len = strlen(part), at = 0;

	for (; at + len < size; at += len)
		memcpy(buffer + at, part, len);
	buffer[at] = '\0';
}

TEST(texts_of_a_pattern_come_in_their_order)
{
	assert_matches("a*bc*d", "abcbcd");
	assert_differs("a*bc*d", "abd");
	assert_differs("a*b*c", "acb");
	assert_differs("ab*ba", "aba");
	assert_matches("**/.git/**", "x/.git/y");
	assert_differs("**/.git/**", "x/.git");
	assert_matches("{a,b{c,[}]}}x*", "b}x");
	assert_matches("\\**/y", "*/y");
	assert_matches("[*]/x", "*/x");
}

TEST(no_pattern_takes_long)
{
	static const char *const parts[] = {
		"*a", "**a", "**/", "{a,*}", "{,a}", "?*", "[!b]*", "{{{a,},},}", "*{*,*}"};
	char pattern[GLOB_MAX + 1], path[4096];
	clock_t start = clock();

	memset(path, 'a', sizeof(path));
	path[sizeof(path) - 1] = '\0';
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		fill(pattern, GLOB_MAX - 3, parts[i]);
		strcat(pattern, "b");
		assert_differs(pattern, path);
		/* The last byte alone does not decide these. */
		strcpy(pattern + strlen(pattern) - 1, "[b]");
		assert_differs(pattern, path);
	}

	/* Nested as deep and as wide as a pattern can be. */
	memset(pattern, '{', GLOB_MAX / 2 - 1);
	memset(pattern + GLOB_MAX / 2 - 1, '}', GLOB_MAX / 2 - 1);
	pattern[GLOB_MAX - 2] = '\0';
	assert_matches(pattern, "");
	memset(pattern, '{', 300);
	fill(pattern + 300, 301, ",*");
	memset(pattern + 600, '}', 300);
	strcpy(pattern + 900, "b");
	assert_differs(pattern, path);

	/* They take a second with sanitizers; trying everything would take for ever. */
	assert_true((clock() - start) / CLOCKS_PER_SEC < 10);
}

/* More rules than a real plyfs.yaml has, each applied to a path of usual length. */
TEST(seven_hundred_hostile_patterns_hold_up_no_path)
{
	static const char *const parts[] = {"*a", "**a", "**/", "{,a}", "[!b]*", "*{*,*}", "?"};
	enum { PARTS = sizeof(parts) / sizeof(parts[0]) };
	char patterns[PARTS][GLOB_MAX + 1], path[] = "etc/app/conf.d/a/a/a/aaaaaaaaaaaaaaaaa.yaml";
	clock_t start = clock();

	for (size_t i = 0; i < PARTS; i++) {
		fill(patterns[i], GLOB_MAX - 3, parts[i]);
		strcat(patterns[i], "[b]");
	}
	for (size_t i = 0; i < 700; i++)
		assert_false(glob_match(patterns[i % PARTS], path));
	/* 20 ms, and some times that with sanitizers. */
	assert_true(clock() - start < CLOCKS_PER_SEC / 2);
}
