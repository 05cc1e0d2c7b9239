/* A list of hosts: the names in a file, one a line. A # begins a comment. */
#pragma once

#include <stddef.h>

struct host_list {
	char *text;
	const char **names; /* in the order of the file; they lie in `text` */
	size_t count;
};

/**
 * Reads `file`, "-" for standard input. Returns EXIT_DONE with *ret for host_list_fini(). Returns
 * EXIT_FAILED after an error message if the file can't be read, has no name in it, or has a line
 * that can't be a host's name.
 */
int host_list_read(const char *file, struct host_list *ret);

void host_list_fini(struct host_list *list);
