/* How much memory a cgroup leaves to this process. */
#include "memory.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "place.h"
#include "test.h"

static int enter(void **state)
{
	if (enter_place(state))
		return -1;
	run("mkdir -p root/a/b");
	return 0;
}

TEST_WITH(the_least_limit_on_the_way_up_counts, enter, leave_place)
{
	write_file("own", "3:memory:/elsewhere\n0::/a/b\n");
	write_file("root/a/b/memory.max", "max\n");
	assert_true(memory_max_in("own", "root") == UINT64_MAX);
	write_file("root/a/memory.max", "67108864\n");
	assert_int_equal(memory_max_in("own", "root"), 67108864);
	write_file("root/a/b/memory.max", "1048576\n");
	assert_int_equal(memory_max_in("own", "root"), 1048576);
	write_file("root/memory.max", "4096\n");
	assert_int_equal(memory_max_in("own", "root"), 4096);
}

TEST_WITH(what_can_not_be_seen_is_no_limit, enter, leave_place)
{
	assert_true(memory_max_in("nowhere", "root") == UINT64_MAX);
	write_file("own", "3:memory:/a\n");
	assert_true(memory_max_in("own", "root") == UINT64_MAX);
	write_file("own", "0::/not/here\n");
	assert_true(memory_max_in("own", "nowhere") == UINT64_MAX);
}

TEST_WITH(a_container_sees_its_own_root, enter, leave_place)
{
	write_file("own", "0::/\n");
	write_file("root/memory.max", "8192\n");
	assert_int_equal(memory_max_in("own", "root"), 8192);
}
