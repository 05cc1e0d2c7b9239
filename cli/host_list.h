/*
 * A list of hosts: a file with one host a line. A line is "web1 role=web site=fra1": the name, and
 * then the facts, with blanks between them. A # begins a comment.
 */
#pragma once

#include <stddef.h>

struct command;
struct settings_environment;

struct host {
	const char *name;
	/* NAME=VALUE, each NUL-terminated; blanks may stand behind the NUL */
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
 * Reads `file`, "-" for standard input. *ret must be zero. In any case call host_list_fini().
 * Returns EXIT_DONE; or EXIT_FAILED after an error message, if the file can't be read, has no host
 * in it, or has a line that can't be a host's name with facts.
 */
int host_list_read(const char *file, struct host_list *ret);

/**
 * Sets the host of an environment, and adds the host's facts. Returns EXIT_DONE, or another exit
 * code after an error message.
 */
int host_enter(const struct command *command, const struct host *host,
	struct settings_environment *around);

void host_list_fini(struct host_list *list);
