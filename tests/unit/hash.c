/*
 * The random start of hashes.
 */
#include "hash.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/personality.h>
#include <unistd.h>

#include "test.h"

/* Returns the hash of a key in another process with the same addresses. */
static unsigned long hash_elsewhere(void)
{
	FILE *other = popen("/proc/$PPID/exe print", "re");
	unsigned long hash = 0;

	assert_non_null(other);
	assert_int_equal(fscanf(other, "%lu", &hash), 1);
	assert_int_equal(pclose(other), 0);
	return hash;
}

/*
 * The writer of a source can't find out which keys share a hash, not even if addresses do not
 * change.
 */
TEST(no_two_processes_have_the_same_hashes)
{
	personality(ADDR_NO_RANDOMIZE);
	unsigned long first = hash_elsewhere(), second = hash_elsewhere(), third = hash_elsewhere();
	personality(0);
	assert_false(first == second && second == third);
}

TEST(the_same_text_has_the_same_hash)
{
	char text[] = "keys";

	assert_int_equal(
		hash_bytes(hash_seed(), span_of("keys")), hash_bytes(hash_seed(), span_of(text)));
}

int main(int argc, char **argv)
{
	(void)argv;
	if (argc > 1)
		return printf("%u\n", hash_end(hash_bytes(hash_seed(), span_of("key")))) < 0;
	return tests_run(NULL, NULL);
}
