/* How much memory a cgroup leaves to this process. */
#include "memory.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test.h"

static void put(const char *name, const char *text)
{
	FILE *file = fopen(name, "w");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static int enter(void **state)
{
	char *directory = strdup("/tmp/plyfs-memory-XXXXXX");

	*state = directory;
	return mkdtemp(directory) && chdir(directory) == 0 && mkdir("root", 0755) == 0 &&
			       mkdir("root/a", 0755) == 0 && mkdir("root/a/b", 0755) == 0
		       ? 0
		       : -1;
}

static int leave(void **state)
{
	char command[100];

	snprintf(command, sizeof(command), "rm -r %s", (char *)*state);
	free(*state);
	return chdir("/") == 0 ? system(command) : -1;
}

TEST_WITH(the_least_limit_on_the_way_up_counts, enter, leave)
{
	put("own", "3:memory:/elsewhere\n0::/a/b\n");
	put("root/a/b/memory.max", "max\n");
	assert_true(memory_max_in("own", "root") == UINT64_MAX);
	put("root/a/memory.max", "67108864\n");
	assert_int_equal(memory_max_in("own", "root"), 67108864);
	put("root/a/b/memory.max", "1048576\n");
	assert_int_equal(memory_max_in("own", "root"), 1048576);
	put("root/memory.max", "4096\n");
	assert_int_equal(memory_max_in("own", "root"), 4096);
}

TEST_WITH(what_can_not_be_seen_is_no_limit, enter, leave)
{
	assert_true(memory_max_in("nowhere", "root") == UINT64_MAX);
	put("own", "3:memory:/a\n");
	assert_true(memory_max_in("own", "root") == UINT64_MAX);
	put("own", "0::/not/here\n");
	assert_true(memory_max_in("own", "nowhere") == UINT64_MAX);
}

TEST_WITH(a_container_sees_its_own_root, enter, leave)
{
	put("own", "0::/\n");
	put("root/memory.max", "8192\n");
	assert_int_equal(memory_max_in("own", "root"), 8192);
}
