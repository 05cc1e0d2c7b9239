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
 * It sends two messages, each a struct run_result. The first one counts only if the guard is
 * killed: RUN_GONE, and the workspace, which the guard has not removed then.
 */
#pragma once

#include "run_command.h"
#include "run_result.h"

/* Messages of a guard that has removed its workspace. */
#define GUARD_MESSAGES 2

/**
 * Runs the process, after coroutine_fork(): closes all descriptors but `socket` and the command's
 * file, runs the command in a workspace, removes the workspace, and sends the result.
 */
__attribute__((noreturn)) void guard_run(const struct run_command *command, int socket);
