/*
 * A guard: a process that runs one program, and outlives all that it starts.
 *
 *      plyfs-run ──fork──▶ guard ──fork──▶ child, which becomes the program
 *                            │
 *                            ├─ its output, up to a limit
 *                            ├─ SIGKILL to all of its group, and to what has left the group, when
 * its │  time is up, when it has ended, when the daemon has └─ the answer
 */
#pragma once

#include "run_message.h"

/** The process's body: runs it for `file` and answers to `socket`. */
__attribute__((noreturn)) void guard_run(
	const struct program *program, const struct run_request *request, int file, int socket);
