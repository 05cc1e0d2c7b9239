#include "test.h"

#include <stdlib.h>

#define TESTS_MAX 64

static struct registered {
	struct CMUnitTest test;
	int line;
} registered[TESTS_MAX];
static size_t count;

void test_add(struct CMUnitTest test, int line)
{
	if (count == TESTS_MAX)
		abort();
	registered[count++] = (struct registered){test, line};
}

static int compare_lines(const void *a, const void *b)
{
	return ((const struct registered *)a)->line - ((const struct registered *)b)->line;
}

int tests_run(CMFixtureFunction before, CMFixtureFunction after)
{
	/* cmocka passes over those without a name. */
	struct CMUnitTest tests[TESTS_MAX] = {0};

	/* The compiler orders the constructors of a file as it likes. */
	qsort(registered, count, sizeof(*registered), compare_lines);
	for (size_t i = 0; i < count; i++)
		tests[i] = registered[i].test;
	return cmocka_run_group_tests(tests, before, after);
}
