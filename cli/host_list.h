/* A list of hosts, a line for each with its facts: "web1 role=web". A comment begins with #. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "settings_environment.h"

struct command;

struct host {
	const char *name;
	/* `fact_count` texts NAME=VALUE, each followed by a NUL and perhaps blanks */
	const char *facts;
	size_t fact_count;
};

struct host_list {
	char *text;
	struct host *items; /* in the order of the file; their texts lie in `text` */
	size_t count;
	size_t capacity;
};

/**
 * Reads `file`, "-" for standard input, into *ret, which must be all zero. In any case call
 * host_list_fini(). Returns EXIT_DONE, or EXIT_FAILED after an error message.
 */
int host_list_read(const char *file, struct host_list *ret);

/**
 * Sets the host of the environment `around`, and adds the host's facts. The environment borrows the
 * texts of `host`. Returns EXIT_DONE, or another exit code after an error message.
 */
int host_enter(const struct command *command, const struct host *host,
	struct settings_environment *around);

void host_list_fini(struct host_list *list);

/**
 * Returns an array, for free(3), with an element for each of `paths` (ends with NULL): whether a
 * host has the path. All elements are false at first. NULL: no memory.
 */
bool *host_paths_new(char **paths);

/** Reports the paths that no host has. Returns EXIT_DONE if there are none. */
int host_paths_report(char **paths, const bool *is_found);

/* Hosts for which each_host.make() made the same text. */
struct host_group {
	char *text;
	const char **hosts;
	size_t count;
	size_t capacity;
};

struct host_groups {
	struct host_list list;
	struct host_group *items; /* in the order of their first hosts */
	size_t count;
	size_t capacity;
};

/** Prints "web1, web2", or with --json ["web1", "web2"]. */
void host_group_print(const struct host_group *group);

void host_groups_fini(struct host_groups *groups);

/* A command that is run for each host of a list. */
struct each_host {
	const char *file; /* the list of hosts, for host_list_read() */
	const char *what; /* "explaining", for the progress line */

	/* Makes a text, for free(3), about the host that is set in `around`. If *ret is NULL, the
	 * host joins no group. Returns an exit code. */
	int (*make)(void *context, char **ret);
	void *context;
	/* set to each host in turn, with the host's facts; restored at the end */
	struct settings_environment *around;
};

/**
 * Groups the hosts of a list by the texts of each->make(). If host_enter() or each->make() fails,
 * prints a message with the host's name. Then continues with the next host, unless the failure was
 * EXIT_WRONG_USE. Returns the highest exit code. *ret must be all zero. In any case call
 * host_groups_fini().
 */
int each_host_run(
	const struct command *command, const struct each_host *each, struct host_groups *ret);
