#include "user.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "cleanup.h"
#include "layer.h"

/* Bytes of a first buffer, and of the last: an entry may have long fields, but no such one. */
#define ENTRY_BYTES ((size_t)1024)
#define ENTRY_MAX ((size_t)1 << 20)

int user_find(const char *name, struct passwd *ret, char **text)
{
	struct passwd *found = NULL;
	int r = ERANGE;

	for (size_t size = ENTRY_BYTES; r == ERANGE && size <= ENTRY_MAX; size *= 2) {
		CLEANUP(freep) char *buffer = malloc(size);
		if (!buffer)
			return -ENOMEM;
		/*
		 * Not getpwuid(3): it takes a lock, which a process that another thread forks
		 * meanwhile may find taken for ever.
		 */
		r = name ? getpwnam_r(name, ret, buffer, size, &found)
			 : getpwuid_r(geteuid(), ret, buffer, size, &found);
		if (r == 0 && found)
			*text = take_ptr(buffer);
	}
	if (r == 0 && found)
		return 0;
	return layer_is_shortage(-r) ? -r : USER_UNKNOWN;
}
