/* A child: the process that becomes a program of plyfs.yaml. */
#pragma once

#include "run_message.h"
#include "workspace.h"

struct child {
	const struct program *program;
	const struct run_request *request;
	const struct workspace *workspace;
	int file;   /* the bytes that a check judges, or the list of paths of a change hook */
	int output; /* for standard output and standard error */
	int report; /* if a step fails, gets a struct child_report; exec(2) closes it */
};

/* The reason why the program was not started. */
struct child_report {
	int error;      /* errno */
	char what[256]; /* the step that failed */
};

/** Fills the workspace, drops rights that the program must not have, and becomes the program. */
__attribute__((noreturn)) void child_run(const struct child *child);
