/*
 * A guard: a process that runs one program, and outlives all that it starts.
 *
 *      plyfs-run ──fork──▶ guard ──fork──▶ child, which becomes the program
 *                            │
 *                            ├─ its output, up to a limit
 *                            ├─ SIGKILL to all of its group, and to what has left the group, when
 *                            │  its time is up, when it has ended, when the daemon has
 *                            └─ the answer
 */
#pragma once

#include "run_message.h"
#include "workspace.h"

/**
 * The process's body: runs it for `file` in the workspace, which it removes, and answers to
 * `socket`. When it ends otherwise than with 0 it has perhaps done neither.
 */
__attribute__((noreturn)) void guard_run(const struct program *program,
	const struct run_request *request, int file, const struct workspace *workspace, int socket);
