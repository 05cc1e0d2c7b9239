/*
 * A unit test, which registers itself: TEST(name) { … } defines it, and tests_run() runs all of the
 * file in the order of their lines. Its argument is `void **state`, as cmocka has it.
 *
 * A file without a main() gets one that runs its tests (main.c).
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Between the calls of `before` and `after`; either may be NULL. */
#define TEST_WITH(name, before, after)                                                             \
	static void name(void **state);                                                            \
	__attribute__((constructor)) static void add_##name(void)                                  \
	{                                                                                          \
		test_add((struct CMUnitTest){#name, name, before, after, NULL}, __LINE__);         \
	}                                                                                          \
	static void name(void **state __attribute__((unused)))

#define TEST(name) TEST_WITH(name, NULL, NULL)

/** Adds a test that stands in `line`. */
void test_add(struct CMUnitTest test, int line);

/** Runs all tests, between the calls of `before` and `after`. Returns how many failed. */
int tests_run(CMFixtureFunction before, CMFixtureFunction after);
