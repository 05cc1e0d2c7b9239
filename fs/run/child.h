/* A child: the process that becomes a program of plyfs.yaml. */
#pragma once

#include "run_command.h"
#include "workspace.h"

/* The PATH that each program gets, and in which we search for the program. */
#define CHILD_PATH "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

/* If root mounts, checks run as this user, unless plyfs.yaml names another one. */
#define CHILD_NOBODY "nobody"

struct child {
	const struct run_command *command;
	const struct workspace *workspace;
	pid_t guard; /* the parent; the child dies with it */
	int output;  /* becomes standard output and standard error */
	int report;  /* a pipe that exec(2) closes; if a step fails, gets a struct child_report */
};

/* The reason why the program was not started. */
struct child_report {
	int error;      /* errno */
	char what[256]; /* the step that failed */
};

/**
 * In the child: writes the command's input into its workspace (a directory, workspace.h), drops
 * rights that the program must not have, and becomes the program.
 */
__attribute__((noreturn)) void child_run(const struct child *child);
