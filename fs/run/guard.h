/*
 * A guard: a process that runs one command, and outlives everything that the command starts.
 *
 *      plyfs-run ──fork──▶ guard ──fork──▶ child, which becomes the program
 *                            │
 *                            ├─ reads the program's output, and stores its beginning
 *                            ├─ when the time is up, or the program or the daemon ends: sends
 *                            │  SIGKILL to the program's group, and to processes that have left it
 *                            └─ sends the answer
 */
#pragma once

#include "run_message.h"
#include "workspace.h"

/**
 * Runs the process: runs the command for `file` in the workspace, removes the workspace, and
 * answers on `socket`. Exit status not 0: there was no answer, and the workspace may be left.
 */
__attribute__((noreturn)) void guard_run(const struct program *program,
	const struct run_request *request, int file, const struct workspace *workspace, int socket);
