/* Host groups: the hosts of a list, grouped by a text about each. Equal texts make one group. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "host_list.h"
#include "settings_environment.h"

struct host_group {
	char *text;
	const char **hosts;
	size_t count;
	size_t capacity;
};

struct host_groups {
	struct host_group *items; /* in the order of their first hosts */
	size_t count;
	size_t capacity;
};

/** Prints "web1, web2", or with `is_json` ["web1", "web2"]. */
void host_group_print(const struct host_group *group, bool is_json);

void host_groups_fini(struct host_groups *groups);

/* A command that is run for each host of a list. */
struct each_host {
	const char *file; /* the list of hosts, for host_list_read() */
	const char *what; /* "explaining", for the progress line */

	/*
	 * Makes the text about a host, from malloc(3); *ret stays NULL if the host is in no group.
	 * Returns an exit code.
	 */
	int (*make)(void *context, const char *host, char **ret);
	void *context;
	/* set to each host in turn, with the host's facts; restored at the end */
	struct settings_environment *around;
};

/**
 * Groups the hosts of a list by the texts of each->make(). If the work for a host fails, prints a
 * message with the host's name, and goes on with the next host. But EXIT_WRONG_USE ends the work.
 * Returns the highest exit code. *list and *ret must be all zero. In any case call host_list_fini()
 * and host_groups_fini().
 */
int each_host_run(const struct command *command, const struct each_host *each,
	struct host_list *list, struct host_groups *ret);
