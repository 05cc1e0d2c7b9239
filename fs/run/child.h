/*
 * A child: the process that becomes a program of plyfs.yaml.
 */
#pragma once

#include "run_message.h"
#include "workspace.h"

struct child {
	const struct program *program;
	const struct run_request *request;
	const struct workspace *workspace;
	int file;   /* the file that it is run for */
	int output; /* both of its outputs */
	int report; /* closed by exec(2); else gets the reason of the failure */
};

/* The content of `report`. */
struct child_report {
	int error;
	char what[256];
};

/** Drops all other rights, and becomes the program. */
__attribute__((noreturn)) void child_run(const struct child *child);
