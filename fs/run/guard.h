/*
 * A guard: a process that runs one command, and outlives everything that the command starts.
 *
 *      runner ──fork──▶ guard ──fork──▶ child, which becomes the program
 *                         │
 *                         ├─ reads the program's output, and stores its beginning
 *                         ├─ when the time is up, or the program or the runner ends: sends
 *                         │  SIGKILL to the program's group, and to processes that have left it
 *                         └─ sends the result
 *
 * The guard sends a struct run_result twice: before the program starts, with RUN_GONE and the path
 * of the workspace; at the end, with the result. If the guard is killed in between, the runner
 * passes on the first struct, and removes the workspace.
 *
 * The guard makes the workspace (run_result.h), and removes it after the command. The guard's child
 * writes the file that the command gets, and gives this file and the workspace to the command's
 * user.
 */
#pragma once

#include <sys/resource.h>

#include "program.h"
#include "run_result.h"

/* The PATH of each program. The program itself is found by this PATH, too. */
#define CHILD_PATH "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

enum run_kind {
	RUN_CHECK,     /* `file` has the bytes to judge */
	RUN_ON_CHANGE, /* `file` has the list of paths */
	RUN_KINDS,
};

/* The values that commands inherit (runner_new(), runner.h). */
struct run_origin {
	char *language;      /* "LANG=…" */
	struct rlimit files; /* the limit of descriptors */
	uint64_t slice_ns;   /* the time slice (slice.h) */
};

/* A command of plyfs.yaml. */
struct run_command {
	enum run_kind kind;
	const struct program *program;
	const char *path; /* of the judged file, or of a changed one; relative to the root */
	int file;         /* a descriptor of the content that the program gets */
	const struct run_origin *origin;
};

/* Number of messages of a guard. The guard sends the last one after removing the workspace. */
#define GUARD_MESSAGES 2

/**
 * Call this function in a process of coroutine_fork(). Closes all descriptors but `socket` and
 * command->file, runs the command in a workspace, removes the workspace, and sends the result.
 */
__attribute__((noreturn)) void guard_run(const struct run_command *command, int socket);

/**
 * Removes the workspace at `path` ("": none). A directory more than 32 deep stays, and so do the
 * directories above it. Call this function when no process uses the workspace any more.
 */
void workspace_remove(void *path);
