#include "memory.h"

#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cleanup.h"
#include "descriptor.h"

/* Bytes below the frame of memory_drop_stack() that it keeps, and that it gives back. */
#define STACK_KEPT 4096
#define STACK_DROPPED ((uintptr_t)512 << 10)

/* Finds the cgroup's path in the hierarchy with the number 0. */
static bool find_own(const char *membership, char path[PATH_MAX])
{
	CLEANUP(fclosep) FILE *file = fopen(membership, "re");
	bool is_found = false;

	while (file && !is_found && fgets(path, PATH_MAX, file))
		is_found = strncmp(path, "0::/", 4) == 0;
	if (!is_found)
		return false;
	path[strcspn(path, "\n")] = '\0';
	memmove(path, path + 3, strlen(path + 3) + 1);
	return true;
}

static uint64_t read_max(const char *root, const char *path)
{
	char name[2 * PATH_MAX];
	uint64_t max;

	snprintf(name, sizeof(name), "%s%s/memory.max", root, path);
	CLEANUP(fclosep) FILE *file = fopen(name, "re");
	/* "max" is no number. */
	return file && fscanf(file, "%" SCNu64, &max) == 1 ? max : UINT64_MAX;
}

uint64_t memory_max_in(const char *membership, const char *root)
{
	uint64_t least = UINT64_MAX;
	char path[PATH_MAX];

	if (!find_own(membership, path))
		return least;
	for (char *end = path + strlen(path); end; end = strrchr(path, '/')) {
		*end = '\0';
		uint64_t max = read_max(root, path);
		if (max < least)
			least = max;
	}
	return least;
}

uint64_t memory_max(void)
{
	return memory_max_in("/proc/self/cgroup", "/sys/fs/cgroup");
}

void memory_drop_stack(void)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t end = ((uintptr_t)__builtin_frame_address(0) - STACK_KEPT) / page * page;

	/*
	 * The kernel maps nothing else within 1 MiB below the first stack. The call fails with
	 * ENOMEM, after it has dropped the pages, as the stack begins further up.
	 */
	(void)madvise((void *)(end - STACK_DROPPED), STACK_DROPPED, MADV_DONTNEED);
}
