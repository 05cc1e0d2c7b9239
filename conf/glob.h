/*
 * Patterns over paths. A pattern matches the whole path, relative to the root, with no slash in
 * front. Names that begin with a dot are matched like any other. Patterns and paths are bytes.
 *
 *      *  ?          any bytes, or one byte, of one name
 *      **            any bytes, slashes too. If "**" stands where a name of the path begins, "**"
 *                    and the "/" after it may together match nothing: "a/", "**" and "/b",
 *                    written as one pattern, match a/b.
 *      [a-z] [!a-z]  one byte of this set, or one that is not in it ("^" may replace "!")
 *      {a,b}         alternatives, which may be empty and may nest
 *      \             the next byte, without a special meaning
 */
#pragma once

#include <stdbool.h>

/*
 * Longest pattern, in bytes. Matching such a pattern with a path of 200 bytes takes up to half a
 * millisecond.
 */
#define GLOB_MAX 1024

/**
 * Returns whether the pattern is valid. If not, *reason is a static text, such as "it is empty", in
 * which "it" means the pattern.
 */
bool glob_is_valid(const char *pattern, const char **reason);

/** Returns whether the pattern, which must be valid, matches. Allocates no memory. */
bool glob_match(const char *pattern, const char *path);
